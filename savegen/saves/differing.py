"""Compare two saves by meaning, not by bytes, order or numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from savegen.runtime.tagged import Tag, Tagged
from savegen.saves.body import encode
from savegen.saves.viewing import UNSET, Values, View, parts_of


class Difference(NamedTuple):
    """An object that came or went, or a field of one that holds something else."""

    what: str  # "added", "removed" or "changed"
    name: str  # of the object: `Goblin #3.1`
    field: str = ""  # or a part of one: `loot[2].gold`
    old: str = ""  # as Python prints it
    new: str = ""


def differences(old: View, new: View) -> list[Difference]:
    """Return all that differs, in the order of the newer save; what went comes last."""
    found = [*_compared(old, new, _objects)]
    for things in (_states, _generators, _tombstones):
        found += _compared(old, new, things)
    return found


def _compared(
    old: View, new: View, things: Callable[[View], Mapping[str, Values]]
) -> Iterator[Difference]:
    before, after = dict(things(old)), things(new)
    for name, values in after.items():
        was = before.pop(name, None)
        if was is None:
            yield Difference("added", name)
            continue
        for field in {**was, **values}:
            pair = was.get(field, UNSET), values.get(field, UNSET)
            for path, a, b in _parts(field, *pair):
                yield Difference("changed", name, path, old.shown(a), new.shown(b))
    for name in before:
        yield Difference("removed", name)


def _objects(view: View) -> dict[str, Values]:
    found = {}
    for key, values in view.values.items():
        about: Values = {}
        if placed := view.body.placements.get(key):
            for name in ("prefab", "placement", "level"):
                about[f"its {name}"] = getattr(placed, name)
        if recording := view.recordings.get(key):
            about["its behaviours"] = (int(Tag.LIST), recording.dirty)
            about |= {f"recorded {n}": each for n, each in recording.values.items()}
        found[view.name(key)] = {**_with_names(view, values), **about}
    return found


def _with_names(view: View, values: Values) -> Values:
    """Return values with the names of objects in place of their keys."""
    return {field: _named(view, value) for field, value in values.items()}


class _Name(str):
    """What an object is called; equal names are the same object in two saves."""


def _named(view: View, value: Tagged) -> Tagged:
    if not isinstance(value, (tuple, list)):
        return value
    number, payload = value
    if number in (Tag.KEY, Tag.WEAK):
        return (number, _Name(view.name(payload)) if payload else 0)
    if parts_of(value) is None:
        return value
    return (number, [_named(view, each) for each in payload])


def _states(view: View) -> dict[str, Values]:
    states = view.body.states.items()
    return {f"state {name}": {"value": _named(view, each)} for name, each in states}


def _generators(view: View) -> dict[str, Values]:
    return {
        f"generator {key}": {"state": hashlib.blake2b(encode(state)).hexdigest()[:12]}
        for key, state in view.body.generators.items()
    }


def _tombstones(view: View) -> dict[str, Values]:
    found = view.body.tombstones.items()
    return {f"destroyed {placement}": {"level": level} for placement, level in found}


def _parts(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost parts of two values that differ, each with its path."""
    if repr(old) == repr(new):  # 0 is not False, nor 0.0
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
