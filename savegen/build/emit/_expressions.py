"""Expressions that pack and unpack values, written by the templates of the kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from savegen.build import kinds
from savegen.build.emit._environment import template
from savegen.build.emit._names import Names, loop_variable
from savegen.build.emit._records import Records
from savegen.build.model import HASHED, Kind, Record, describe, upper_snake

PACK = "pack"
UNPACK = "unpack"

_HOLE = "\0"  # where the value goes
_IS_FUNCTION = re.compile(r"[\w.]+")

_WITH_FUNCTIONS = ("value", "record", "union")

_Key: TypeAlias = tuple[Kind, str, int]  # kind, way, depth
_Need: TypeAlias = tuple[str, str, str]  # import, module, record or codec; what of it


class _Text(NamedTuple):
    """An expression, and what it takes from the module that it stands in."""

    text: str
    needs: dict[_Need, str]  # what the expression names → the name in its text


# As some module had them. References are all alike: no expression names their class.
_known: dict[_Key, _Text] = {}


class Expressions:
    """Writes expressions for one module, and remembers what they need around them."""

    def __init__(self, names: Names, records: Records) -> None:
        self._names = names
        self.records = records
        self._texts: dict[_Key, _Text] = {}
        self._needs: dict[_Need, str] = {}  # of what is being written
        self.modules: dict[str, str] = {}  # of the game's, by the name in the text
        self.codecs: dict[str, tuple[str, str]] = {}  # name in the text → class, codec
        self.unions: dict[Kind, str] = {}  # how the names of their functions end

    def pack(self, kind: Kind, value: str, depth: int = 0) -> str:
        """Return an expression for the cell of `value`, or a mismatch."""
        if kinds.is_native(kind):
            return value
        return self._text(kind, PACK, value, depth)

    def unpack(self, kind: Kind, cell: str, depth: int = 0) -> str:
        """Return an expression for the value that `cell` stands for."""
        if kinds.is_native(kind):
            return cell
        return self._text(kind, UNPACK, cell, depth)

    # -- what the templates ask

    def packer(self, kind: Kind, depth: int) -> str:
        """Return a function that packs members of a container; "" if they are native."""
        if kinds.is_native(kind):
            return ""
        x = self.variable("x", depth)
        packed = self.pack(kind, x, depth + 1)
        return _function(packed, x) or f"lambda {x}: {packed}"

    def members(self, kind: Kind, cells: str, depth: int) -> str:
        """Return what yields the values of members, for a container to be made of."""
        x = self.variable("x", depth)
        each = self.unpack(kind, x, depth + 1)
        if each == x:
            return f"*{cells}"
        function = _function(each, x)
        is_plain = "." in function  # and not a class with parameters
        return (
            f"*map({function}, {cells})" if is_plain else f"{each} for {x} in {cells}"
        )

    def test(self, kind: Kind, it: str) -> str:
        """Return an expression that tells a value of the kind from others."""
        text: str = macros(kind.kind).test(self, kind, it, self._noted)
        return text

    def fits(self, kind: Kind, it: str, depth: int) -> str:
        """Return a test as `test` does that also asks for the members of a container."""
        macro = getattr(macros(kind.kind), "fits", None)
        if macro is None:
            return self.test(kind, it)
        text: str = macro(self, kind, it, depth, self._noted)
        return text

    def alternatives(self, union: Kind) -> list[Kind]:
        """Return the members of a union in the order in which they are tested."""
        return sorted(union.parts, key=_order)

    def member_test(self, union: Kind, part: Kind, it: str, depth: int) -> str:
        """Return a test that tells a member of a union from the others."""
        alike = [each for each in union.parts if _container(each) == _container(part)]
        if len(alike) > 1 and part.kind == "container":
            return self.fits(part, it, depth)
        return self.test(part, it)

    def unpacks(self, kind: Kind) -> bool:
        """Return whether the value of a cell is not the cell itself."""
        return self.unpack(kind, "it") != "it"

    variable = staticmethod(loop_variable)
    is_map = staticmethod(kinds.is_map)
    without_none = staticmethod(kinds.without_none)

    def type(self, name: str) -> str:
        """Return an expression for a class that is imported on first use."""
        module, colon, qualname = name.partition(":")
        if not colon:
            module, _, qualname = name.rpartition(".")
        return f"{self._module(module)}.{qualname}"

    def call(self, way: str, kind: Kind, value: str) -> str:
        """Return a call of the function that packs or unpacks a plain class."""
        function = self.records.function(way, kind.name)
        given = f"{value}, references" if self.records.refers(kind) else value
        return f"{function}({given})"

    def call_union(self, way: str, kind: Kind, value: str) -> str:
        """Return a call of the function that packs or unpacks values of several types."""
        if kind not in self.unions:
            self.unions[kind] = self._union_name(kind)
        given = f"{value}, references" if self.records.refers(kind) else value
        return f"_{way}_{self.unions[kind]}({given})"

    def _union_name(self, kind: Kind) -> str:
        names = [kinds.label(describe(part).partition("[")[0]) for part in kind.parts]
        found = [upper_snake(name.rpartition(".")[2]).lower() for name in names]
        return self.records.stem("_or_".join(found))

    def codec(self, name: str, codec: str) -> str:
        """Return the name of what packs values of a class by a codec."""
        key = ("codec", name, codec)
        known = {pair: local for local, pair in self.codecs.items()}
        local = known.get((name, codec))
        if local is None:
            simple = upper_snake(kinds.label(name).rpartition(".")[2])
            local = self._names.own(f"_{simple}")
            self.codecs[local] = (name, codec)
        return self._note(key, local)

    def hashes(self, kind: Kind) -> bool:
        """Return whether something in a value is found by the hash of an object."""
        return any(
            part.name in HASHED and part.parts[0].references
            for part in self.records.reached(kind)
        )

    def record(self, name: str) -> Record:
        return self.records[name]

    # -- texts that were written before

    def _text(self, kind: Kind, way: str, value: str, depth: int) -> str:
        key = kind, way, depth
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._recalled(key) or self._written(key)
        self._needs.update(found.needs)
        return found.text.replace(_HOLE, value)

    def _recalled(self, key: _Key) -> _Text | None:
        if any(part.kind in _WITH_FUNCTIONS for part in kinds.walk(key[0])):
            return None  # the names of functions are those of one module
        found = _known.get(_nameless(key))
        if found is None:
            return None
        # Where a name had to be replaced, the text is another one.
        same = all(self._named(need) == name for need, name in found.needs.items())
        return found if same else None

    def _written(self, key: _Key) -> _Text:
        kind, way, depth = key
        outer, self._needs = self._needs, {}
        macro = getattr(macros(kind.kind), way)
        text: str = macro(self, kind, _HOLE, depth, self._noted)
        found = _known[_nameless(key)] = _Text(text, self._needs)
        self._needs = outer
        return found

    @property
    def _noted(self) -> _Noted:
        # Kept, it would lead back here: a circle, which only the collector takes apart.
        return _Noted(self._names, self._note)

    def _named(self, need: _Need) -> str:
        """Return the name of what an expression needs, made here if it is not there yet."""
        what, name, rest = need
        if what == "import":
            return self._names[name]
        if what == "module":
            return self._module(name)
        return self.codec(name, rest)

    def _module(self, name: str) -> str:
        known = {module: local for local, module in self.modules.items()}
        local = known.get(name)
        if local is None:
            local = self._names.module(name)
            self.modules[local] = name
        return self._note(("module", name, ""), local)

    def _note(self, need: _Need, name: str) -> str:
        self._needs[need] = name
        return name


def _function(expression: str, x: str) -> str:
    """Return the function that an expression does nothing but call with `x`; "" if none."""
    head = expression.removesuffix(f"({x})")
    return head if head != expression and _IS_FUNCTION.fullmatch(head) else ""


@cache
def macros(kind: str) -> Any:
    return template(f"kinds/{kind}.jinja").module


def _order(kind: Kind) -> int:
    """Constants first, for they are texts and numbers, too; assets can be anything."""
    if kind.kind == "enum" or kind.name == "builtins.bool":
        return 0
    return {"builtins.float": 2}.get(kind.name, 3 if kind.kind == "asset" else 1)


def _container(kind: Kind) -> str:
    return "tuple" if kind.name == "places" else kind.name


class _Noted:
    """The names of a module, for a template: each that it uses is noted."""

    def __init__(self, names: Names, note: Callable[[_Need, str], str]) -> None:
        self._names = names
        self._note = note

    def __getattr__(self, name: str) -> str:
        return self._note(("import", name, ""), self._names[name])

    def __getitem__(self, name: str) -> str:
        return self._note(("import", name, ""), self._names[name])


def _nameless(key: _Key) -> _Key:
    """Return a key without the classes that references lead to."""
    kind, way, depth = key
    return (_without_class(kind), way, depth) if kind.references else key


def _without_class(kind: Kind) -> Kind:
    is_class = kind.kind == "reference" and kind.name != "weakref.ref"
    parts = tuple(map(_without_class, kind.parts))
    return replace(kind, name="" if is_class else kind.name, parts=parts)
