"""Expressions from JSON to values, written by the templates of the kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from savegen.build.emit._expressions import macros
from savegen.build.emit._names import Names, loop_variable
from savegen.build.emit._types import spelled
from savegen.build.model import Kind, Record, upper_snake
from savegen.build.writable import ARRAY, OBJECT, Preset, Writing, preset

_HOLE = "\0"  # where the value goes
_FACTORIES = frozenset(
    "bool int float str bytes list dict set tuple frozenset bytearray".split()
)


class _Pattern(NamedTuple):
    """What texts look like that stand for values of a kind."""

    name: str
    text: str


_FRACTION = _Pattern("FractionText", r"^-?[0-9]+(/0*[1-9][0-9]*)?$")
_COLOUR = _Pattern("ColorText", "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$")


class Forms:
    """Writes expressions for one module, and remembers what they need around them."""

    def __init__(self, names: Names, writing: Writing, tags: Mapping[str, str]) -> None:
        """`tags` are the names of the prefabs in levels, by their own names."""
        self._tags = tags
        self._names = names
        self._writing = writing
        self._texts: dict[tuple[Kind, str, int], str] = {}
        self._refers: dict[Kind, bool] = {}
        self.functions: dict[Kind, str] = {}  # those that were called so far
        self.mirrors: dict[Kind, str] = {}  # the structs that were named so far
        self.saved_class_function = ""  # if it was called
        self.aliases: dict[str, str] = {}  # name → the type that it stands for
        self._named: dict[str, str] = {}  # what an alias is for → its name

    # -- the two expressions

    def json_type(self, kind: Kind) -> str:
        """Return what a value of the kind is once its JSON is decoded, as an annotation."""
        return self._text(kind, "json_type", 0)

    def json_types(self, kinds: Iterable[Kind]) -> list[str]:
        return [self.json_type(kind) for kind in kinds]

    def from_json(self, kind: Kind, value: str, depth: int = 0) -> str:
        """Return an expression for the value of a field, made of a decoded `value`."""
        return self._text(kind, "from_json", depth).replace(_HOLE, value)

    def _text(self, kind: Kind, way: str, depth: int) -> str:
        key = (kind, way, depth)
        if key not in self._texts:
            macro = getattr(macros(kind.kind), way)
            hole = (_HOLE, depth) if way == "from_json" else ()
            self._texts[key] = macro(self, kind, *hole, self._names)
        return self._texts[key]

    # -- the members of a union

    def checks_later(self, kind: Kind) -> bool:
        """Return whether msgspec must not know the limits of what is in a kind.

        Beside arrays and objects its version 0.22 mixes them up: it reads wild memory.
        """
        return self._writing.mixes(kind)

    def alternatives(self, union: Kind) -> list[str]:
        """Return the annotations of the members."""
        later = self.checks_later(union)
        return [
            self.patterned(part, later) if _pattern_of(part) else self.json_type(part)
            for part in union.parts
        ]

    def alternative(self, union: Kind, part: Kind, value: str, depth: int) -> str:
        """Return an expression for what is made of a decoded `value` of a member."""
        pattern = _pattern_of(part)
        if pattern and self.checks_later(union):
            value = f"{self._names.matching}({value}, {spelled(pattern.text)})"
        return self.from_json(part, value, depth)

    def patterned(self, kind: Kind, later: bool = False) -> str:
        """Return the annotation for a text; if it is looked at later, only a schema knows how."""
        names, pattern = self._names, _pattern_of(kind)
        assert pattern is not None
        name, says = pattern.name, f"pattern={spelled(pattern.text)}"
        if later:
            inside = f'{{"pattern": {spelled(pattern.text)}}}'
            name, says = f"Any{name}", f"extra_json_schema={inside}"
        text = f"{names.Annotated}[{names.str}, {names.Meta}({says})]"
        return self._alias(name, name, text)

    # -- what the templates ask

    def reads(self, kind: Kind) -> bool:
        """Return whether a decoded value is not yet the value of a field."""
        return self.from_json(kind, "it") != "it"

    def has_object(self, kind: Kind) -> bool:
        return self._writing.has_object(kind)

    variable = staticmethod(loop_variable)

    def factory(self, kind: Kind) -> str:
        """Return what makes the missing members of a `defaultdict`: by their type alone."""
        name = kind.name.rpartition(".")[2]
        if name in ("deque", "defaultdict", "OrderedDict", "Counter"):
            return "None" if name == "defaultdict" else self._names[name]
        return name if name in _FACTORIES else "None"

    def json_class(self, kind: Kind) -> str:
        """Return the class of decoded values that shows them to be of the kind."""
        (shape,) = self._writing.shapes(kind)
        if shape == OBJECT:
            return "dict" if kind.kind == "container" else self.mirror(kind)
        return "(list, tuple)" if shape == ARRAY else "str"

    # -- what has a name in the module

    def call(self, kind: Kind, value: str) -> str:
        """Return a call of the function that makes a value."""
        if kind not in self.functions:
            name = upper_snake(simple_name(kind).replace(".", "_")).lower()
            self.functions[kind] = self._names.own(f"_{name}")
        argument = ", references" if self.refers(kind) else ""
        return f"{self.functions[kind]}({value}{argument})"

    def refers(self, kind: Kind) -> bool:
        """Return whether something in a value is found by its id: an object, or an asset."""
        if kind not in self._refers:
            reached = self._writing.reached(kind)
            self._refers[kind] = any(e.kind in ("asset", "reference") for e in reached)
        return self._refers[kind]

    def mirror(self, kind: Kind) -> str:
        """Return the struct that stands for a class in JSON."""
        if kind not in self.mirrors:
            self.mirrors[kind] = self._names.own(f"{_compact(simple_name(kind))}Value")
        return self.mirrors[kind]

    def record(self, kind: Kind) -> Record | None:
        """Return what is known of a plain class; None if the kind is another."""
        is_plain = kind.kind in ("value", "record")
        return self._writing.records[kind.name] if is_plain else None

    def foreign(self, kind: Kind) -> str:
        """Return the annotation for a value of another library, or with a codec."""
        found = preset(kind)
        if found is None:
            return self._names.Any
        if found.fields:
            return self.mirror(kind)
        if not found.cells:
            return self.patterned(kind)
        names, cells = self._names, found.cells
        limits = f"{names.Meta}(min_length={cells}, max_length={cells})"
        text = f"{names.Annotated}[{names.list}[{names.float}], {limits}]"
        return self._alias(f"matrix {cells}", f"Matrix{cells}", text)

    def reference(self, kind: Kind) -> str:
        """Return the annotation for the `$id` of something: its schema tells what may have it."""
        names = self._names
        targets = self._writing.targets(kind)
        tags = [
            spelled(self._tags[prefab.name])
            for prefab in self._writing.referable(targets)
            if prefab.name in self._tags
        ]
        says = f'extra_json_schema={{"x-references": [{", ".join(tags)}]}}'
        text = f"{names.Annotated}[{names.str}, {names.Meta}({says})]"
        name = _compact(re.split("[.:]", targets[0])[-1])
        return self._alias(f"reference {targets}", f"{name}Reference", text)

    def member_names(self, enum: str) -> str:
        """Return the type of the names of an enumeration's members."""
        name = _compact(enum.rpartition(":")[2])
        return self._literal(enum, f"{name}Name", self._writing.enums[enum])

    def prefab_names(self) -> str:
        return self._literal("prefabs", "PrefabName", self._writing.prefabs)

    def targets(self, kind: Kind) -> list[str]:
        """Return the classes that a reference may lead to, spelled."""
        return [spelled(name) for name in self._writing.targets(kind)]

    def class_names(self, kind: Kind) -> str:
        """Return the type of the names that classes have in `SaveLoadableType`."""
        first = _compact(kind.name.partition(" | ")[0].rpartition(":")[2])
        members = [cls.member for cls in self._writing.classes_of(kind)]
        return self._literal(f"type {kind.name}", f"{first}ClassName", sorted(members))

    def saved_class(self) -> str:
        """Return the function that finds a class by the name of its number."""
        if not self.saved_class_function:
            self.saved_class_function = self._names.own("_saved_class")
        return self.saved_class_function

    def _literal(self, what: str, name: str, members: Iterable[str]) -> str:
        if what in self._named:
            return self._named[what]
        inside = ", ".join(map(spelled, members))
        return self._alias(what, name, f"{self._names.Literal}[{inside}]")

    def _alias(self, what: str, name: str, text: str) -> str:
        if what not in self._named:
            short = name if len(name) <= 60 else "Name"
            self._named[what] = self._names.own(short)
            self.aliases[self._named[what]] = text
        return self._named[what]


def simple_name(kind: Kind) -> str:
    """Return what a class is called, whatever it is inside of: `Outer.Inner`, `Vector2`."""
    _, colon, qualname = kind.name.partition(":")
    return qualname if colon else kind.name.rpartition(".")[2]


def _pattern_of(kind: Kind) -> _Pattern | None:
    if kind.name == "fractions.Fraction":
        return _FRACTION
    is_colour = kind.kind == "foreign" and preset(kind) == Preset()
    return _COLOUR if is_colour else None


def _compact(qualname: str) -> str:
    return qualname.replace(".", "").lstrip("_")
