"""Every container, flat and deep, with everything in it that can be."""

from __future__ import annotations

import collections
import typing as t
from array import array
from collections import Counter, OrderedDict, defaultdict, deque

from savegen import Saved, saveable

from _savegen.components.game import ShelfSaveLoad


@saveable
class Shelf(ShelfSaveLoad):
    # Flat: a shallow copy, or none.
    a_list: Saved[list[int]]
    a_tuple: Saved[tuple[int, ...]] = ()
    a_pair: Saved[tuple[int, str]] = (0, "")
    a_single: Saved[tuple[int]] = (0,)
    no_places: Saved[tuple[()]] = ()
    a_dict: Saved[dict[str, int]]
    a_set: Saved[set[int]]
    a_frozenset: Saved[frozenset[int]] = frozenset()
    a_deque: Saved[deque[int]]
    a_defaultdict: Saved[defaultdict[str, int]]
    an_ordered_dict: Saved[OrderedDict[str, int]]
    a_counter: Saved[Counter[str]]
    an_array: Saved[array[float]]
    bare_array: Saved[array]  # type: ignore[type-arg]
    a_bytearray: Saved[bytearray]

    # The names of `typing` mean the same.
    old_list: Saved[t.List[int]]
    old_tuple: Saved[t.Tuple[int, ...]] = ()
    old_dict: Saved[t.Dict[str, int]]
    old_set: Saved[t.Set[int]]
    old_frozenset: Saved[t.FrozenSet[int]] = frozenset()
    old_deque: Saved[t.Deque[int]]
    old_defaultdict: Saved[t.DefaultDict[str, int]]
    old_ordered_dict: Saved[t.OrderedDict[str, int]]
    old_counter: Saved[t.Counter[str]]
    whole_name: Saved[collections.deque[int]]

    # Deep: members that must be copied.
    grid: Saved[list[list[int]]]
    cube: Saved[list[list[list[int]]]]
    hypercube: Saved[list[list[list[list[int]]]]]
    deep_tuple: Saved[tuple[list[int], ...]] = ()
    deep_places: Saved[tuple[int, list[int], tuple[str, set[int]]]]
    deep_single: Saved[tuple[list[int]]]
    deep_dict: Saved[dict[str, dict[str, list[int]]]]
    deep_deque: Saved[deque[list[int]]]
    deep_defaultdict: Saved[defaultdict[str, list[int]]]
    deep_ordered_dict: Saved[OrderedDict[str, bytearray]]
    list_of_counters: Saved[list[Counter[str]]]
    list_of_arrays: Saved[list[array[int]]]

    # Keys and members that are containers themselves.
    tuple_keys: Saved[dict[tuple[int, int], str]]
    frozen_keys: Saved[dict[frozenset[str], list[int]]]
    set_of_tuples: Saved[set[tuple[str, frozenset[int]]]]
