"""The JSON forms of parameters in level files, by their kinds; some kinds have none."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.kinds import container_type, scalar_type
from savegen.build.model import (
    FLAGS,
    Kind,
    Model,
    PrefabClass,
    PlainRecord,
    SavedClass,
    reached_kinds,
    walk,
)

# The shapes of JSON. Those of scalars are in their table.
NULL, INT, TEXT, ARRAY = "null", "int", "text", "array"
OBJECT, ANYTHING = "object", "anything"

_UNSUPPORTED = {  # by kind
    "any_": "members of any type",
    "array": "a numpy array or number",
    "generator": "a random number generator",
    "group": "a sprite group",
    "method": "a bound method",
    "refused": "a type that savegen does not know",
    "subclass": "a subclass of a class outside the game",
}
_KEYS = (TEXT, INT)  # the shapes of mapping keys that a JSON object can have


class LibraryForm(NamedTuple):
    """The JSON form of a value of another library."""

    fields: tuple[str, ...] = ()  # empty for a colour or a matrix
    number: str = "float"  # the type of the fields
    cells: int = 0  # of a matrix

    @property
    def is_colour(self) -> bool:
        return not (self.fields or self.cells)


# All fields that a `LibraryForm` can have.
LIBRARY_FIELDS = frozenset("xyzwrgbauvijk").union(
    ["left", "top", "bottom", "width", "height"]
)


def library_form(kind: Kind) -> LibraryForm | None:
    """Return the JSON form of a foreign kind; `None` if a codec of the game defines it.

    >>> library_form(Kind("foreign", "glm.vec2", values=("savegen.runtime.values.libraries.presets:Sequence",)))
    LibraryForm(fields=('x', 'y'), number='float', cells=0)
    """
    if not kind.values[0].startswith("savegen."):
        return None
    package, name = kind.name.partition(".")[0], kind.name.rpartition(".")[2]
    if name == "Color":
        return LibraryForm()
    if name in ("Rect", "FRect"):
        second = "bottom" if package == "arcade" else "top"
        number = "int" if (package, name) == ("pygame", "Rect") else "float"
        return LibraryForm(("left", second, "width", "height"), number)
    size = next((int(letter) for letter in name if letter in "234"), 4)
    if "Mat" in name:
        return LibraryForm(cells=size * size)
    number = "int" if name.endswith("i") else "float"
    return LibraryForm(tuple(_letters(package, name)[:size]), number)


def _letters(package: str, name: str) -> str:
    """Return the names of a vector's members, one letter each."""
    if name.startswith("LColor"):
        return "rgba"
    if name.startswith("LTexCoord"):
        return "uvw" if "3" in name else "uv"
    if any(word in name for word in ("Quat", "Rotation", "Orientation")):
        return "wxyz" if package == "pyglet" else "rijk"
    return "xyzw"


class JsonForms:
    """The JSON forms of the kinds of one project."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.records: dict[str, PlainRecord] = {}
        self.enums: dict[str, tuple[str, ...]] = {}
        for module in model.modules.values():
            self.records |= {record.name: record for record in module.records}
            self.enums |= dict(module.enums)
        self._unsupported_parts: dict[Kind, str] = {}
        self._without_subclasses: dict[Kind, Kind] = {}
        self.records = {
            n: self._for_levels(record) for n, record in self.records.items()
        }

    def _for_levels(self, record: PlainRecord) -> PlainRecord:
        fields = tuple((n, self.without_subclasses(k), r) for n, k, r in record.fields)
        return record if fields == record.fields else replace(record, fields=fields)

    def without_subclasses(self, kind: Kind) -> Kind:
        """Return a kind in which levels set an object of a plain class, not of its subclasses."""
        if kind not in self._without_subclasses:
            parts = tuple(map(self.without_subclasses, kind.parts))
            if kind.kind == "union":
                names = {part.name for part in parts}
                parts = tuple(
                    part
                    for part in parts
                    if part.name not in self.records
                    or names.isdisjoint(self.records[part.name].bases)
                )
            found = kind if parts == kind.parts else replace(kind, parts=parts)
            is_single = kind.kind == "union" and len(parts) == 1
            self._without_subclasses[kind] = parts[0] if is_single else found
        return self._without_subclasses[kind]

    def unsupported_part(self, kind: Kind) -> str:
        """Return a description of the first part of a kind without a JSON form; "" for none."""
        kind = self.without_subclasses(kind)
        if kind not in self._unsupported_parts:
            descriptions = map(self._unsupported, self.reached(kind))
            self._unsupported_parts[kind] = next(filter(None, descriptions), "")
        return self._unsupported_parts[kind]

    def shapes(self, kind: Kind) -> tuple[str, ...]:
        """Return the JSON shapes that a value of the kind can have."""
        if kind.kind == "union":
            return tuple(shape for part in kind.parts for shape in self.shapes(part))
        if kind.kind == "scalar":
            return scalar_type(kind).json
        if kind.kind == "enum":
            return _enum_shapes(kind)
        if kind.kind == "reference" and any(p.name == "None" for p in kind.parts):
            return (TEXT, NULL)
        if kind.kind == "container":
            return (self._container_shape(kind),)
        if kind.kind == "foreign":
            return (_foreign_shape(kind),)
        return (OBJECT if kind.kind in ("value", "record") else TEXT,)

    def has_structured_member(self, kind: Kind) -> bool:
        """Return whether a member of a union is written as an array or an object."""
        shapes = self.shapes(kind) if kind.kind == "union" else ()
        return ARRAY in shapes or OBJECT in shapes

    def has_object(self, kind: Kind) -> bool:
        """Return whether a mapping is written as an object, not as an array of pairs."""
        return len(set(self.shapes(kind.parts[0]))) == 1 and self._is_key(kind.parts[0])

    def classes_of(self, kind: Kind) -> list[SavedClass]:
        """Return the saveable classes that a `type[…]` allows."""
        bounds = set(kind.name.split(" | "))
        return [
            cls
            for cls in self.model.classes
            if not bounds.isdisjoint((cls.name, *cls.ancestors))
        ]

    def targets(self, kind: Kind) -> list[str]:
        """Return the names of the classes that the references in a kind allow."""
        names = (part.name for part in walk(kind) if part.kind == "reference")
        return [*dict.fromkeys(n for n in names if n not in ("", "weakref.ref"))]

    def referable_prefabs(self, targets: Iterable[str]) -> list[PrefabClass]:
        """Return the prefabs with a component of one of the target classes.

        If a target is not a saveable class (for example `GameObject` or a protocol), every
        prefab is returned. Static prefabs, which have no objects, are left out.
        """
        classes = {*targets}
        prefabs = [prefab for prefab in self.model.prefabs if not prefab.static]
        if not classes <= self._bases:
            return prefabs
        return [
            prefab
            for prefab in prefabs
            if any(classes & self._ancestry(part.cls) for part in prefab.parts)
        ]

    @cached_property
    def _bases(self) -> set[str]:
        """The names of the saveable classes and of all their base classes."""
        return {
            name for cls in self.model.classes for name in (cls.name, *cls.ancestors)
        }

    def _ancestry(self, name: str) -> set[str]:
        cls = self.model.class_named(name)
        return {name, *(cls.ancestors if cls else ())}

    @property
    def prefabs(self) -> list[str]:
        """The members of `PrefabType`."""
        return sorted(prefab.enum_member for prefab in self.model.prefabs)

    def _is_key(self, kind: Kind) -> bool:
        if kind.kind == "scalar":
            return kind.name in ("builtins.str", "builtins.int")
        return self.shapes(kind)[0] in _KEYS and kind.kind != "union"

    def _container_shape(self, kind: Kind) -> str:
        if kind.name == "bytearray":
            return TEXT
        is_mapping = container_type(kind).is_mapping
        return OBJECT if is_mapping and self.has_object(kind) else ARRAY

    def reached(self, kind: Kind) -> Iterator[Kind]:
        """Yield the kinds inside a kind and of the fields of plain classes, then the kind itself."""
        return reached_kinds(kind, self.records)

    def _unsupported(self, kind: Kind) -> str:
        """Return a description of a kind without a JSON form; "" if it has one.

        The kinds inside it are not examined.
        """
        match kind.kind:
            case "enum" if not _enum_shapes(kind):
                return "constants that are neither strings nor integers"
            case "enum" if kind.name != "Literal" and not self.enums.get(kind.name):
                return "an enum without members"
            case "container" if kind.name == "array":
                return "an array"
            case "class_" if not self.classes_of(kind):
                return "a class, because no saveable class fits the type"
            case "union":
                return self._unsupported_union(kind)
            case "value" | "record" if not self._is_constructible(kind):
                return (
                    f"a `{kind.name.rpartition(':')[2]}`,"
                    " because its constructor does not take all of its fields"
                )
        if kind.name == "itertools.count":
            return "a counter"
        return _UNSUPPORTED.get(kind.kind, "")

    def _is_constructible(self, kind: Kind) -> bool:
        record = self.records[kind.name]
        return len(record.constructor_arguments) == len(record.fields)

    def _unsupported_union(self, kind: Kind) -> str:
        # `load_data` could not distinguish a reference from another value written as text.
        if any(part.kind == "reference" for part in kind.parts):
            others = [p for p in kind.parts if p.name != "None"]
            if len(others) > 1:
                return "a union of references and other values"
        shapes = self.shapes(kind)
        if len(set(shapes)) < len(shapes) or (
            ANYTHING in shapes and set(shapes) - {ANYTHING, NULL}
        ):
            return "a union of values that look the same in JSON"
        return ""


def _enum_shapes(kind: Kind) -> tuple[str, ...]:
    """Return the JSON shapes of an enumeration's members; empty if one has no JSON form."""
    if kind.name != "Literal":
        return (ARRAY if kind.values == FLAGS else TEXT,)
    shapes = {type(None): NULL, int: INT, str: TEXT}
    values = [ast.literal_eval(code) for code in kind.values]
    if any(type(value) not in shapes for value in values):
        return ()
    return tuple(dict.fromkeys(shapes[type(value)] for value in values))


def _foreign_shape(kind: Kind) -> str:
    form = library_form(kind)
    if form is None:
        return ANYTHING
    if form.cells:
        return ARRAY
    return OBJECT if form.fields else TEXT
