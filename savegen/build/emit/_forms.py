"""Write the JSON types of values, with limits, and expressions that create values from JSON."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from savegen.build.emit._docs import described
from savegen.build.emit._names import Names
from savegen.build.emit._types import as_code, listed
from savegen.build.emit._values import CellExpressions, macros
from savegen.build.kinds import scalar_type
from savegen.build.model import FLAGS, Field, Kind, PlainRecord, upper_snake
from savegen.build.json_forms import ARRAY, OBJECT, JsonForms, library_form


class _Pattern(NamedTuple):
    """A regular expression for the text form of a kind, and the name of its type alias."""

    name: str
    text: str


_COLOUR = _Pattern("ColorText", "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$")

_SCHEMA_WORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
_INT64 = 2**63


class StructField(NamedTuple):
    """One field of a struct that decodes JSON."""

    attribute: str
    type: str
    default: str  # such as ` = UNSET`; "" if there is none
    description: str = ""  # a string literal; "" for none


class Forms(CellExpressions):
    """Writes JSON types and expressions that create values, and collects what they need."""

    unpacking = "from_json"

    def __init__(
        self,
        names: Names,
        json_forms: JsonForms,
        tags: Mapping[str, str],
        attributes: Mapping[str, str],
    ) -> None:
        """`tags` maps the name of each prefab to its `$type` in levels.

        `attributes` maps each name in JSON to the attribute of a struct that holds its value.
        """
        super().__init__(names)
        self._json_forms = json_forms
        self._tags = tags
        self.attributes = attributes
        self._types: dict[Kind, str] = {}  # in JSON
        self._refers: dict[Kind, bool] = {}
        self.functions: dict[Kind, str] = {}  # names of functions that are called
        self.structs: dict[Kind, str] = {}  # names of structs that are used
        self.saved_class_function = ""  # "" if it is not needed
        self.aliases: dict[str, str] = {}  # type of each alias
        self._named: dict[str, str] = {}  # purpose of an alias → its name

    def json_type(self, kind: Kind) -> str:
        """Return the annotation with which msgspec decodes the JSON form of a kind."""
        if kind not in self._types:
            self._types[kind] = macros(kind.kind).json_type(self, kind, self.names)
        return self._types[kind]

    def json_types(self, kinds: Iterable[Kind]) -> list[str]:
        return [self.json_type(kind) for kind in kinds]

    # -- the fields of structs

    def parameter(self, name: str, field: Field) -> StructField:
        """Return one parameter of a prefab, which is always optional."""
        limits, doc = _limits(field.limits), described(field.doc)
        if _is_number(field.kind):
            bounds = _bounds(field.kind, limits)
            type = self._with_meta(self.json_type(field.kind), bounds)
        else:
            type = self._limited(field.kind, limits)
        type = f"{type} | {self.names.UnsetType}"
        return self._field(name, type, True, as_code(doc) if doc else "")

    def member(self, name: str, kind: Kind, optional: bool) -> StructField:
        """Return one field of a plain class."""
        type = self.json_type(kind)
        type = f"{type} | {self.names.UnsetType}" if optional else type
        return self._field(name, type, optional)

    def _field(
        self, name: str, type: str, optional: bool, description: str = ""
    ) -> StructField:
        names, attribute = self.names, self.attributes[name]
        default = f" = {names.UNSET}" if optional else ""
        if attribute != name:
            unset = f", default={names.UNSET}" if optional else ""
            default = f" = {names.field}(name={as_code(name)}{unset})"
        return StructField(attribute, type, default, description)

    def _with_meta(self, type: str, bounds: list[str]) -> str:
        names = self.names
        if not bounds:
            return type
        return f"{names.Annotated}[{type}, {names.Meta}({', '.join(bounds)})]"

    def _limited(self, kind: Kind, limits: Mapping[str, float]) -> str:
        """Return the JSON type of a kind, with the limits added to each number in a union."""
        if not limits or kind.kind != "union":
            return self.json_type(kind)
        later = self._has_structured_member(kind)
        bounds = (
            _bounds(p, limits, later) if _is_number(p) else [] for p in kind.parts
        )
        return " | ".join(map(self._with_meta, self.member_types(kind), bounds))

    def checked(self, name: str, field: Field, value: str) -> str:
        """Return an expression for a value, with the limits that msgspec does not check."""
        parts = field.kind.parts if field.kind.kind == "union" else (field.kind,)
        unchecked = any(
            scalar_type(each).limits_later for each in parts if each.kind == "scalar"
        )
        if not field.limits or not (
            unchecked or self._has_structured_member(field.kind)
        ):
            return value
        limits = (f"{word}={bound}" for word, bound in field.limits)
        return f"{self.names.within}({as_code(name)}, {value}, {', '.join(limits)})"

    # -- the members of a union

    def _has_structured_member(self, union: Kind) -> bool:
        """Return whether a union has arrays or objects.

        The limits and patterns of such a union are not given to msgspec 0.22, which mixes up
        those of the members, and reads invalid memory.
        """
        return self._json_forms.has_structured_member(union)

    def member_types(self, union: Kind) -> list[str]:
        """Return the annotation of each member of a union."""
        later = self._has_structured_member(union)
        return [
            self.patterned(part, later) if _pattern_of(part) else self.json_type(part)
            for part in union.parts
        ]

    def member_from_json(self, union: Kind, part: Kind, value: str, depth: int) -> str:
        """Return an expression that creates a value of a member of a union from decoded JSON."""
        pattern = _pattern_of(part)
        if pattern and self._has_structured_member(union):
            value = f"{self.names.matching}({value}, {as_code(pattern.text)})"
        return self.unpack(part, value, depth)

    def patterned(self, kind: Kind, later: bool = False) -> str:
        """Return the annotation of a text with a pattern; if `later`, msgspec does not check it."""
        names, pattern = self.names, _pattern_of(kind)
        assert pattern is not None
        name, argument = pattern.name, f"pattern={as_code(pattern.text)}"
        if later:
            inside = f'{{"pattern": {as_code(pattern.text)}}}'
            name, argument = f"Any{name}", f"extra_json_schema={inside}"
        text = f"{names.Annotated}[{names.str}, {names.Meta}({argument})]"
        return self._alias(name, name, text)

    # -- functions for the templates

    def is_map(self, kind: Kind) -> bool:
        return self._json_forms.has_object(kind)

    def members_and_limit(self, kind: Kind, value: str) -> tuple[str, str]:
        return value, ""  # levels set no limit

    def own_factory(self, code: str, title: str) -> str:
        return self.with_imports(code, self._imported)

    def class_factory(self, kind: Kind) -> str:
        is_dict = self._json_forms.records[kind.name].style == "typeddict"
        return "None" if is_dict else self._imported(kind.name)

    def _imported(self, name: str) -> str:
        return f"{self.names.imported}({as_code(name)})"

    def json_class(self, kind: Kind) -> str:
        """Return the class of decoded JSON values of a kind, for `isinstance`."""
        (shape,) = self._json_forms.shapes(kind)
        if shape == OBJECT:
            return "dict" if kind.kind == "container" else self.struct(kind)
        return "(list, tuple)" if shape == ARRAY else "str"

    # -- names that the module defines

    def call(self, kind: Kind, value: str) -> str:
        """Return a call of the function that creates a value of a plain class or enumeration."""
        if kind not in self.functions:
            name = upper_snake(simple_name(kind).replace(".", "_")).lower()
            self.functions[kind] = self.names.unique(f"_{name}")
        references = ", references" if self.refers(kind) else ""
        return f"{self.functions[kind]}({value}{references})"

    def refers(self, kind: Kind) -> bool:
        """Return whether a value contains ids of objects or assets, which have to be resolved."""
        if kind not in self._refers:
            parts = self._json_forms.reached(kind)
            self._refers[kind] = any(p.kind in ("asset", "reference") for p in parts)
        return self._refers[kind]

    def struct(self, kind: Kind) -> str:
        """Return the name of the struct that decodes the JSON form of a class."""
        if kind not in self.structs:
            self.structs[kind] = self.names.unique(
                f"{_compact(simple_name(kind))}Value"
            )
        return self.structs[kind]

    def record(self, kind: Kind) -> PlainRecord | None:
        """Return the plain class of a kind; None if the kind is not a plain class."""
        is_plain = kind.kind in ("value", "record")
        return self._json_forms.records[kind.name] if is_plain else None

    def foreign(self, kind: Kind) -> str:
        """Return the annotation for a type with a codec, such as a type of another library."""
        library = library_form(kind)
        if library is None:
            return self.names.Any
        if library.fields:
            return self.struct(kind)
        if library.is_colour:
            return self.patterned(kind)
        names, cells = self.names, library.cells
        limits = f"{names.Meta}(min_length={cells}, max_length={cells})"
        text = f"{names.Annotated}[{names.list}[{names.float}], {limits}]"
        return self._alias(f"matrix {cells}", f"Matrix{cells}", text)

    def reference(self, kind: Kind) -> str:
        """Return the annotation for a `$id`; its schema lists the prefabs that it may refer to."""
        names = self.names
        targets = self._json_forms.targets(kind)
        tags = [
            as_code(self._tags[prefab.name])
            for prefab in self._json_forms.referable_prefabs(targets)
            if prefab.name in self._tags
        ]
        schema = f'extra_json_schema={{"x-references": [{", ".join(tags)}]}}'
        text = f"{names.Annotated}[{names.str}, {names.Meta}({schema})]"
        name = _compact(re.split("[.:]", targets[0])[-1])
        return self._alias(f"reference {targets}", f"{name}Reference", text)

    def member_names(self, enum: str) -> str:
        """Return the alias for a `Literal` of the member names of an enumeration."""
        name = _compact(enum.rpartition(":")[2])
        return self._literal(enum, f"{name}Name", self._json_forms.enums[enum])

    def prefab_names(self) -> str:
        return self._literal("prefabs", "PrefabName", self._json_forms.prefabs)

    def targets(self, kind: Kind) -> list[str]:
        """Return the classes that a reference may refer to, as string literals."""
        return [as_code(name) for name in self._json_forms.targets(kind)]

    def class_names(self, kind: Kind) -> str:
        """Return the alias of a `Literal` of the names in `SaveLoadableType` of a kind's classes."""
        first = _compact(kind.name.partition(" | ")[0].rpartition(":")[2])
        members = [cls.enum_member for cls in self._json_forms.classes_of(kind)]
        return self._literal(f"type {kind.name}", f"{first}ClassName", sorted(members))

    def saved_class(self) -> str:
        """Return the function that finds a class by its name in `SaveLoadableType`."""
        if not self.saved_class_function:
            self.saved_class_function = self.names.unique("_saved_class")
        return self.saved_class_function

    def _literal(self, purpose: str, name: str, members: Iterable[str]) -> str:
        if purpose in self._named:
            return self._named[purpose]
        inside = listed([*map(as_code, members)], 0)
        return self._alias(purpose, name, f"{self.names.Literal}[{inside}]")

    def _alias(self, purpose: str, name: str, text: str) -> str:
        if purpose not in self._named:
            short = name if len(name) <= 60 else "Name"
            self._named[purpose] = self.names.unique(short)
            self.aliases[self._named[purpose]] = text
        return self._named[purpose]


def simple_name(kind: Kind) -> str:
    """Return the name of a class without its module, such as `Outer.Inner` or `Vector2`."""
    _, colon, qualname = kind.name.partition(":")
    return qualname if colon else kind.name.rpartition(".")[2]


def _pattern_of(kind: Kind) -> _Pattern | None:
    if kind.kind == "scalar" and (text := scalar_type(kind).pattern):
        return _Pattern(f"{simple_name(kind)}Text", text)
    library = library_form(kind) if kind.kind == "foreign" else None
    return _COLOUR if library and library.is_colour else None


def style_of(kind: Kind, record: PlainRecord | None) -> str:
    """Return how a value of a class is created: "vector", "enum", or the style of its record."""
    if kind.kind == "enum":
        return "flags" if kind.values == FLAGS else "enum"
    if record is not None:
        return record.style
    library = library_form(kind)
    if library is None:
        return "codec"
    if library.cells:
        return "matrix"
    return "vector" if library.fields else "colour"


def class_import(
    kind: Kind, style: str, local_names: Container[str]
) -> tuple[str, str, str]:
    """Return the module of a class, the name to import from it, and the name of the class.

    A class with one of the `local_names` is imported under another name.
    """
    if style in ("typeddict", "codec"):
        return "", "", ""
    module, colon, qualname = kind.name.partition(":")
    if not colon:
        module, _, qualname = kind.name.rpartition(".")
        # A Rect of arcade is created from its left and bottom edges and its size.
        if module.startswith("arcade") and qualname == "Rect":
            module, qualname = "arcade.types", "LBWH"
    first, dot, rest = qualname.partition(".")
    local = f"{first}_" if first in local_names else first
    imported = first if local == first else f"{first} as {local}"
    return module, imported, f"{local}{dot}{rest}"


def _compact(qualname: str) -> str:
    return qualname.replace(".", "").lstrip("_")


def _is_number(kind: Kind) -> bool:
    return kind.kind == "scalar" and scalar_type(kind).is_number


def _limits(limits_as_code: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return the finite limits of a field. Of `ge` and `gt`, or `le` and `lt`, keep the tighter."""
    limits: dict[str, float] = {}
    for name, code in limits_as_code:
        if "inf" not in code:
            limits[name] = ast.literal_eval(code)
    if "ge" in limits and "gt" in limits:
        del limits["ge" if limits["gt"] >= limits["ge"] else "gt"]
    if "le" in limits and "lt" in limits:
        del limits["le" if limits["lt"] <= limits["le"] else "lt"]
    return limits


def _bounds(kind: Kind, limits: Mapping[str, float], later: bool = False) -> list[str]:
    """Return limits as arguments of `msgspec.Meta`; those of an `int` are rounded to integers.

    Limits that msgspec does not check, and those to be checked `later`, are only written into
    the JSON Schema.
    """
    if limits and (later or scalar_type(kind).limits_later):
        words = ", ".join(f'"{_SCHEMA_WORDS[n]}": {v!r}' for n, v in limits.items())
        return [f"extra_json_schema={{{words}}}"]
    if kind.name != "builtins.int":
        return [f"{name}={value!r}" for name, value in limits.items()]
    rounded = {
        name: math.ceil(limit) if name in ("ge", "lt") else math.floor(limit)
        for name, limit in limits.items()
    }
    supported = ((n, v) for n, v in rounded.items() if -_INT64 <= v < _INT64)
    return [f"{name}={value}" for name, value in supported]
