"""Generate a file of mixins for each source file with saveable classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.build import kinds
from savegen.build.emit._environment import render
from savegen.build.emit._names import Names, growing_items
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._types import annotation, as_code
from savegen.build.emit._values import PACK, UNPACK, CellValues, cell_names
from savegen.build.model import Field, Kind, PlainRecord, SavedClass, SavedModule


def of_module(module: SavedModule, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of the mixins of a module, if it has saveable classes."""
    if module.classes:
        yield layout.mixins(module), _mixins(module, layout)


def _mixins(module: SavedModule, layout: Layout) -> str:
    names = Names(_taken_names(module.classes), layout.types_module(module))
    values = CellValues(module, names)
    unions = growing_items(values.unions)
    return render(
        "components.jinja",
        header=HEADER.format(module.path),
        module=module.name,
        classes=[_ClassView(cls, values) for cls in module.classes],
        records=[_RecordView(record, values) for record in values.records],
        unions=(_UnionView(kind, suffix, values) for kind, suffix in unions),
        v=values,
        n=names,
    )


# -- the names of definitions


def _stem(cls: SavedClass) -> str:
    stem = cls.mixin.removesuffix("SaveLoad")
    # A name that begins with two underscores would be mangled in the mixin.
    return f"_{stem.lstrip('_')}" if stem.startswith("__") else stem


def _fields_enum(cls: SavedClass) -> str:
    """Return the name of the enumeration with a class's fields."""
    return f"{_stem(cls)}Fields"


def row_name(cls: SavedClass) -> str:
    """Return the name of the row type of a class."""
    return f"{_stem(cls)}Data"


def differs_function(cls: SavedClass) -> str:
    """Return the name of the function that compares an object with its row; "" if none exists."""
    if cls.has_override or not any(map(_is_compared_by_identity, cls.fields)):
        return ""
    return f"{cls.enum_member.lower()}_differs"


def cells_apart(cls: SavedClass) -> list[str]:
    """Return the cells that this function does not compare; the run time packs their fields."""
    fields = zip(cls.fields, _class_cells(cls), strict=True)
    return [cell for field, cell in fields if not _is_compared_by_identity(field)]


def _is_compared_by_identity(field: Field) -> bool:
    """Return whether a field is unchanged if its value is the object in the cell, or its key's.

    The members of a list are compared like this, too.
    """
    # A property may return a new object each time.
    return not field.setter and (
        _is_reference(field.kind)
        or _is_own_cell(field.kind)
        or _is_list_of_cells(field.kind)
    )


def _is_own_cell(kind: Kind) -> bool:
    """Return whether packing returns a value itself."""
    if kind.name in ("tuple", "fixed_tuple"):
        # Packing makes a new tuple if a member may be of several types.
        return all(map(_is_of_one_type, kind.parts))
    inner = kinds.without_none(kind) if kind.kind == "union" else None
    return kinds.is_native(kind) or (inner is not None and _is_own_cell(inner))


def _is_list_of_cells(kind: Kind) -> bool:
    return kind.name == "list" and _is_own_cell(kind.parts[0])


def _is_of_one_type(kind: Kind) -> bool:
    return kinds.is_native(kind) and kind.kind == "scalar" and kind.name != "None"


def _is_reference(kind: Kind) -> bool:
    return kind.kind == "reference" and kind.name != "weakref.ref"


def _class_cells(cls: SavedClass) -> list[str]:
    return cell_names(field.name for field in cls.fields)


def _taken_names(classes: tuple[SavedClass, ...]) -> set[str]:
    """Return the names of definitions and fields in the generated module of some classes."""
    taken: set[str] = set()
    for cls in classes:
        taken |= {field.attribute for field in cls.fields} | {*_class_cells(cls)}
        taken |= {cls.mixin, _fields_enum(cls), row_name(cls), differs_function(cls)}
    return taken - {""}


# -- the names and expressions for the template


class _ClassView:
    """The names and fields of one saveable class."""

    def __init__(self, cls: SavedClass, values: CellValues) -> None:
        self.mixin = cls.mixin
        self.name = cls.qualname
        self.enum_member = cls.enum_member
        self.fields_enum = _fields_enum(cls)
        self.row = row_name(cls)
        self.differs = differs_function(cls)
        self.subclasses = cls.subclasses
        self.suffix = "_" if cls.has_override else ""
        cells = zip(cls.fields, _class_cells(cls), strict=True)
        self.fields = [_field_view(field, cell, cls, values) for field, cell in cells]
        self.has_variable = any("v := " in view.packed for view in self.fields)
        self.conditions = " or ".join(v.differs for v in self.fields if v.differs)
        pairs = [(view.cell, view.field.name) for view in self.fields]
        renamed = [f"{cell}={as_code(name)}" for cell, name in pairs if cell != name]
        self.names = [self.row, *renamed]  # the arguments of `field_names`
        # By cell, those that the stored type of a field does not tell.
        self.factories = [
            (view.cell, factories)
            for view in self.fields
            if not view.field.override
            and (factories := values.factories_in(view.field.kind))
        ]
        # The arguments of `param_names`.
        exposed = (f for f in cls.fields if f.exposed is not None)
        self.parameters = [_parameter(field) for field in exposed]


class _FieldView(NamedTuple):
    """The names and expressions of one field."""

    field: Field
    cell: str
    cell_type: str
    packed: str
    load: str = ""  # the statement that sets the field; "" if its class saves it itself
    load_empty: str = ""  # the statement for an empty cell; "" if it needs no other one
    # A condition that the field of `o` is not its cell in `row`; "" if that is not compared so.
    differs: str = ""


def _field_view(
    field: Field, cell: str, cls: SavedClass, values: CellValues
) -> _FieldView:
    names, kind = values.names, field.kind
    if field.override:
        return _FieldView(field, cell, names.Any, names.UNSET)
    packed = values.pack(kind, f"self.{field.attribute}")
    cell_type = values.cell_type(kind)
    load, load_empty = _load(field, f"data.{cell}", cls.guards_assignment, values)
    differs = ""
    if _is_compared_by_identity(field):
        here, there = f"o.{field.attribute}", f"row.{cell}"
        if _is_list_of_cells(kind):
            differs = f"{values.names.members_differ}({here}, {there})"
        elif _is_reference(kind):
            differs = f"{here} is not references.get_component({there})"
        else:
            differs = f"{here} is not {there}"
    return _FieldView(field, cell, cell_type, packed, load, load_empty, differs)


def _load(
    field: Field, cell: str, is_guarded: bool, values: CellValues
) -> tuple[str, str]:
    """Return the statements that set a field from its cell, and from an empty cell."""
    names = values.names
    target, value = f"o.{field.attribute}", values.unpack(field.kind, cell)
    waits_for_hash = values.hashes(field.kind)
    is_assigned = not (is_guarded or field.setter)
    # An object must have its fields before it can be hashed, but an empty cell has no objects.
    empty = _EMPTY.get(field.kind.name, "") if waits_for_hash and is_assigned else ""
    load_empty = empty and f"{target} = {empty % cell}"
    if value == f"{{*map(references.get_component, {cell})}}" and not field.setter:
        # A load fills a set of objects when all its members have their fields.
        value, waits_for_hash = f"{names.unpack}.set_of({cell}, references)", False
    before = f'{names.unpack}.existing(o, "{field.attribute}")'
    if kinds.is_group(field.kind):  # a load fills the group that the object has
        value = f"{value[:-1]}, {before})"
    elif unsaved := values.unsaved(field.kind):
        value = f"{names.unpack}.keeping({value}, {before}, {unsaved})"
    load = f"{target} = {value}"
    if waits_for_hash or not is_assigned:
        function = names.set_property if field.setter else names.set_field
        load = f'{function}(o, "{field.attribute}", {value})'
    if waits_for_hash:
        load = f"{names.unpack}.when_filled(references, lambda: {load})"
    return load, load_empty


# Not `set()`, because type checkers would require an annotation.
_EMPTY = {"set": "{*%s}", "frozenset": "frozenset(%s)", "dict": "dict(%s)"}


def _parameter(field: Field) -> str:
    """Return the argument for a field in `get_param_name_mappings`."""
    shown = as_code(annotation(field.type))
    if field.exposed != field.name:
        shown = f'({shown}, "{field.exposed}")'
    if field.name.startswith("__"):  # Python would mangle it
        return f'**{{"{field.name}": {shown}}}'
    return f"{field.name}={shown}"


class _RecordView:
    """The functions that pack and unpack objects of one plain class."""

    def __init__(self, record: PlainRecord, values: CellValues) -> None:
        names = values.names
        self.name = record.qualname
        self.is_dict = record.style == "typeddict"
        self.pack = values.function(PACK, record.name)
        self.unpack = values.function(UNPACK, record.name)
        self.references = _references(record.kind, values)
        self.row = values.row(record)
        cls = "" if self.is_dict else values.type(record.name)
        cells = cell_names(name for name, _, _ in record.fields)
        self.packed = []  # the cells of a value
        self.unpacked = []  # the arguments of a new object
        self.entries = []  # the same for a dict
        self.optional = []  # entries that may be absent: name, value and condition
        for n, (name, kind, required) in enumerate(record.fields):
            cell = f"cell.{cells[n]}" if self.row else f"cell[{n}]"
            value = f'value["{name}"]' if self.is_dict else f"value.{name}"
            packed = values.pack(kind, value)
            if not required:
                packed = f'({packed},) if "{name}" in value else ()'
            self.packed.append(f"{cells[n]}={packed}" if self.row else packed)
            unpacked = values.unpack(kind, cell if required else f"{cell}[0]")
            if required:
                self.entries.append(f'"{name}": {unpacked}')
            else:
                self.optional.append((name, unpacked, cell))
            is_tuple = record.style == "namedtuple"
            self.unpacked.append(unpacked if is_tuple else f"{name}={unpacked}")
        self.fails = f"type(value) is not {cls}"
        if self.is_dict:
            keys = "".join(f', "{name}"' for name, _, _ in record.fields)
            self.fails = f"not {names.has_keys}(value{keys})"
        self.constructor = cls
        if record.style in ("dataclass", "attrs", "struct"):
            function = "struct" if record.style == "struct" else "made"
            self.constructor = f"{names.unpack}.{function}"
            self.unpacked += [f"{name}={code}" for name, code in record.unsaved if code]
            self.unpacked.insert(0, cls)


class _UnionView:
    """The functions that pack and unpack values of several types."""

    def __init__(self, kind: Kind, suffix: str, values: CellValues) -> None:
        self.pack, self.unpack = f"_pack_{suffix}", f"_unpack_{suffix}"
        self.references = _references(kind, values)
        self._kind = kind
        self._values = values

    @property
    def packed(self) -> Iterator[tuple[str, str]]:
        """Yield a condition and a cell for each member; the cell begins with its position."""
        for part in self._values.alternatives(self._kind):
            cells: list[str] = ["None"] * len(self._kind.parts)
            position = self._kind.parts.index(part)
            test = self._values.member_test(self._kind, part, "value")
            fails = f" if {test} else {self._values.names.misfit}(value)"
            cells[position] = self._values.pack(part, "value").removesuffix(fails)
            yield test, f"{position}, {', '.join(cells)}"

    @property
    def unpacked(self) -> list[tuple[int, str]]:
        """The position of each member, with an expression for its value."""
        parts = enumerate(self._kind.parts)
        unpack = self._values.unpack
        return [(n, unpack(part, f"cell[{n + 1}]")) for n, part in parts]


def _references(kind: Kind, values: CellValues) -> str:
    """Return the parameter `references` of a function, if it needs one."""
    refers = values.refers(kind)
    return f", references: {values.names.References}" if refers else ""
