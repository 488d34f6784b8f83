"""Plain classes: dataclasses, attrs classes, structs, named tuples, typed dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from msgspec import defstruct
from msgspec.structs import astuple, replace

from savegen.runtime.errors import EXHAUSTED, SaveError, describe_error, exhausted
from savegen.runtime.values.libraries.fields import default_of
from savegen.runtime.values.kinds.choices import (
    ANY,
    DEFAULT_TYPE,
    NOT_SET,
    UNSET_TYPE,
    typed,
)
from savegen.runtime.values.kinds.kind import (
    ARRAY_TYPES,
    KINDS,
    Column,
    Composite,
    StoredKind,
    NameOf,
    Owners,
    Packing,
    Typed,
    enter,
    have_types,
    is_array,
    last_part,
)
from savegen.runtime.values.rows import Misfit, Row, cell_names
from savegen.runtime.values.stored import StoredType, cached_in_type
from savegen.runtime.values.unpack import made_of
from savegen.runtime.values.values import ValueEntry

_ABSENT: Any = object()


class RecordKind(Composite):
    """An array with one cell for each field; a row, if the class is recursive."""

    is_flat = True

    def filler(self, stored: StoredType) -> Any:
        return tuple(
            () if f.may_be_absent else KINDS[f.type.name].filler(f.type)
            for f in stored.inner_fields
        )

    def has_shapes(self, stored: StoredType, column: Column) -> bool:
        if stored.absent or not have_types(ARRAY_TYPES, column):
            return False
        return {*map(len, column)} <= {len(stored.parts)}

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        cells = cells_of(cell) if stored.is_recursive else cell
        if not is_array(cells) or len(cells) != len(stored.parts):
            return False
        return not stored.absent or all(
            is_array(inner) and len(inner) <= 1
            for field, inner in zip(stored.fields, cells)
            if field.may_be_absent
        )

    def columns(
        self, stored: StoredType, column: Column
    ) -> Iterator[tuple[StoredType, Column, Owners]]:
        if stored.absent:
            yield from super().columns(stored, column)
            return
        rows = map(cells_of, column) if stored.is_recursive else column
        for part, cells in zip(stored.inner, zip(*rows)):
            yield part, cells, iter

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        return [
            (field.type, present)
            for field, inner in zip(stored.inner_fields, cells_of(cell), strict=True)
            for present in (inner if field.may_be_absent else (inner,))
        ]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        new = iter(parts)
        cells = [
            type(inner)(next(new) for _ in inner) if field.may_be_absent else next(new)
            for field, inner in zip(stored.fields, cells_of(cell))
        ]
        return type(cell)(*cells) if isinstance(cell, Row) else type(cell)(cells)

    def steps(self, stored: StoredType, cell: Any) -> Iterable[str]:
        return [f".{name}" for name in _present(stored, cell)]

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        entry = packing.values.get(stored.label)
        cls = dict if entry is None or _is_typed_dict(entry) else entry.load()
        is_dict = cls is dict
        if type(value) is not cls:
            raise Misfit(value)
        if is_dict:
            _check_keys(stored, value)
        token, cells = packing.enter(value, stored), list[Any]()
        name = ""
        try:
            for field in stored.inner_fields:
                name = field.name
                part = value.get(name, _ABSENT) if is_dict else attribute(value, name)
                if field.may_be_absent:
                    is_absent = part is _ABSENT
                    packed = () if is_absent else (packing.cell(field.type, part),)
                    cells.append(packed)
                elif part is _ABSENT:
                    raise Misfit(value, f"`{name}` is not set")
                else:
                    cells.append(packing.cell(field.type, part))
        except Misfit as misfit:
            raise misfit.inside(f"[{name!r}]" if is_dict else f".{name}")
        finally:
            packing.leave(token)
        return row_of(stored)(*cells) if _has_rows(stored) else tuple(cells)

    def of_entry(self, entry: ValueEntry, value: Any, packing: Packing) -> Typed:
        """Return an object with its type; a field of another type is of the type `any`."""
        stored, types, cells = entry.type, list[StoredType](), list[Any]()
        token = packing.enter(value)
        try:
            for field in stored.inner_fields:
                part, inner = _typed_field(field.type, value, field.name, packing)
                types.append(part)
                cells.append(inner)
        finally:
            packing.leave(token)
        if tuple(types) == stored.inner:
            return stored, tuple(cells)
        return replace(stored, parts=tuple(types)), tuple(cells)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        fields = dict(zip(_present(stored, cell), self.parts(stored, cell)))
        entry = references._values[stored.label]
        cls = entry.load()
        if entry.type is not stored and entry.type != stored:
            fields = _as_today(cls, entry, stored, fields)
        values = {}
        for name, (part, inner) in fields.items():
            if part.name == "any" and inner[0] == UNSET_TYPE:
                continue
            if part.name == "any" and inner[0] == DEFAULT_TYPE:
                values[name] = _default(cls, name)
                continue
            values[name] = KINDS[part.name].unpack(part, inner, references)
        return values if _is_typed_dict(entry) else made_of(cls, values)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        parts = zip(_present(stored, cell), self.texts(stored, cell, name_of))
        inner = ", ".join(f"{name}={text}" for name, text in parts)
        return f"{last_part(stored.label)}({inner})"


def attribute(value: Any, name: str) -> Any:
    """Return a field of an object; `_ABSENT` if it is not set."""
    try:
        return getattr(value, name)
    except AttributeError:
        return _ABSENT
    except EXHAUSTED as error:
        raise exhausted(f"`{type(value).__qualname__}.{name}`", error) from error
    except Exception as error:  # a property of the game
        raise Misfit(value, f"`{name}` raised {describe_error(error)}") from error


def _typed_field(
    stored: StoredType, value: Any, name: str, packing: Packing
) -> tuple[StoredType, Any]:
    part = attribute(value, name)
    if part is _ABSENT:
        return ANY, NOT_SET
    try:
        return stored, packing.cell(stored, part)
    except Misfit:
        return ANY, typed(part, packing)


def _check_keys(stored: StoredType, value: dict[Any, Any]) -> None:
    for key in value:
        if type(key) is not str or key not in stored.names:
            raise Misfit(value, f"it has a key {key!r}")


def _present(stored: StoredType, cell: Any) -> list[str]:
    """Return the name of each field that a cell has."""
    return [
        field.name
        for field, inner in zip(stored.fields, cells_of(cell))
        for _ in (inner if field.may_be_absent else (inner,))
    ]


def _is_typed_dict(entry: ValueEntry) -> bool:
    """Return whether the class of an entry is a `TypedDict`, whose values are dicts."""
    return isinstance(cls := entry.load(), type) and cls.__mro__[1:2] == (dict,)


def _as_today(
    cls: Any, entry: ValueEntry, stored: StoredType, fields: dict[str, Typed]
) -> dict[str, Typed]:
    """Return the fields of an older record under the names of today, by field number."""
    if entry.type.name not in ("value", "record"):
        raise SaveError(
            f"the save has a record `{stored.label}`, which is no longer one"
        )
    names = dict(zip(stored.numbers, stored.names))
    return {
        field.name: fields.get(names.get(field.number, ""), (ANY, (DEFAULT_TYPE, None)))
        for field in entry.type.fields
    }


def _default(cls: Any, name: str) -> Any:
    make = default_of(cls, name)
    if make is None:
        raise SaveError(
            f"`{cls.__qualname__}` has a new field `{name}` without a default; declare one"
        )
    return make(cls)


# -- recursive classes, whose cells are rows


def cells_of(cell: Any) -> Any:
    """Return the cells of a record, which is a row if its class is recursive."""
    return astuple(cell) if isinstance(cell, Row) else cell


@cached_in_type
def row_of(stored: StoredType) -> type[Row]:
    """Return a row with the cells of a recursive class, as generated code has."""
    names = cell_names(stored.names)
    return defstruct(  # type: ignore[return-value]
        last_part(stored.label), [(n, Any) for n in names], bases=(Row,), gc=False
    )


@cached_in_type
def _has_rows(stored: StoredType) -> bool:
    """Return whether generated code packs objects of a class as rows: it contains itself."""
    parts = chain.from_iterable(part.walk() for part in stored.parts)
    return stored.is_recursive and any(part.label == stored.label for part in parts)


class InnerRecord(StoredKind):
    """The place of a record in itself: `StoredType.inner` has the record there."""

    is_mutable = True

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return False


record = RecordKind()
record.is_mutable = True
enter(RecordKind(), "value")
enter(record, "record")
enter(InnerRecord(), "rec")
