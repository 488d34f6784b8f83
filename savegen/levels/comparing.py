"""Compare two versions of a level: what saves of the older one would not find."""

from __future__ import annotations

from typing import NamedTuple

from savegen.levels.layout import Layout, Placed
from savegen.levels.places import MIDDLE, Standing, standings


class Spot(NamedTuple):
    """One thing that a level places."""

    prefab: str  # its `$type`
    x: float  # of its middle, in units
    y: float
    size: tuple[int, int] | None  # of a tile, in units

    @property
    def at(self) -> str:
        """Where it is, as text."""
        return f"{round(self.x, 2):g}, {round(self.y, 2):g}"


class Change(NamedTuple):
    """One placement id that means something else, or nothing, in the other version."""

    what: str  # "moved", "resized", "replaced", "added" or "removed"
    id: str
    old: Spot | None
    new: Spot | None


def changes(old: Layout, new: Layout) -> list[Change]:
    """Return what differs between two layouts, by placement id, in the order of the newer.

    The level may have another name now: cells are the same cells.
    """
    before, after = _spots(old, new.name), _spots(new, new.name)
    lost = [Change("removed", id, before[id], None) for id in before if id not in after]
    found = [
        Change(what, id, before.get(id), spot)
        for id, spot in after.items()
        if (what := _what(before.get(id), spot))
    ]
    return [*lost, *found]


def _what(old: Spot | None, new: Spot) -> str:
    if old is None:
        return "added"
    if old.prefab != new.prefab:
        return "replaced"
    if old.size != new.size:
        return "resized"
    return "" if old == new else "moved"


def _spots(layout: Layout, name: str) -> dict[str, Spot]:
    """Return all that a layout places, as if the level were called `name`."""
    return {
        _id(each.placed, layout.name, name): _spot(each)
        for each in standings(layout, None, MIDDLE)
    }


def _spot(standing: Standing) -> Spot:
    placed, (x, y, _), scale = standing
    size = None if scale is None else (placed.width, placed.height)
    return Spot(placed.entry.tag, x, y, size)


def _id(placed: Placed, own: str, name: str) -> str:
    if placed.id == placed.entry.id:
        return placed.id
    return name + placed.id.removeprefix(own)
