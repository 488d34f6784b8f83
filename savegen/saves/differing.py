"""Compare two saves by their content, not by bytes, order or numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from savegen.runtime.tagged import Tag, Tagged, replace_keys
from savegen.saves.viewing import UNSET, View, parts_of


class Difference(NamedTuple):
    """An added or removed object, or a field with a different value."""

    what: str  # "added", "removed" or "changed"
    name: str  # the name of the object: `Goblin #3.1`
    field: str = ""  # the field, or a part of it: `loot[2].gold`
    old: str = ""  # as Python prints it
    new: str = ""


def differences(old: View, new: View) -> list[Difference]:
    """Return the differences, in the order of the newer save; removed objects come last."""
    return [*_compared(old, new, _objects), *_compared(old, new, _beside)]


Named = dict[Any, tuple[str, Tagged]]  # name and value of each field


def _compared(
    old: View, new: View, things: Callable[[View], Mapping[str, Named]]
) -> Iterator[Difference]:
    before, after = dict(things(old)), dict(things(new))
    for name, values in after.items():
        was = before.pop(name, None)
        if was is None:
            yield Difference("added", name)
            continue
        for field in {**was, **values}:
            path, value = values.get(field) or (was[field][0], UNSET)
            pair = was[field][1] if field in was else UNSET, value
            for part, a, b in _parts(path, *pair):
                yield Difference("changed", name, part, old.shown(a), new.shown(b))
    for name in before:
        yield Difference("removed", name)


def _objects(view: View) -> dict[str, Named]:
    """Return the fields of each object by number, since they may have been renamed."""
    found = {}
    for key, values in view.values.items():
        names = view.fields[view.classes[key]]
        about: Named = {n: (names[n], _named(view, each)) for n, each in values.items()}
        if placed := view.body.placements.get(key):
            for name in ("prefab", "placement", "level"):
                about[name] = f"its {name}", getattr(placed, name)
        if recording := view.recordings.get(key):
            about["behaviours"] = "its behaviours", (int(Tag.LIST), recording.dirty)
            for name, each in recording.values.items():
                about[f"recorded {name}"] = f"recorded {name}", _named(view, each)
        found[view.name(key)] = about
    return found


class _Name(str):
    """The name of an object; objects with equal names in two saves are the same object."""


def _named(view: View, value: Tagged) -> Tagged:
    names: Any = lambda key: _Name(view.name(key)) if key else 0
    return replace_keys(value, names)


def _beside(view: View) -> dict[str, Named]:
    """Return the content of a world other than its objects."""
    body = view.body
    found: dict[str, tuple[str, Tagged]] = {
        f"state {name}": ("value", _named(view, each))
        for name, each in body.states.items()
    }
    for key in body.generators:
        found[f"generator {key}"] = "state", view.state_of(key)
    for placement, level in body.tombstones.items():
        found[f"destroyed {placement}"] = "level", level
    return {name: {0: each} for name, each in found.items()}


def _parts(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost parts of two values that differ, each with its path."""
    if repr(old) == repr(new):  # 0 is not False, nor 0.0
        return
    if count := _differing_cells(old, new):
        yield f"{path} ({count} cells)", old, new
        return
    before, after = parts_of(old), parts_of(new)
    if before is None or after is None or not _is_alike(old, new):
        yield path, old, new
        return
    was, now = dict(before), dict(after)
    inner = [
        part
        for step in {**was, **now}
        for part in _parts(f"{path}{step}", was.get(step, UNSET), now.get(step, UNSET))
    ]
    yield from inner or [(path, old, new)]


def _is_alike(old: Any, new: Any) -> bool:
    """Return whether two values with parts are of one type, or of one class."""
    is_named = old[0] in (Tag.RECORD, Tag.FOREIGN)
    return bool(old[0] == new[0] and (not is_named or old[1][0] == new[1][0]))


def _differing_cells(old: Any, new: Any) -> str:
    """Return how many elements of two arrays differ, such as `3 of 12`; "" for other values."""
    if not (isinstance(old, (tuple, list)) and isinstance(new, (tuple, list))):
        return ""
    if old[0] != new[0] or old[0] not in (Tag.NDARRAY, Tag.ARRAY):
        return ""
    *before, data = old[1]
    *after, other = new[1]
    count = (
        prod(before[1]) if old[0] == Tag.NDARRAY else len(data) // int(before[0][1:])
    )
    if repr(before) != repr(after) or len(data) != len(other) or not count:
        return ""
    size = len(data) // count
    places = range(0, len(data), size)
    return (
        f"{sum(data[n : n + size] != other[n : n + size] for n in places)} of {count}"
    )
