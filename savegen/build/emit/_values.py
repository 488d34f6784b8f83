"""Write the code that packs and unpacks the values in one module, with the templates of the kinds."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from savegen.build import kinds
from savegen.build.emit._environment import template
from savegen.build.emit._names import Names, loop_variable
from savegen.build.model import (
    HASHED,
    RECORDS,
    Kind,
    PlainRecord,
    SavedModule,
    annotation_of,
    natural_factory,
    reached_kinds,
    upper_snake,
)

PACK = "pack"
UNPACK = "unpack"

# What code for the registry calls to import an object; the second argument is a builtin.
_IMPORTED = re.compile(r'imported\("([^"]+)"(?:, \w+)?\)')
_IMPORTED_AT_ONCE = sys.stdlib_module_names | {"savegen"}
# What stands for the value in a cached expression: for a name, and for another expression.
_NAME, _EXPRESSION = "\0", "\1"
_NATIVE = frozenset(f"builtins.{name}" for name in "bool int float str bytes".split())
_IS_FUNCTION = re.compile(r"[\w.]+")
_MAX_INLINE = 32  # characters; a longer type of cells gets an alias
_MAX_NAME = 24  # characters of a class name in the name of a function
_REFERRING = (
    *("reference", "class_", "asset", "generator", "method"),
    *("any_", "subclass"),
)


class CellExpressions:
    """Writes expressions for the values of kinds, with the macros of their templates."""

    unpacking = UNPACK  # the macro that creates a value

    def __init__(self, names: Names) -> None:
        self.names = names
        # By kind, name of the macro, depth, and whether the value is just a name.
        self._texts: dict[tuple[Kind, str, int, bool], str] = {}

    def unpack(self, kind: Kind, stored: str, depth: int = 0) -> str:
        """Return an expression that creates the value from `stored`, itself an expression."""
        if kinds.is_native(kind):
            return stored
        return self._text(kind, self.unpacking, stored, depth)

    def _text(self, kind: Kind, name: str, value: str, depth: int) -> str:
        is_name = value.isidentifier() or value == _NAME
        stand_in = _NAME if is_name else _EXPRESSION
        key = kind, name, depth, is_name
        if key not in self._texts:
            macro = getattr(macros(kind.kind), name)
            self._texts[key] = macro(self, kind, stand_in, depth, self.names)
        return self._texts[key].replace(stand_in, value)

    def unpacks(self, kind: Kind) -> bool:
        """Return whether the value differs from its stored form, so that it has to be unpacked."""
        return self.unpack(kind, "it") != "it"

    def members(self, kind: Kind, items: str, depth: int) -> str:
        """Return an argument for a container: an iterable of members unpacked from `items`."""
        x = self.variable("x", depth)
        each = self.unpack(kind, x, depth + 1)
        if each == x:
            return f"*{items}"
        function = _function(each, x)
        is_plain = "." in function  # and not a class with parameters
        return (
            f"*map({function}, {items})" if is_plain else f"{each} for {x} in {items}"
        )

    def members_and_limit(self, kind: Kind, value: str) -> tuple[str, str]:
        """Return code for the members in a stored container, and for their limit, after a comma."""
        has_limit = kinds.container_type(kind).has_limit
        return (f"{value}[1]", f", {value}[0]") if has_limit else (value, "")

    variable = staticmethod(loop_variable)
    container = staticmethod(kinds.container_type)
    scalar = staticmethod(kinds.scalar_type)

    def factory(self, kind: Kind) -> str:
        """Return the factory of a `defaultdict`: that of its class, or the type of its values."""
        if kind.values:
            return self.own_factory(*kind.values)
        name = natural_factory(kind)
        module, _, simple = name.rpartition(".")
        if module == "collections":
            return self.names[simple]
        if module == "builtins" or not name:
            return simple or "None"
        return self.class_factory(kind.parts[1])

    def own_factory(self, code: str, title: str) -> str:
        """Return an expression for the factory that a class gives a field."""
        raise NotImplementedError

    def with_imports(self, code: str, of_game: Callable[[str], str]) -> str:
        """Return code for the registry with names that this module imports or defines.

        `of_game` returns the expression for an object of the game, by its full name.
        """

        def local(match: re.Match[str]) -> str:
            module, _, name = match[1].partition(":")
            first, dot, rest = name.partition(".")
            if module.partition(".")[0] not in _IMPORTED_AT_ONCE:
                return of_game(match[1])
            return f"{self.names.imported_from(module, first)}{dot}{rest}"

        return _IMPORTED.sub(local, code)

    def class_factory(self, kind: Kind) -> str:
        """Return an expression for the factory of objects of a plain class."""
        raise NotImplementedError


class CellValues(CellExpressions):
    """Writes expressions and types of cells for one module, and collects what they need."""

    def __init__(self, module: SavedModule, names: Names) -> None:
        super().__init__(names)
        self._plain_classes = {record.name: record for record in module.records}
        self._reached: dict[Kind, list[Kind]] = {}
        self.modules: dict[str, str] = {}  # module of the game → its name in the text
        # Class and codec → name in the text.
        self.codecs: dict[tuple[str, str], str] = {}
        # The code of a lambda of the game, which is the factory of a field → its name in the text.
        self.factories: dict[str, str] = {}
        self.unions: dict[Kind, str] = {}  # union → the suffix of its functions' names
        self._cells: dict[str, str] = {}  # type of the cells of each plain class
        self.aliases: list[tuple[str, str]] = []  # name and type, dependencies first
        # The rows of recursive classes: name, class, and the name and type of each cell.
        self.rows: list[tuple[str, str, list[tuple[str, str]]]] = []
        fields = (f for cls in module.classes for f in cls.fields if not f.override)
        contained = {kind.name for field in fields for kind in self.reached(field.kind)}
        self.records = [
            each
            for each in module.records
            if each.name in contained and each.style != "subclass"
        ]
        self._suffixes = {
            each.name: self._suffix(upper_snake(each.qualname.replace(".", "_")))
            for each in self.records
        }

    # -- expressions

    def pack(self, kind: Kind, value: str, depth: int = 0) -> str:
        """Return an expression that packs `value`, itself an expression, into a cell."""
        return self._text(kind, PACK, value, depth)

    def named(self, value: str) -> tuple[str, str]:
        """Return how an expression reads a value first, and how it reads the value again."""
        if value.isidentifier() or value == _NAME:
            return value, value
        return f"v := {value}", "v"

    def test(self, kind: Kind, it: str, first: str = "") -> str:
        """Return a condition that `it` is of the kind; members of containers are not checked.

        `first` stands for `it` where the condition reads it first.
        """
        test = macros(kind.kind).test
        text: str = test(self, kind, it, first or it, self.names)
        return text

    def fits(self, kind: Kind, it: str, depth: int) -> str:
        """Return a condition that `it` is of the kind, including the members of containers."""
        macro = getattr(macros(kind.kind), "fits", None)
        if macro is None:
            text = self.test(kind, it)
            return f"({text})" if " or " in text else text
        return str(macro(self, kind, it, depth, self.names))

    def alternatives(self, union: Kind) -> list[Kind]:
        """Return the members of a union in the order in which they are tested."""
        return sorted(union.parts, key=_order)

    def member_test(self, union: Kind, part: Kind, it: str) -> str:
        """Return a condition that `it` is of this member of a union and of no other."""
        alike = [each for each in union.parts if _container(each) == _container(part)]
        if len(alike) > 1 and part.kind == "container":
            return self.fits(part, it, 0)
        return self.test(part, it)

    # -- functions for the templates of the kinds

    def packer(self, kind: Kind, depth: int) -> str:
        """Return a function that packs the members of a container, or their native type."""
        if kind.name in _NATIVE:
            return kind.name.removeprefix("builtins.")
        x = self.variable("x", depth)
        packed = self.pack(kind, x, depth + 1)
        return _function(packed, x) or f"lambda {x}: {packed}"

    def grouped(self, first: str) -> str:
        """Return an expression in parentheses, if it needs them as a part of another one."""
        return f"({first})" if ":=" in first else first

    def none_first(self, union: Kind) -> list[Kind]:
        """Return the members of a union of native types in the order of their tests."""
        names = [part.name for part in union.parts]
        parts = [
            part
            for part in union.parts  # the test of a float allows an int
            if part.name != "builtins.int" or "builtins.float" not in names
        ]
        return sorted(parts, key=lambda part: part.name != "None")

    is_map = staticmethod(kinds.is_map)
    is_native = staticmethod(kinds.is_native)
    base = staticmethod(kinds.base_of_subclass)
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
        """Return a call of the function that packs or unpacks a plain class or a union."""
        if kind.kind == "union":
            if kind not in self.unions:
                self.unions[kind] = self._suffix(_union_name(kind))
            suffix = self.unions[kind]
        else:
            suffix = self._suffixes[kind.name]
        arguments = f"{value}, references" if self.refers(kind) else value
        return f"_{direction}_{suffix}({arguments})"

    def codec(self, name: str, codec: str) -> str:
        """Return the name of the object that packs values of a class with a codec."""
        if (name, codec) not in self.codecs:
            simple = upper_snake(kinds.dotted_name(name).rpartition(".")[2])
            self.codecs[name, codec] = self.names.unique(f"_{simple}")
        return self.codecs[name, codec]

    def plain_class(self, name: str) -> PlainRecord:
        return self._plain_classes[name]

    def factories_in(self, kind: Kind) -> list[str]:
        """Return the factories of `defaultdict`s in a kind, if its stored type does not tell all."""
        inside = [k for k in self.reached(kind) if k.name == "defaultdict"]
        if not any(k.values or ":" in natural_factory(k) for k in inside):
            return []
        return [*dict.fromkeys(map(self.factory, inside))]

    def class_factory(self, kind: Kind) -> str:
        is_dict = self.plain_class(kind.name).style == "typeddict"
        return "None" if is_dict else self.type(kind.name)

    def own_factory(self, code: str, title: str) -> str:
        code = self.with_imports(code, self.type)
        for inner, local in self.factories.items():
            code = code.replace(inner, local)
        if "lambda" in code:
            name = upper_snake(title.rpartition(">.")[2].replace(".", "_"))
            self.factories[code] = self.names.unique(f"_{name}_FACTORY")
            return self.factories[code]
        return code

    # -- functions that pack and unpack plain classes

    def function(self, direction: str, name: str) -> str:
        """Return the name of the function that packs or unpacks a plain class."""
        return f"_{direction}_{self._suffixes[name]}"

    def _suffix(self, name: str) -> str:
        """Return a unique suffix for the names of a `_pack_…` and an `_unpack_…` function."""
        suffix = name.lower()[:_MAX_NAME].rstrip("_")
        return self.names.unique(suffix, "_pack_{}", "_unpack_{}")

    # -- what a kind contains

    def reached(self, kind: Kind) -> list[Kind]:
        """Return a kind and all kinds inside it, including those of fields of plain classes."""
        if kind not in self._reached:
            self._reached[kind] = [*reached_kinds(kind, self._plain_classes)]
        return self._reached[kind]

    def refers(self, kind: Kind) -> bool:
        """Return whether packing a value of the kind needs the argument `references`."""
        return any(part.kind in _REFERRING for part in self.reached(kind))

    def hashes(self, kind: Kind) -> bool:
        """Return whether a value contains a set or dict with saveable objects as its keys."""
        return any(
            part.name in HASHED and part.parts[0].references
            for part in self.reached(kind)
        )

    def unsaved(self, kind: Kind) -> str:
        """Return the attributes that are no fields in objects of plain classes, as arguments."""
        names = {
            name
            for part in self.reached(kind)
            if part.kind in RECORDS
            for name, _ in self.plain_class(part.name).unsaved
        }
        return ", ".join(f'"{name}"' for name in sorted(names))

    # -- types of cells

    def cell_type(self, kind: Kind) -> str:
        """Return the type of the cells of a kind, as an annotation in the module."""
        return self.names.with_local_names(self.cell(kind))

    def cell(self, kind: Kind) -> str:
        text: str = kinds.module_of(kind).cell(kind, self)
        return text

    def record(self, name: str) -> str:
        if name not in self._cells:
            self._cells[name] = self._cell_of_class(name)
        return self._cells[name]

    def row(self, record: PlainRecord) -> str:
        """Return the name of the row for objects of a recursive class; "" for other classes."""
        parts = (kind for _, kind, _ in record.fields)
        inside = (each.name for part in parts for each in self.reached(part))
        return self._cell_name(record.name) if record.name in inside else ""

    def _cell_of_class(self, name: str) -> str:
        record, alias = self._plain_classes[name], self._cell_name(name)
        if self.row(record):
            self._cells[name] = alias
            cells = cell_names(field for field, _, _ in record.fields)
            types = [self.cell_type(kind) for _, kind, _ in record.fields]
            self.rows.append((alias, record.qualname, [*zip(cells, types)]))
            return alias
        # A key that may be absent is wrapped in an array.
        parts = [
            self.cell(kind) if required else f"tuple[{self.cell(kind)}, ...]"
            for _, kind, required in record.fields
        ]
        text = f"tuple[{', '.join(parts) or '()'}]"
        if len(text) <= _MAX_INLINE:
            return text
        self.aliases.append((alias, self.names.with_local_names(text)))
        return alias

    def _cell_name(self, name: str) -> str:
        words = self._suffixes[name].split("_")
        return f"_{''.join(map(str.title, words))}Cell"


def cell_names(fields: Iterable[str]) -> list[str]:
    """Return a unique public name for the cell of each field.

    >>> cell_names(["hp", "__luck", "_hp", "_class", "_1"])
    ['hp', 'luck', 'hp_', 'class_', 'n1']
    """
    names: list[str] = []
    for field in fields:
        name = field.strip("_") or "field"
        if not name.isidentifier():
            name = f"n{name}"
        while keyword.iskeyword(name) or name in names:
            name += "_"
        names.append(name)
    return names


def _function(expression: str, x: str) -> str:
    """Return `f` if the expression is just `f(x)`, otherwise ""."""
    head = expression.removesuffix(f"({x})")
    return head if head != expression and _IS_FUNCTION.fullmatch(head) else ""


@cache
def macros(kind: str) -> Any:
    return template(f"kinds/{kind}.jinja").module


def _union_name(kind: Kind) -> str:
    annotations = (annotation_of(part).partition("[")[0] for part in kind.parts)
    names = (kinds.dotted_name(each).rpartition(".")[2] for each in annotations)
    return "_or_".join(map(upper_snake, names))


def _order(kind: Kind) -> int:
    # Constants come first because they are also texts or numbers. Assets come last because
    # they can be of any type.
    if kind.kind == "enum" or kind.name == "builtins.bool":
        return 0
    return {"builtins.float": 2}.get(kind.name, 3 if kind.kind == "asset" else 1)


def _container(kind: Kind) -> str:
    return "tuple" if kind.name == "fixed_tuple" else kind.name
