"""Compare two versions of a level by placement ids: saves find objects by these."""

from __future__ import annotations

from typing import NamedTuple

from savegen.levels.layout import Layout, Placed
from savegen.levels.places import MIDDLE, ObjectPlace, object_places


class Spot(NamedTuple):
    """One object that a level places."""

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
    old: Spot | None
    new: Spot | None


def changes(old: Layout, new: Layout) -> list[Change]:
    """Return the differences between two layouts: removed ids, then others in the new order.

    If the level has a new name, objects in the same cells still count as the same.
    """
    before, after = _spots(old, new.name), _spots(new, new.name)
    lost = [Change("removed", id, before[id], None) for id in before if id not in after]
    found = [
        Change(kind, id, before.get(id), spot)
        for id, spot in after.items()
        if (kind := _kind(before.get(id), spot))
    ]
    return [*lost, *found]


def _kind(old: Spot | None, new: Spot) -> str:
    if old is None:
        return "added"
    if old.prefab != new.prefab:
        return "replaced"
    if old.size != new.size:
        return "resized"
    return "" if old == new else "moved"


def _spots(layout: Layout, name: str) -> dict[str, Spot]:
    """Return the objects of a layout by their ids, as if the level were called `name`."""
    return {
        _id(each.placed, layout.name, name): _spot(each)
        for each in object_places(layout, None, MIDDLE)
    }


def _spot(place: ObjectPlace) -> Spot:
    placed, (x, y, _), scale = place
    size = None if scale is None else (placed.width, placed.height)
    return Spot(placed.entry.tag, x, y, size)


def _id(placed: Placed, own: str, name: str) -> str:
    if placed.id == placed.entry.id:
        return placed.id
    return name + placed.id.removeprefix(own)
