"""Compare two versions of a level by placement ids, the names by which saves find objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from savegen.levels.plan import LevelLayout, PlacedObject
from savegen.levels.places import MIDDLE, ObjectPosition, object_positions


class PlacementChange(NamedTuple):
    """The difference of one placement id between two versions of a level."""

    kind: str  # "moved", "resized", "replaced", "added" or "removed"
    id: str
    old: ObjectPosition | None
    new: ObjectPosition | None


def placement_changes(old: LevelLayout, new: LevelLayout) -> list[PlacementChange]:
    """Return the differences between two layouts: removed ids, then others in the new order.

    If the level has a new name, objects in the same cells still count as the same.
    """
    before, after = _objects(old, new.name), _objects(new, new.name)
    removed = [
        PlacementChange("removed", id, before[id], None)
        for id in before
        if id not in after
    ]
    others = [
        PlacementChange(kind, id, before.get(id), compared)
        for id, compared in after.items()
        if (kind := _kind(before.get(id), compared))
    ]
    return [*removed, *others]


def _kind(old: ObjectPosition | None, new: ObjectPosition) -> str:
    if old is None:
        return "added"
    if old.placed.entry.type_name != new.placed.entry.type_name:
        return "replaced"
    if old.scale != new.scale:
        return "resized"
    return "" if old.position == new.position else "moved"


def _objects(layout: LevelLayout, name: str) -> dict[str, ObjectPosition]:
    """Return the objects of a layout by their ids, as if the level were called `name`."""
    return {
        _id(position.placed, layout.name, name): position
        for position in object_positions(layout, None, MIDDLE)
        # Saves contain no static objects.
        if position.placed.entry.type_name not in layout.static
    }


def _id(placed: PlacedObject, level: str, name: str) -> str:
    if placed.id == placed.entry.id:
        return placed.id
    return name + placed.id.removeprefix(level)


def is_same(old: LevelLayout, new: LevelLayout) -> bool:
    """Return whether two layouts have the same layers and the same objects with the same ids."""
    has_same_layers = old.description.layers == new.description.layers
    return has_same_layers and [*_without_places(old)] == [*_without_places(new)]


def _without_places(layout: LevelLayout) -> Iterator[ObjectPosition]:
    """Yield the objects of a layout, without the places of their entries in the file."""
    for position in object_positions(layout, None, MIDDLE):
        placed = position.placed
        entry = placed.entry._replace(path=(), former={})
        yield position._replace(placed=placed._replace(entry=entry))
