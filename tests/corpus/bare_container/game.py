"""A container must say what it holds."""

import array
import collections
import typing

from savegen import Saved, saveable

from _savegen.components.game import CrateSaveLoad


@saveable
class Crate(CrateSaveLoad):
    a_list: Saved[list]
    a_tuple: Saved[tuple]
    a_dict: Saved[dict]
    half_a_dict: Saved[dict[str]]
    a_set: Saved[set]
    a_frozenset: Saved[frozenset]
    a_deque: Saved[collections.deque]
    a_defaultdict: Saved[collections.defaultdict]
    an_ordered_dict: Saved[collections.OrderedDict]
    a_counter: Saved[collections.Counter]
    old: Saved[typing.List]
    inside: Saved[dict[str, list]]
    maybe: Saved[list | None] = None

    # These hold what they hold.
    some_bytes: Saved[bytearray]
    an_array: Saved[array.array]
    nothing: Saved[tuple[()]] = ()
