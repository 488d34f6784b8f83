"""Prepare the names and expressions for the templates of mixins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from savegen.build import kinds
from savegen.build.emit._cells import CellTypes, cell_names
from savegen.build.emit._expressions import PACK, UNPACK, Expressions
from savegen.build.emit._types import annotation, as_code
from savegen.build.model import Field, Kind, Record, SavedClass

_SIMPLE = ("str", "bytes", "int", "Key")  # types of cells that `!=` compares correctly


class ClassView:
    """The names and fields of one saveable class."""

    def __init__(
        self, cls: SavedClass, expressions: Expressions, cell_types: CellTypes
    ) -> None:
        self.mixin = cls.mixin
        self.name = cls.qualname
        self.enum_member = cls.enum_member
        self.fields_enum = fields_enum(cls)
        self.row = row_name(cls)
        self.differs = differs_function(cls)
        self.subclasses = cls.subclasses
        self.suffix = "_" if cls.has_override else ""
        self.fields = [
            FieldView(field, cell, cls, expressions, cell_types)
            for field, cell in zip(cls.fields, class_cells(cls), strict=True)
        ]

    @property
    def saved(self) -> list[FieldView]:
        """The fields that savegen itself saves."""
        return [field for field in self.fields if not field.override]

    @property
    def exposed(self) -> list[FieldView]:
        return [field for field in self.fields if field.exposed is not None]

    @property
    def other_names(self) -> str:
        """The arguments of `field_names(…)` for fields whose cells have other names.

        Each is the text `, cell="name"`.
        """
        renamed = [f for f in self.fields if f.name != f.cell]
        return "".join(f", {f.cell}={as_code(f.name)}" for f in renamed)


class FieldView:
    """The names and expressions of one field."""

    def __init__(
        self,
        field: Field,
        cell: str,
        cls: SavedClass,
        expressions: Expressions,
        cell_types: CellTypes,
    ) -> None:
        self.cell = cell
        self.attribute = field.attribute
        self.enum_member = field.enum_member
        self.number = field.number
        self.key = f"{fields_enum(cls)}.{field.enum_member}"
        self.override = field.override
        self.exposed = field.exposed
        self.name = field.name
        self._field = field
        self._guarded = cls.guards_assignment
        self._names = expressions.names
        self._expressions = expressions
        self._cell_types = cell_types

    @cached_property
    def cell_type(self) -> str:
        """The type of the cell; `Any` for a field that its class saves itself."""
        if self.override:
            return self._names.Any
        return self._cell_types.annotation(self._field.kind)

    @property
    def packed(self) -> str:
        return self._expressions.pack(self._field.kind, f"self.{self.attribute}")

    @property
    def load(self) -> str:
        """The statement that sets the field from its cell."""
        cell, names = f"data.{self.cell}", self._names
        value = self._expressions.unpack(self._field.kind, cell)
        waits_for_hash = self._expressions.hashes(self._field.kind)
        if self._is_filled_later:
            value, waits_for_hash = f"references.set_of({cell})", False
        if not (waits_for_hash or self._guarded or self._field.setter):
            return f"self.{self.attribute} = {value}"
        function = names.set_property if self._field.setter else names.set_field
        call = f'{function}(self, "{self.attribute}", {value})'
        # An object must have its fields before it can be hashed.
        return f"references.when_filled(lambda: {call})" if waits_for_hash else call

    @property
    def _is_filled_later(self) -> bool:
        """Whether it is a set of objects.

        A load fills it when all its members have their fields.
        """
        kind = self._field.kind
        if kind.name != "set" or self._field.setter:
            return False
        text = self._expressions.unpack(kind, "")
        return text == "{*map(references.get_component, )}"

    @property
    def empty(self) -> str:
        """The value for an empty cell if other cells are loaded later; "" if none are.

        An empty cell has no members to wait for, so its value is set at once.
        """
        if self._guarded or self._field.setter or self._is_filled_later:
            return ""
        waits_for_hash = self._expressions.hashes(self._field.kind)
        empty = _EMPTY.get(self._field.kind.name, "") if waits_for_hash else ""
        return empty and empty % f"data.{self.cell}"

    @property
    def differs(self) -> str:
        """An expression that is true if the field of `o` may differ from its cell in `row`."""
        kind, cell = self._field.kind, f"row.{self.cell}"
        packed = self._expressions.pack(kind, f"o.{self.attribute}")
        if self._field.setter:  # the property may return a new object each time
            return f"{self._names.differ}({packed}, {cell})"
        if kinds.is_native(kind) or _is_native_tuple(kind):
            return f"o.{self.attribute} is not {cell}"
        if packed == f"references.key_of(o.{self.attribute})":
            return f"references.get_component({cell}) is not o.{self.attribute}"
        if self.cell_type in _SIMPLE:
            grouped = f"({packed})" if " if " in packed else packed
            return f"{grouped} != {cell}"
        if kind.name in ("list", "set", "frozenset"):
            return packed.replace("(", f"_differs({cell}, ", 1)
        return f"{self._names.differ}({packed}, {cell})"

    @property
    def mapping(self) -> str:
        """The argument for the field in `get_param_name_mappings`."""
        shown = as_code(annotation(self._field.type))
        if self.exposed != self.name:
            shown = f'({shown}, "{self.exposed}")'
        if self.name.startswith("__"):  # Python would mangle it
            return f'**{{"{self.name}": {shown}}}'
        return f"{self.name}={shown}"


# Not `set()`, because type checkers would require an annotation.
_EMPTY = {"set": "{*%s}", "frozenset": "frozenset(%s)", "dict": "dict(%s)"}


def _is_native_tuple(kind: Kind) -> bool:
    """Return whether the kind is a tuple whose cell is the tuple itself."""
    is_tuple = kind.name in ("tuple", "fixed_tuple")
    return is_tuple and all(kinds.is_native(part) for part in kind.parts)


class RecordView:
    """The functions that pack and unpack objects of one plain class."""

    def __init__(self, record: Record, expressions: Expressions) -> None:
        records, names = expressions.records, expressions.names
        self._names = names
        self.name = record.qualname
        self.style = record.style
        self.pack = records.function(PACK, record.name)
        self.unpack = records.function(UNPACK, record.name)
        is_dict = record.style == "typeddict"
        self.cls = "" if is_dict else expressions.type(record.name)
        refers = records.refers(record.kind)
        self.references = [f"references: {names.References}"] if refers else []
        is_recursive = records.is_recursive(record)
        self.row = records.cell_type_name(record.name) if is_recursive else ""
        names_of_cells = cell_names(name for name, _, _ in record.fields)
        self.fields = [
            RecordFieldView(
                name,
                names_of_cells[n],
                expressions.pack(
                    kind, f'value["{name}"]' if is_dict else f"value.{name}"
                ),
                expressions.unpack(kind, cell_code if required else f"{cell_code}[0]"),
                required,
                cell_code,
            )
            for n, (name, kind, required) in enumerate(record.fields)
            for cell_code in [f"cell.{names_of_cells[n]}" if self.row else f"cell[{n}]"]
        ]
        if record.style in ("dataclass", "attrs", "struct"):
            function = "struct" if record.style == "struct" else "made"
            self.constructor = f"{names.unpack}.{function}"

    @property
    def test(self) -> str:
        """An expression that is true if a value is of the class."""
        if self.cls:
            return f"type(value) is {self.cls}"
        keys = "".join(f', "{field.name}"' for field in self.fields)
        return f"{self._names.has_keys}(value{keys})"

    @property
    def fails(self) -> str:
        """An expression that is true if a value is not of the class."""
        return self.test.replace(" is ", " is not ") if self.cls else f"not {self.test}"

    @property
    def parts(self) -> list[str]:
        """The expressions for the cells of a value, one per field."""
        return [
            (
                field.packed
                if field.required
                else f'({field.packed},) if "{field.name}" in value else ()'
            )
            for field in self.fields
        ]

    @property
    def keywords(self) -> str:
        """The keyword arguments for a new object, with a leading comma."""
        return "".join(f", {field.name}={field.unpacked}" for field in self.fields)

    @property
    def row_arguments(self) -> list[str]:
        """The arguments for the row of a recursive class."""
        pairs = zip(self.fields, self.parts, strict=True)
        return [f"{field.cell}={part}" for field, part in pairs]


class UnionView:
    """The functions that pack and unpack values of several types."""

    def __init__(self, kind: Kind, suffix: str, expressions: Expressions) -> None:
        self.pack, self.unpack = f"_pack_{suffix}", f"_unpack_{suffix}"
        refers, names = expressions.records.refers(kind), expressions.names
        self.references = [f"references: {names.References}"] if refers else []
        self._kind = kind
        self._expressions = expressions

    @property
    def packed(self) -> Iterator[tuple[str, str]]:
        """Yield a condition and a cell for each member; the cell begins with its position."""
        for part in self._expressions.alternatives(self._kind):
            cells: list[str] = ["None"] * len(self._kind.parts)
            position = self._kind.parts.index(part)
            cells[position] = self._expressions.pack(part, "value")
            test = self._expressions.member_test(self._kind, part, "value", 0)
            yield test, f"{position}, {', '.join(cells)}"

    @property
    def unpacked(self) -> list[tuple[int, str]]:
        """The position of each member, with an expression for its value."""
        parts = enumerate(self._kind.parts)
        unpack = self._expressions.unpack
        return [(n, unpack(part, f"cell[{n + 1}]")) for n, part in parts]


class RecordFieldView(NamedTuple):
    """The names and expressions for one field of a plain class."""

    name: str
    cell: str
    packed: str
    unpacked: str
    required: bool
    cell_code: str  # expression for its cell


def _stem(cls: SavedClass) -> str:
    stem = cls.mixin.removesuffix("SaveLoad")
    # A name that begins with two underscores would be mangled in the mixin.
    return f"_{stem.lstrip('_')}" if stem.startswith("__") else stem


def fields_enum(cls: SavedClass) -> str:
    """Return the name of the enumeration with a class's fields."""
    return f"{_stem(cls)}Fields"


def row_name(cls: SavedClass) -> str:
    """Return the name of the row type of a class."""
    return f"{_stem(cls)}Data"


def differs_function(cls: SavedClass) -> str:
    """Return the name of the function that compares an object with its row; "" if none exists."""
    return (
        ""
        if cls.has_override or not cls.fields
        else f"{cls.enum_member.lower()}_differs"
    )


def class_cells(cls: SavedClass) -> list[str]:
    return cell_names(field.name for field in cls.fields)


def taken_names(classes: tuple[SavedClass, ...]) -> set[str]:
    """Return the names of definitions and fields in the generated module of some classes."""
    taken: set[str] = set()
    for cls in classes:
        taken |= {field.attribute for field in cls.fields} | {*class_cells(cls)}
        taken |= {cls.mixin, fields_enum(cls), row_name(cls), differs_function(cls)}
    return taken - {""}
