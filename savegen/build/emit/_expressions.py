"""Write expressions that pack and unpack values, with the templates of the kinds."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from savegen.build import kinds
from savegen.build.emit._environment import template
from savegen.build.emit._names import Names, loop_variable
from savegen.build.emit._records import Records
from savegen.build.model import HASHED, Kind, Record, annotation_of, upper_snake

PACK = "pack"
UNPACK = "unpack"

_PLACEHOLDER = "\0"  # stands for the value in a cached expression
_IS_FUNCTION = re.compile(r"[\w.]+")


class Expressions:
    """Writes the expressions of one module, and collects the definitions that they need."""

    def __init__(self, names: Names, records: Records) -> None:
        self.names = names
        self.records = records
        # By kind, PACK or UNPACK, and depth.
        self._texts: dict[tuple[Kind, str, int], str] = {}
        self.modules: dict[str, str] = {}  # module of the game → its name in the text
        # Class and codec → name in the text.
        self.codecs: dict[tuple[str, str], str] = {}
        self.unions: dict[Kind, str] = {}  # union → the suffix of its functions' names

    def pack(self, kind: Kind, value: str, depth: int = 0) -> str:
        """Return an expression that packs `value`, itself an expression, into a cell."""
        return self._text(kind, PACK, value, depth)

    def unpack(self, kind: Kind, cell: str, depth: int = 0) -> str:
        """Return an expression that creates the value from `cell`, itself an expression."""
        return self._text(kind, UNPACK, cell, depth)

    def _text(self, kind: Kind, direction: str, value: str, depth: int) -> str:
        if kinds.is_native(kind):
            return value
        key = kind, direction, depth
        if key not in self._texts:
            macro = getattr(macros(kind.kind), direction)
            self._texts[key] = macro(self, kind, _PLACEHOLDER, depth, self.names)
        return self._texts[key].replace(_PLACEHOLDER, value)

    # -- functions for the templates

    def packer(self, kind: Kind, depth: int) -> str:
        """Return a function that packs the members of a container; "" if none is needed."""
        if kinds.is_native(kind):
            return ""
        x = self.variable("x", depth)
        packed = self.pack(kind, x, depth + 1)
        return _function(packed, x) or f"lambda {x}: {packed}"

    def members(self, kind: Kind, cells: str, depth: int) -> str:
        """Return an argument for a container: an iterable of members unpacked from `cells`."""
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
        """Return a condition that `it` is of the kind; members of containers are not checked."""
        text: str = macros(kind.kind).test(self, kind, it, self.names)
        return text

    def fits(self, kind: Kind, it: str, depth: int) -> str:
        """Return a condition that `it` is of the kind, including the members of containers."""
        macro = getattr(macros(kind.kind), "fits", None)
        if macro is None:
            return self.test(kind, it)
        text: str = macro(self, kind, it, depth, self.names)
        return text

    def alternatives(self, union: Kind) -> list[Kind]:
        """Return the members of a union in the order in which they are tested."""
        return sorted(union.parts, key=_order)

    def member_test(self, union: Kind, part: Kind, it: str, depth: int) -> str:
        """Return a condition that `it` is of this member of a union and of no other."""
        alike = [each for each in union.parts if _container(each) == _container(part)]
        if len(alike) > 1 and part.kind == "container":
            return self.fits(part, it, depth)
        return self.test(part, it)

    def unpacks(self, kind: Kind) -> bool:
        """Return whether the value differs from its cell, so that it has to be unpacked."""
        return self.unpack(kind, "it") != "it"

    variable = staticmethod(loop_variable)
    is_map = staticmethod(kinds.is_map)
    without_none = staticmethod(kinds.without_none)

    def type(self, name: str) -> str:
        """Return an expression for a class of the game, and note its module in `modules`."""
        module, colon, qualname = name.partition(":")
        if not colon:
            module, _, qualname = name.rpartition(".")
        if module not in self.modules:
            self.modules[module] = self.names.module(module)
        return f"{self.modules[module]}.{qualname}"

    def call(self, direction: str, kind: Kind, value: str) -> str:
        """Return a call of the function that packs or unpacks a plain class."""
        function = self.records.function(direction, kind.name)
        arguments = f"{value}, references" if self.records.refers(kind) else value
        return f"{function}({arguments})"

    def call_union(self, direction: str, kind: Kind, value: str) -> str:
        """Return a call of the function that packs or unpacks values of several types."""
        if kind not in self.unions:
            self.unions[kind] = self._union_name(kind)
        arguments = f"{value}, references" if self.records.refers(kind) else value
        return f"_{direction}_{self.unions[kind]}({arguments})"

    def _union_name(self, kind: Kind) -> str:
        names = [
            kinds.dotted_name(annotation_of(part).partition("[")[0])
            for part in kind.parts
        ]
        words = [upper_snake(name.rpartition(".")[2]).lower() for name in names]
        return self.records.suffix("_or_".join(words))

    def codec(self, name: str, codec: str) -> str:
        """Return the name of the object that packs values of a class with a codec."""
        if (name, codec) not in self.codecs:
            simple = upper_snake(kinds.dotted_name(name).rpartition(".")[2])
            self.codecs[name, codec] = self.names.unique(f"_{simple}")
        return self.codecs[name, codec]

    def hashes(self, kind: Kind) -> bool:
        """Return whether a value contains a set or dict with saveable objects as its keys."""
        return any(
            part.name in HASHED and part.parts[0].references
            for part in self.records.reached(kind)
        )

    def record(self, name: str) -> Record:
        return self.records[name]


def _function(expression: str, x: str) -> str:
    """Return `f` if the expression is just `f(x)`, otherwise ""."""
    head = expression.removesuffix(f"({x})")
    return head if head != expression and _IS_FUNCTION.fullmatch(head) else ""


@cache
def macros(kind: str) -> Any:
    return template(f"kinds/{kind}.jinja").module


def _order(kind: Kind) -> int:
    """Return the position in which a member of a union is tested.

    Constants come first because they are also texts or numbers. Assets come last because
    they can be of any type.
    """
    if kind.kind == "enum" or kind.name == "builtins.bool":
        return 0
    return {"builtins.float": 2}.get(kind.name, 3 if kind.kind == "asset" else 1)


def _container(kind: Kind) -> str:
    return "tuple" if kind.name == "fixed_tuple" else kind.name
