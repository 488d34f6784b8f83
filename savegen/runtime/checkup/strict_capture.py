"""The check of `create_snapshot(strict=True)`: a load would restore every value exactly."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from savegen.runtime.values import mismatches
from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.generated.components import unchecked
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.keys import describe_key
from savegen.runtime.snapshots.to_rows import AnyObjectKeys
from savegen.runtime.values.rows import Mismatch, unfit
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.values.folds import Rules, misfit_path, text, wrong
from savegen.runtime.values.values import Values
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
        _check_mismatches(table, members, world.registry.values)
        _check_columns(table, world)
        for place, obj in enumerate(members):
            pairs = _shared(table, obj, place, owners, world.registry.values)
            shared |= dict.fromkeys(pairs)
    for name in snapshot.as_base:
        if name not in world.registry.saved_as_base({*world.registry.bases}):
            raise SaveError(f"a value would be saved as one of its base: {name}")
    if shared:
        raise SaveError(_sharing_error([*shared]))


def _check_mismatches(table: Table, objects: list[Any], values: Values) -> None:
    for place, cell, typed in table.mismatches(values):
        where = f"{table.entry.display_name}.{cell}"
        if typed[0].name == "unset":
            raise SaveError(f"`{where}` is not set; assign a value in `__init__`")
        path, shown = "", text(*typed)
        description = f"{with_article(typed[0].name)}, {shown}"
        if innermost := _innermost(table, objects[place], cell):
            path, value = innermost
            shown = f"{value!r:.60}" if path else shown
            description = f"{with_article(type(value).__name__)}, {shown}"
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
    path, value, _ = misfit_path(stored, getattr(row, cell))
    return path, value.value if type(value) is Mismatch else value


def _check_columns(table: Table, world: World) -> None:
    for cell, stored in table.entry.class_limited.items():
        column = [getattr(row, cell) for row in table.rows]
        rules = Rules(world.number_at)
        for place in wrong(stored, column, rules):
            path, value, part = misfit_path(stored, column[place], rules)
            where = f"`{table.entry.display_name}.{cell}{path}`"
            is_key = part.name in ("ref", "weak") and type(value) is int
            raise unfit(where, world.at(value) if is_key else value)


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
