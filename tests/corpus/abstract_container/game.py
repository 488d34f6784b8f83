"""Containers that say what can be done with them, and not what they are."""

import typing
from collections.abc import Iterable, Mapping, MutableSet, Sequence

from savegen import Saved, saveable

from _savegen.components.game import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    trail: Saved[Sequence[int]]
    loot: Saved[Mapping[str, int] | None]
    friends: Saved[MutableSet["Orc"]]
    steps: Saved[list[Iterable[int]]]
    names: Saved[typing.AbstractSet[str]]
    old: Saved[typing.Sequence[str]]
