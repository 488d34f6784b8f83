"""The check of `create_snapshot(strict=True)`: a load would restore every value exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from savegen.runtime.values import folds, mismatches
from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.generated.field_by_field import factories_in, packed_cell
from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.basics.keys import describe_key
from savegen.runtime.values.kinds.kind import kind_of
from savegen.runtime.values.rows import Misfit, short_path, unfit
from savegen.runtime.snapshots.hashing import unhashable_cells
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.values.stored import RECORDS
from savegen.runtime.values.values import Values
from savegen.runtime.world.building import IMMUTABLE, LocalKeys
from savegen.runtime.world.world import World


def check(snapshot: Snapshot, world: World) -> None:
    """Raise `SaveError` at the first value that a load would not restore exactly."""
    tables = [
        (table, [*map(world.at, table.keys)]) for table in snapshot.tables.values()
    ]
    lost = {(each.key, each.field) for each in snapshot.lost}
    for table, members in tables:
        _check_mismatches(table, members, world, lost)
        _check_classes(table, world.registry.values)
    for each in snapshot.lost:
        raise SaveError(f"`{each.where}` cannot be saved: {each.value}")
    owners: dict[int, tuple[str, Any]] = {}
    shared: dict[str, None] = {}
    for table, members in tables:
        _check_columns(table, world)
        _check_hashes(table, snapshot, world)
        for place, obj in enumerate(members):
            pairs = _shared(table, obj, place, owners, world.registry.values)
            shared |= dict.fromkeys(pairs)
    for name in snapshot.as_base:
        if name not in world.registry.saved_as_base({*world.registry.bases}):
            raise SaveError(f"a value would be saved as one of its base: {name}")
    if shared:
        raise SaveError(_sharing_error([*shared]))


def _check_mismatches(
    table: Table, objects: list[Any], world: World, lost: set[tuple[Any, str]]
) -> None:
    values = world.registry.values
    for place, cell, found in table.mismatches(values, world.number_at):
        where = table.entry.title(cell)
        if found.typed[0].name == "unset":
            raise SaveError(f"`{where}` is not set; assign a value in `__init__`")
        if (table.keys[place], table.entry.names_by_cell[cell]) in lost:
            continue  # it is told with the reason
        value = table.entry.value_of(objects[place], cell)
        try:
            stored = table.entry.stored_by_cell[cell]
            factories = factories_in(table.entry.mixin, cell)
            references = LocalKeys(values=values, takes_all=True)
            packed_cell(stored, value, references, values, factories)
        except Misfit as misfit:
            raise _error(where, misfit) from None
        raise unfit(f"`{where}`", value, _described(value))


def losses_in(table: Table, values: Values) -> Iterator[tuple[int, str, folds.Loss]]:
    """Yield what a file cannot hold of the extras, each with the position and the cell."""
    references = LocalKeys(values=values, takes_all=True)
    for place, extras in table.extras.items():
        for cell, typed in extras.items():
            for loss in folds.settled(typed, references)[1]:
                yield place, cell, loss


def _check_classes(table: Table, values: Values) -> None:
    for _, cell, loss in losses_in(table, values):
        if loss.base is not None:
            where = f"`{table.entry.title(cell)}{short_path(loss.path)}`"
            raise SaveError(
                f"{where} holds {with_article(loss.class_name)}, which a file would hold as"
                f" {with_article(loss.base.__qualname__)}: the build has not seen the class"
            )


def _error(where: str, misfit: Misfit) -> SaveError:
    where = f"`{where}{short_path(misfit.path)}`"
    if misfit.fault:
        return SaveError(
            f"{where}: {misfit.fault}; assign another value, or change the annotation"
        )
    return unfit(where, misfit.value, _described(misfit.value))


def _described(value: Any) -> str:
    described = with_article(type(value).__qualname__)
    try:
        return f"{described}, {value!r:.60}"
    except Exception:  # raised by its class
        return described


def _check_columns(table: Table, world: World) -> None:
    for cell, stored in table.entry.class_limited.items():
        column = [getattr(row, cell) for row in table.rows]
        for place in folds.wrong(stored, column, folds.Rules(world.number_at)):
            path, value, part = folds.misfit_path(
                stored, column[place], folds.Rules(world.number_at)
            )
            where = f"`{table.entry.title(cell)}{path}`"
            is_key = part.name in ("ref", "weak") and type(value) is int
            raise unfit(where, world.at(value) if is_key else value)


def _check_hashes(table: Table, snapshot: Snapshot, world: World) -> None:
    for place, cell, fault in unhashable_cells(table, snapshot, world.number_at):
        where = (
            f"`{table.entry.display_name}.{cell}` ({describe_key(table.keys[place])})"
        )
        raise SaveError(f"{where} could not be loaded: {fault}")


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
        where = f"`{table.entry.title(cell)}` ({describe_key(table.keys[place])})"
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


def _mutable_parts(value: Any, values: Values) -> Iterator[Any]:
    """Yield the mutable parts of a value, except objects that are saved by reference."""
    cls = type(value)
    if cls in IMMUTABLE or is_saveable_object(value):
        return
    entry = values.of(cls)
    if entry is not None and entry.type.name in RECORDS:
        if entry.type.name == "record":
            yield value
        for field in entry.type.fields:
            part = mismatches.value_of(value, field.name)
            yield from _mutable_parts(part, values)
        return
    kind = kind_of(cls)
    if kind is not None and kind.has_content:
        if kind.is_mutable:
            yield value
        for member in kind.held(value):
            if type(member) not in IMMUTABLE:
                yield from _mutable_parts(member, values)
