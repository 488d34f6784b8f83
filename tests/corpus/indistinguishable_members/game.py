"""Containers that look the same when they are met cannot share a union; others can."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import TypedDict, Union
from weakref import ref

from savegen import Saved, saveable

from _savegen.components.game import BagSaveLoad


@dataclass
class Pouch:
    inside: list[int] | list[str]


class Coins(TypedDict):
    gold: list[int]


class Gems(TypedDict):
    rubies: list[int]


@saveable
class Bag(BagSaveLoad):
    lists: Saved[list[int] | list[str]]
    deep: Saved[dict[str, Union[set[int], set[str], None]]]
    places: Saved[tuple[list[int]] | tuple[list[str], ...]]
    dicts: Saved[dict[str, int] | dict[int, str]]
    typed_dicts: Saved[Coins | Gems]
    typed_or_not: Saved[Coins | dict[str, int]]
    pouch: Saved[Pouch | None] = None
    weak_or_not: Saved["ref[Bag] | Bag | None"] = None

    # These can be told apart, or need not be.
    list_or_set: Saved[list[int] | set[int]]
    dict_or_ordered: Saved[dict[str, int] | OrderedDict[str, int]]
    tuples: Saved[tuple[int, int] | tuple[str, ...]] = ()
    frozen: Saved[frozenset[int] | frozenset[str]] = frozenset()
    mixed: Saved[list[int | str]]
    weak: Saved["ref[Bag] | list[Bag] | None"] = None
