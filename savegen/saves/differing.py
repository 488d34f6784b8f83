"""Find the differences between two saves by their content: added, removed and changed objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from savegen.runtime.values.tagged import Tag, Tagged, replace_keys
from savegen.saves.viewing import UNSET, View, parts_of


class Difference(NamedTuple):
    """An added or removed object, or a field with a different value."""

    what: str  # "added", "removed" or "changed"
    name: str  # the name of the object: `Goblin #3.1`
    field: str = ""  # the field, or a part of it: `loot[2].gold`
    old: str = ""  # as Python prints it
    new: str = ""


def differences(old: View, new: View) -> list[Difference]:
    """Return the differences in the order of the newer save; removed objects come last."""
    return [*_compare(old, new, _objects), *_compare(old, new, _other_content)]


# The name and the value of each field. The keys are field numbers, since names may change.
NamedValues = dict[Any, tuple[str, Tagged]]


def _compare(
    old: View, new: View, content: Callable[[View], Mapping[str, NamedValues]]
) -> Iterator[Difference]:
    before, after = dict(content(old)), dict(content(new))
    for name, values in after.items():
        old_values = before.pop(name, None)
        if old_values is None:
            yield Difference("added", name)
            continue
        for field in {**old_values, **values}:
            path, value = values.get(field) or (old_values[field][0], UNSET)
            old_value = old_values[field][1] if field in old_values else UNSET
            for part, a, b in _differing_parts(path, old_value, value):
                yield Difference("changed", name, part, old.shown(a), new.shown(b))
    for name in before:
        yield Difference("removed", name)


def _objects(view: View) -> dict[str, NamedValues]:
    """Return the values, placements and recordings of all objects by name."""
    objects = {}
    for key, values in view.values.items():
        names = view.fields[view.classes[key]]
        named: NamedValues = {
            n: (names[n], _with_names(view, each)) for n, each in values.items()
        }
        if placed := view.body.placements.get(key):
            for name in ("prefab", "placement", "level"):
                named[name] = f"its {name}", getattr(placed, name)
        if recording := view.recordings.get(key):
            named["behaviours"] = "its behaviours", (int(Tag.LIST), recording.dirty)
            for name, each in recording.values.items():
                named[f"recorded {name}"] = f"recorded {name}", _with_names(view, each)
        objects[view.name(key)] = named
    return objects


class _ObjectName(str):
    """The name of an object; objects with equal names in two saves are the same object."""


def _with_names(view: View, value: Tagged) -> Tagged:
    names: Any = lambda key: _ObjectName(view.name(key)) if key else 0
    return replace_keys(value, names)


def _other_content(view: View) -> dict[str, NamedValues]:
    body = view.body
    content: dict[str, tuple[str, Tagged]] = {
        f"state {name}": ("value", _with_names(view, each))
        for name, each in body.states.items()
    }
    for key in body.generators:
        content[f"generator {key}"] = "state", view.state_of(key)
    for placement, level in body.tombstones.items():
        content[f"destroyed {placement}"] = "level", level
    return {name: {0: each} for name, each in content.items()}


def _differing_parts(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost parts of two values that differ, each with its path."""
    if repr(old) == repr(new):  # 0 is not False, nor 0.0
        return
    if count := _differing_cells(old, new):
        yield f"{path} ({count} cells)", old, new
        return
    before, after = parts_of(old), parts_of(new)
    if before is None or after is None or not _have_same_class(old, new):
        yield path, old, new
        return
    old_parts, new_parts = dict(before), dict(after)
    inner = [
        part
        for step in {**old_parts, **new_parts}
        for part in _differing_parts(
            f"{path}{step}", old_parts.get(step, UNSET), new_parts.get(step, UNSET)
        )
    ]
    yield from inner or [(path, old, new)]


def _have_same_class(old: Any, new: Any) -> bool:
    """Return whether two values have the same type and, if they are records, the same class."""
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
