"""The check of `create_snapshot(strict=True)`: a load would restore every value exactly."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from savegen.runtime.values import fits, mismatches
from savegen.runtime.generated.components import is_saveable_object, unchecked
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.keys import describe_key
from savegen.runtime.snapshots.to_rows import AnyObjectKeys
from savegen.runtime.values.rows import unfit
from savegen.runtime.snapshots.hashing import unhashable_cells
from savegen.runtime.snapshots.snapshot import Snapshot, Table
from savegen.runtime.values.tagged import Tag, describe, is_absent
from savegen.runtime.values.values import Values
from savegen.runtime.world.world import World


def check(snapshot: Snapshot, world: World) -> None:
    """Raise `SaveError` at the first value that a load would not restore exactly."""
    for lost in snapshot.lost:
        raise SaveError(
            f"`{lost.class_name}.{lost.field}` cannot be saved: {lost.value}"
        )
    owners: dict[int, tuple[str, Any]] = {}
    shared: dict[str, None] = {}
    for table in snapshot.tables.values():
        members = [*map(world.at, table.keys)]
        _check_mismatches(table, members)
        _check_columns(table, world)
        _check_hashes(table, snapshot, world)
        for place, obj in enumerate(members):
            pairs = _shared(table, obj, place, owners, world.registry.values)
            shared |= dict.fromkeys(pairs)
    if shared:
        raise SaveError(_sharing_error([*shared]))


def _check_mismatches(table: Table, objects: list[Any]) -> None:
    for place, cells in table.mismatches.items():
        for cell, tagged in cells.items():
            where = f"{table.entry.display_name}.{cell}"
            if is_absent(tagged):
                raise SaveError(f"`{where}` is not set; assign a value in `__init__`")
            path, description = (
                "",
                f"{with_article(_kind_of(tagged))}, {describe(tagged)}",
            )
            if innermost := _innermost(table, objects[place], cell):
                path, value = innermost
                text = f"{value!r:.60}" if path else describe(tagged)
                description = f"{with_article(type(value).__name__)}, {text}"
            raise unfit(f"`{where}{path}`", None, description)


def _innermost(table: Table, obj: Any, cell: str) -> tuple[str, Any] | None:
    """Return the path in a cell to the value that does not fit, and that value.

    Return `None` if the object cannot be packed alone.
    """
    try:
        with mismatches.collected():
            save = unchecked(table.entry.marked_class().save_data)
            row = save(obj, AnyObjectKeys())
    except Exception:
        return None
    stored = table.entry.stored_by_cell[cell]
    return fits.innermost(getattr(row, cell), stored)[:2]


def _check_columns(table: Table, world: World) -> None:
    for cell, stored in table.entry.class_limited.items():
        column = [getattr(row, cell) for row in table.rows]
        for place in fits.find_mismatches(stored, column, fits.Rules(world.number_at)):
            path, value, part = fits.innermost(
                column[place], stored, fits.Rules(world.number_at)
            )
            where = f"`{table.entry.display_name}.{cell}{path}`"
            is_key = part.name in ("ref", "weak") and type(value) is int
            raise unfit(where, world.at(value) if is_key else value)


def _check_hashes(table: Table, snapshot: Snapshot, world: World) -> None:
    for place, cell, fault in unhashable_cells(table, snapshot, world.number_at):
        where = (
            f"`{table.entry.display_name}.{cell}` ({describe_key(table.keys[place])})"
        )
        raise SaveError(f"{where} could not be loaded: {fault}")


def _kind_of(tagged: Any) -> str:
    is_native = type(tagged) not in (tuple, list)
    return type(tagged).__name__ if is_native else Tag(tagged[0]).name.lower()


def _shared(
    table: Table,
    obj: Any,
    place: int,
    owners: dict[int, tuple[str, Any]],
    values: Values,
) -> Iterator[str]:
    """Yield the fields that hold one mutable value.

    `owners` maps the `id` of each value to its field and the value, which is thus kept alive.
    """
    for cell, attribute in table.entry.attributes_by_cell.items():
        where = f"`{type(obj).__qualname__}.{cell}` ({describe_key(table.keys[place])})"
        for part in _mutable_parts(mismatches.value_of(obj, attribute), values):
            if id(part) in owners:
                kind = type(part).__qualname__
                yield f"{owners[id(part)][0]} and {where} hold one {kind}"
            owners.setdefault(id(part), (where, part))


def _sharing_error(pairs: list[str]) -> str:
    more = len(pairs) - _MAX_LISTED
    listed = [*pairs[:_MAX_LISTED], *([f"and {more} more"] if more > 0 else [])]
    return (
        f"{'; '.join(listed)}: after a load they would hold two; give each its own, or"
        " make it an object with `@saveable`"
    )


_MAX_LISTED = 5


_MUTABLE = (list, dict, set, bytearray, deque)


def _mutable_parts(value: Any, values: Values) -> Iterator[Any]:
    """Yield the mutable parts of a value, except objects that are saved by reference."""
    cls = type(value)
    if cls in _IMMUTABLE or is_saveable_object(value):
        return
    entry = values.of(cls)
    if entry is not None and entry.type.name in ("value", "record"):
        if entry.type.name == "record":
            yield value
        for field in entry.type.fields:
            part = mismatches.value_of(value, field.name)
            yield from _mutable_parts(part, values)
        return
    if isinstance(value, _MUTABLE):
        yield value
    if isinstance(value, dict):
        members: Iterable[Any] = chain(value, value.values())
    else:
        has_members = isinstance(value, (list, set, tuple, frozenset, deque))
        members = value if has_members else ()
    for member in members:
        yield from _mutable_parts(member, values)


_IMMUTABLE = frozenset([bool, int, float, complex, str, bytes, type(None)])
