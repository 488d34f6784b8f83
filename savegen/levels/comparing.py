"""Compare two versions of a level by placement ids, the names by which saves find objects."""

from __future__ import annotations

from typing import NamedTuple

from savegen.levels.layout import Layout, PlacedObject
from savegen.levels.places import MIDDLE, ObjectPosition, object_positions


class ComparedObject(NamedTuple):
    """The prefab, position and size of an object in one version of a level."""

    prefab: str  # its `$type`
    x: float  # of its centre, in units
    y: float
    size: tuple[int, int] | None  # of a tile, in units

    @property
    def at(self) -> str:
        """The position as text."""
        return f"{round(self.x, 2):g}, {round(self.y, 2):g}"


class Change(NamedTuple):
    """The difference of one placement id between two versions of a level."""

    kind: str  # "moved", "resized", "replaced", "added" or "removed"
    id: str
    old: ComparedObject | None
    new: ComparedObject | None


def changes(old: Layout, new: Layout) -> list[Change]:
    """Return the differences between two layouts: removed ids, then others in the new order.

    If the level has a new name, objects in the same cells still count as the same.
    """
    before, after = _objects(old, new.name), _objects(new, new.name)
    removed = [
        Change("removed", id, before[id], None) for id in before if id not in after
    ]
    others = [
        Change(kind, id, before.get(id), compared)
        for id, compared in after.items()
        if (kind := _kind(before.get(id), compared))
    ]
    return [*removed, *others]


def _kind(old: ComparedObject | None, new: ComparedObject) -> str:
    if old is None:
        return "added"
    if old.prefab != new.prefab:
        return "replaced"
    if old.size != new.size:
        return "resized"
    return "" if old == new else "moved"


def _objects(layout: Layout, name: str) -> dict[str, ComparedObject]:
    """Return the objects of a layout by their ids, as if the level were called `name`."""
    return {
        _id(position.placed, layout.name, name): _compared(position)
        for position in object_positions(layout, None, MIDDLE)
    }


def _compared(position: ObjectPosition) -> ComparedObject:
    placed, (x, y, _), scale = position
    size = None if scale is None else (placed.width, placed.height)
    return ComparedObject(placed.entry.type_name, x, y, size)


def _id(placed: PlacedObject, level: str, name: str) -> str:
    if placed.id == placed.entry.id:
        return placed.id
    return name + placed.id.removeprefix(level)
