"""Find the differences between two saves by their content: added, removed and changed objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from savegen.runtime.values.libraries.arrays import expand
from savegen.runtime.values.folds import NOT_SET, Typed, parts_in, renumbered, text
from savegen.runtime.values.stored import StoredType
from savegen.saves.body import BEHAVIORS
from savegen.saves.viewing import View, parts_of


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
NamedValues = dict[Any, tuple[str, Typed]]


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
            path, value = values.get(field) or (old_values[field][0], NOT_SET)
            old_value = old_values[field][1] if field in old_values else NOT_SET
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
                named[name] = f"its {name}", _native(getattr(placed, name))
        if recording := view.recordings.get(key):
            named["behaviours"] = "its behaviours", (BEHAVIORS, [*recording.dirty])
            for name, each in recording.values.items():
                named[f"recorded {name}"] = f"recorded {name}", _with_names(view, each)
        objects[view.name(key)] = named
    return objects


class _ObjectName(str):
    """The name of an object; objects with equal names in two saves are the same object."""


def _with_names(view: View, value: Typed) -> Typed:
    stored, cell = value
    name: Any = lambda key: _ObjectName(view.name(key))
    return stored, renumbered(stored, cell, name, lambda generator: generator)


_NONE, _INT, _STR = (StoredType(name) for name in ("none", "int", "str"))


def _native(value: int | str | None) -> Typed:
    stored = _NONE if value is None else _STR if isinstance(value, str) else _INT
    return stored, value


def _other_content(view: View) -> dict[str, NamedValues]:
    body = view.body
    content: dict[str, tuple[str, Typed]] = {
        f"state {name}": ("value", _with_names(view, each))
        for name, each in view.states.items()
    }
    for key in body.generators:
        content[f"generator {key}"] = "state", _native(view.state_of(key))
    for placement, level in body.tombstones.items():
        content[f"destroyed {placement}"] = "level", _native(level)
    return {name: {0: each} for name, each in content.items()}


def _differing_parts(
    path: str, old: Typed, new: Typed
) -> Iterator[tuple[str, Typed, Typed]]:
    """Yield the innermost parts of two values that differ, each with its path."""
    if _is_same(old, new):
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
            f"{path}{step}", old_parts.get(step, NOT_SET), new_parts.get(step, NOT_SET)
        )
    ]
    yield from inner or [(path, old, new)]


def _is_same(old: Typed, new: Typed) -> bool:
    if old[0] == new[0] or "ndarray" in old[0].names_inside:
        return repr(old) == repr(new)  # 0 is not False, nor 0.0
    return text(*old, str) == text(*new, str)


def _have_same_class(old: Typed, new: Typed) -> bool:
    """Return whether two values have the same kind and, if they are records, the same class."""
    kinds = [
        (_FAMILIES.get(each.name, each.name), each.label)
        for each in (_innermost(*value)[0] for value in (old, new))
    ]
    return kinds[0] == kinds[1]


_FAMILIES = {"fixed": "tuple", "record": "value"}


def _innermost(stored: StoredType, cell: Any) -> Typed:
    """Return the value in an optional value, a union or an undeclared value."""
    if stored.family == "choice":
        for part in parts_in(stored, cell):
            return _innermost(*part)
    return stored, cell


def _differing_cells(old: Typed, new: Typed) -> str:
    """Return how many elements of two arrays differ, such as `3 of 12`; "" for other values."""
    (before, cell), (after, other) = _innermost(*old), _innermost(*new)
    if before.name != after.name or before.name not in ("ndarray", "array"):
        return ""
    if before.name == "ndarray":
        cell, other = expand(cell, before.label), expand(other, after.label)
    *head, data = cell
    *other_head, other_data = other
    count = prod(head[1]) if before.name == "ndarray" else len(data) // int(head[0][1:])
    if repr(head) != repr(other_head) or len(data) != len(other_data) or not count:
        return ""
    size = len(data) // count
    places = range(0, len(data), size)
    differing = (data[n : n + size] != other_data[n : n + size] for n in places)
    return f"{sum(differing)} of {count}"
