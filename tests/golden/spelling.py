"""A world in words, one line a field, that no later version of savegen or of the game changes."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from pathlib import PurePath
from random import Random
from typing import Any
from weakref import ref

from savegen.runtime import GameObject, SaveLoadable, SaveLoadManager


def spelled(manager: SaveLoadManager) -> dict[str, str]:
    """Return what each field of each object holds: `{"Goblin 1.hp": "3"}`.

    Objects are counted by class, in the order in which the world has them.
    """
    things = [*_things(manager)]
    seen: Counter[str] = Counter()
    names = {}
    for thing in things:
        kind = type(thing).__name__
        seen[kind] += 1
        names[id(thing)] = f"{kind} {seen[kind]}"
    spell = Speller(names).of
    return {
        f"{names[id(thing)]}.{field}": spell(value)
        for thing in things
        for field, value in _fields(manager, thing)
    }


def _things(manager: SaveLoadManager) -> Iterator[Any]:
    for thing in manager.objects:
        yield thing
        if isinstance(thing, GameObject):
            yield from (component for _, component in thing.numbered)


def _fields(manager: SaveLoadManager, thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, GameObject):
        place = thing.transform
        yield "position", place.position
        yield "parent", thing.parent
        yield "parts", [component for _, component in thing.numbered]
        return
    entry = manager._world.registry[type(thing).save_type]
    attributes = entry.attributes.values()  # `_Player__luck` for the field `__luck`
    for field, attribute in zip(entry.mixin.save_load_field_names, attributes):
        yield field, getattr(thing, attribute)


def counted_by_content(world: Mapping[str, str]) -> dict[str, str]:
    """Return a world whose objects are counted in the order of digests of what they hold.

    Two worlds that hold the same become equal. The text of a release has the order of a manager
    of then, which is no part of what it means: managers of today have the order of keys.

    >>> one = {"Orc 1.hp": "3", "Orc 2.hp": "1", "Bat 1.prey": "Orc 1"}
    >>> other = {"Orc 1.hp": "1", "Orc 2.hp": "3", "Bat 1.prey": "Orc 2"}
    >>> counted_by_content(one) == counted_by_content(other)
    True
    """
    marks = {line.partition(".")[0]: "" for line in world}
    finer = _marks(world, marks)
    while len({*finer.values()}) > len({*marks.values()}):
        marks, finer = finer, _marks(world, finer)
    seen: Counter[str] = Counter()
    names = {}
    for thing in sorted(marks, key=marks.__getitem__):
        kind = thing.rpartition(" ")[0]
        seen[kind] += 1
        names[thing] = f"{kind} {seen[kind]}"
    return {_renamed(k, names): _renamed(v, names) for k, v in world.items()}


def _marks(world: Mapping[str, str], marks: Mapping[str, str]) -> dict[str, str]:
    """Return for each object a digest of its fields, and of the marks of what they refer to."""
    found = {thing: [thing.rpartition(" ")[0]] for thing in marks}
    for line, words in world.items():
        thing, _, field = line.partition(".")
        found[thing].append(f"{field} = {_renamed(words, marks)}")
    return {
        thing: blake2b("\n".join(sorted(lines)).encode()).hexdigest()
        for thing, lines in found.items()
    }


def _renamed(words: str, names: Mapping[str, str]) -> str:
    """Replace the names of objects, and nothing else that looks like one."""
    return re.sub(r"\w+ \d+", lambda found: names.get(found[0], found[0]), words)


class Speller:
    """Spells values. What the game's classes say of themselves may change, so it is not asked."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names

    def of(self, value: Any) -> str:
        """Return words for a value and for all that is in it."""
        match value:
            case ref():
                return f"weak {self.of(value())}"
            case SaveLoadable():
                return self._names[id(value)]
            case Enum():
                return f"{type(value).__name__}.{value.name}"
            case type():
                return f"class {value.__name__}"
            case Random():
                state = repr(value.getstate()).encode()
                return f"Random {blake2b(state, digest_size=8).hexdigest()}"
            case PurePath():
                return f"path {value.as_posix()}"
            case list() | tuple() | set() | frozenset() | deque():
                return self._members(value)
            case Mapping():
                return self._mapping(value)
        if is_dataclass(value):
            parts = (
                f"{f.name}={self.of(getattr(value, f.name))}" for f in fields(value)
            )
            return f"{type(value).__name__}({', '.join(parts)})"
        words = repr(value)
        return f"{type(value).__name__} {value}" if words.startswith("<") else words

    def _members(self, value: Any) -> str:
        words = [self.of(member) for member in value]
        if isinstance(value, (set, frozenset)):
            words.sort()
        if isinstance(value, deque):
            words.append(f"at most {value.maxlen}")
        kind = type(value).__name__
        return f"{'' if kind == 'list' else kind}[{', '.join(words)}]"

    def _mapping(self, value: Any) -> str:
        words = [f"{self.of(k)}: {self.of(v)}" for k, v in value.items()]
        kind = type(value).__name__
        if isinstance(value, defaultdict) and value.default_factory:
            words.append(f"else {self.of(value.default_factory)}")
        assert type(value) in (dict, Counter, OrderedDict, defaultdict), kind
        return f"{'' if kind == 'dict' else kind}{{{', '.join(words)}}}"
