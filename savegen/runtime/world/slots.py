"""`SlotMap`, a container with keys that are never used again, and `Slots`, which gives the keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from operator import ne
from typing import Generic, NamedTuple, TypeVar

from savegen.runtime.errors import SaveCorruptError, StaleKeyError
from savegen.runtime.values.keys import LAST_GENERATION, SlotKey, key_at

T = TypeVar("T")

EMPTY = -1


class SlotState(NamedTuple):
    """The state of `Slots`: the generations, and the order in which empty slots are filled."""

    # By slot. An empty slot has the generation of its next key; a retired slot, which has no next
    # key, has one above the last generation.
    generations: tuple[int, ...]
    free: tuple[int, ...]  # empty slots, the next one to be filled at the end

    def keys(self) -> Iterable[int]:
        """Return the key of each slot; for an empty slot, the key of its next value.

        >>> [*SlotState((1, 1), ()).keys()], SlotState((1, 7), ()).keys() == [1, key_at(1, 7)]
        ([1, 2], True)
        """
        if max(self.generations, default=1) == 1:
            return range(1, len(self.generations) + 1)
        return [*map(key_at, range(len(self.generations)), self.generations)]


class Slots:
    """Allocates slots with generations. Each operation takes constant time.

    >>> slots = Slots()
    >>> slots.take(), slots.take()
    (SlotKey(index=0, generation=1), SlotKey(index=1, generation=1))
    >>> slots.release(0)
    >>> slots.take()
    SlotKey(index=0, generation=2)
    """

    def __init__(self, last_generation: int = LAST_GENERATION) -> None:
        """A slot that has had a key of the `last_generation` is not filled again."""
        self._last = last_generation
        # By slot; never 0, which is the generation of the null key.
        self._generations: list[int] = []
        self._filled = bytearray()  # by slot
        self._free: list[int] = []  # empty slots, the next one to be filled at the end
        # By slot, the highest generation that a key of this process had. It only grows, even
        # through `restore`: a key that was created after the restored state stays stale.
        self._highest: list[int] = []

    def __contains__(self, key: SlotKey) -> bool:
        slot, generation = key
        return (
            0 <= slot < len(self._filled)
            and self._filled[slot] == 1
            and self._generations[slot] == generation
        )

    def take(self) -> SlotKey:
        """Fill an empty slot and return its new key."""
        slot = self._empty_slot()
        generation = max(self._generations[slot], self._highest[slot] + 1)
        self._generations[slot] = self._highest[slot] = generation
        self._filled[slot] = 1
        return SlotKey(slot, generation)

    def take_many(self, count: int) -> list[SlotKey]:
        """Fill `count` empty slots and return their keys; faster than calls of `take`."""
        keys = [self.take() for _ in range(min(count, len(self._free)))]
        first, missing = len(self._generations), count - len(keys)
        if len(self._highest) > first:  # slots that existed before a restore
            return keys + [self.take() for _ in range(missing)]
        self._generations += [1] * missing
        self._highest += [1] * missing
        self._filled += b"\x01" * missing
        return keys + [SlotKey(slot, 1) for slot in range(first, first + missing)]

    def take_fresh(self) -> SlotKey:
        """Fill a slot that has never been filled in this process, and return its key."""
        first, slot = len(self._generations), len(self._highest)
        # The slots before it are filled as if they did not exist yet: last, and in order.
        self._free[:0] = reversed(range(first, slot))
        self._generations += [1] * (slot + 1 - first)
        self._filled += b"\x00" * (slot - first) + b"\x01"
        self._highest.append(1)
        return SlotKey(slot, 1)

    @property
    def count(self) -> int:
        """The number of slots that have existed in this process."""
        return max(len(self._generations), len(self._highest))

    def release(self, slot: int, refill_last: bool = False) -> None:
        """Empty a slot; its key is stale from now on. With `refill_last`, fill others first."""
        self._filled[slot] = 0
        self._generations[slot] += 1
        if self._generations[slot] <= self._last:
            self._free.insert(0 if refill_last else len(self._free), slot)

    def state(self) -> SlotState:
        """Return a copy of the state."""
        return SlotState(tuple(self._generations), tuple(self._free))

    def restore(self, state: SlotState) -> None:
        """Restore a state, which must be consistent.

        Keys of that state are valid again; keys created since then never are.
        """
        if self._restore_changed(state):
            return
        used = [*state.generations]  # by slot: the generation of its latest key
        filled = bytearray(b"\x01") * len(used)
        for slot in (*state.free, *self._retired(state)):
            used[slot] -= 1
            filled[slot] = 0
        self._generations, self._free = [*state.generations], [*state.free]
        self._filled = filled
        old = self._highest
        self._highest = [*map(max, old, used), *used[len(old) :], *old[len(used) :]]

    def _restore_changed(self, state: SlotState) -> bool:
        """Restore a state that differs only in a few slots; return whether it does."""
        (generations, free), filled = state, self._filled
        last, old, old_free = self._last, self._generations, self._free
        common = min(len(free), len(old_free))
        if len(generations) != len(old) or old_free[:common] != [*free[:common]]:
            return False
        changed = {*compress(count(), map(ne, generations, old))}
        for slot in (*old_free[common:], *(n for n in changed if old[n] > last)):
            filled[slot] = 1
        for slot in (*free[common:], *(n for n in changed if generations[n] > last)):
            filled[slot] = 0
        for slot in changed.union(old_free[common:], free[common:]):
            used = generations[slot] - (not filled[slot])
            self._highest[slot] = max(self._highest[slot], used)
        self._generations, self._free = [*generations], [*free]
        return True

    def _retired(self, state: SlotState) -> list[int]:
        if max(state.generations, default=0) <= self._last:
            return []
        return [n for n, gen in enumerate(state.generations) if gen > self._last]

    def _empty_slot(self) -> int:
        while self._free:
            slot = self._free.pop()
            if self._highest[slot] < self._last:
                return slot
            self._generations[slot] = self._last + 1  # retired, in this process
        return self._new_slot()

    def _new_slot(self) -> int:
        # A slot that existed before a restore may have no generations left.
        while (slot := len(self._generations)) < len(self._highest):
            used_up = self._highest[slot] >= self._last
            self._generations.append(self._last + 1 if used_up else 1)
            self._filled.append(0)
            if not used_up:
                return slot
        self._generations.append(1)
        self._filled.append(0)
        self._highest.append(0)
        return slot

    def check(self, state: SlotState, filled: Sequence[int]) -> None:
        """Raise `SaveCorruptError` if `filled` are not the filled slots of a state."""
        for fault in self._faults(state, filled):
            raise SaveCorruptError(f"inconsistent slots: {fault}")

    def _faults(self, state: SlotState, filled: Sequence[int]) -> Iterator[str]:
        """Yield descriptions of inconsistencies; each check relies on the ones before it."""
        generations, free = state
        highest = max(generations, default=1)
        if not 1 <= min(generations, default=1) <= highest <= self._last + 1:
            yield "a generation is out of range"
        if any(generations[n] > self._last for n in filled):
            yield "a generation is out of range"
        empty = {*range(len(generations))} - {*filled}
        usable = [slot for slot in sorted(empty) if generations[slot] <= self._last]
        if sorted(free) != usable:
            yield "the free slots are not exactly the empty ones"


class SlotIndices(NamedTuple):
    """The state of a `SlotMap` without its values.

    >>> goblins = SlotMap[str]()
    >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
    >>> goblins.remove(grub)
    'Grub'
    >>> goblins.indices().free
    (0,)
    """

    generations: tuple[int, ...]  # by slot
    places: tuple[int, ...]  # by slot: the position of its value, EMPTY if it has none
    free: tuple[int, ...]  # empty slots, the next one to be filled at the end


class SlotMap(Generic[T]):
    """A container of values with stable keys. All operations take constant time.

    >>> goblins = SlotMap[str]()
    >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
    >>> goblins.remove(grub)
    'Grub'
    >>> goblins[snag], goblins.get(grub), list(goblins)
    ('Snag', None, ['Snag'])
    """

    def __init__(self, last_generation: int = LAST_GENERATION) -> None:
        """A slot that has had a key of the `last_generation` is not filled again."""
        self._slots = Slots(last_generation)
        self._places: list[int] = []  # by slot: the position of its value, or EMPTY
        self._values: list[T] = []
        self._owners: list[int] = []  # by position: the slot of the value

    def insert(self, value: T) -> SlotKey:
        """Add a value at the end; return its only key.

        >>> SlotMap[str]().insert("Grub")
        SlotKey(index=0, generation=1)
        """
        key = self._slots.take()
        self._places += [EMPTY] * (key.index + 1 - len(self._places))
        self._places[key.index] = len(self._values)
        self._owners.append(key.index)
        self._values.append(value)
        return key

    def remove(self, key: SlotKey) -> T:
        """Remove the value and return it; `key` is stale from now on.

        The last value moves to its position. Raises `StaleKeyError` if the key is stale.

        >>> goblins = SlotMap[str]()
        >>> grub = goblins.insert("Grub")
        >>> goblins.remove(grub), grub in goblins
        ('Grub', False)
        """
        place = self._place(key)
        value, last = self._values[place], self._owners[-1]
        self._values[place], self._owners[place] = self._values[-1], last
        self._places[last] = place
        del self._values[-1], self._owners[-1]
        self._places[key.index] = EMPTY
        self._slots.release(key.index)
        return value

    def get(self, key: SlotKey) -> T | None:
        """Return the value of a key; `None` if the key is stale."""
        return self._values[self._places[key.index]] if key in self else None

    def __getitem__(self, key: SlotKey) -> T:
        """Return the value of a key. Raises `StaleKeyError` if it was removed."""
        return self._values[self._place(key)]

    def __setitem__(self, key: SlotKey, value: T) -> None:
        """Replace the value of a key. Raises `StaleKeyError` if it was removed."""
        self._values[self._place(key)] = value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, SlotKey) and key in self._slots

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[T]:
        """Yield the values in the order of the array."""
        return iter(self._values)

    @property
    def values(self) -> Sequence[T]:
        """The array of values; do not change it."""
        return self._values

    def keys(self) -> Iterator[SlotKey]:
        """Yield the keys, in the order of the values."""
        generations = self._slots.state().generations
        return (SlotKey(slot, generations[slot]) for slot in self._owners)

    def items(self) -> Iterator[tuple[SlotKey, T]]:
        """Yield pairs of key and value."""
        return zip(self.keys(), self._values, strict=True)

    def clear(self) -> None:
        """Remove all values; all keys are stale from now on."""
        for slot in reversed(self._owners):
            self._places[slot] = EMPTY
            self._slots.release(slot)
        self._values.clear()
        self._owners.clear()

    def indices(self) -> SlotIndices:
        """Return a copy of the state, without the values.

        >>> goblins = SlotMap[str]()
        >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
        >>> goblins.remove(grub)
        'Grub'
        >>> goblins.indices()
        SlotIndices(generations=(2, 1), places=(-1, 0), free=(0,))
        """
        generations, free = self._slots.state()
        return SlotIndices(generations, tuple(self._places), free)

    def restore(self, indices: SlotIndices, values: Iterable[T]) -> None:
        """Restore the state of `indices`, with `values` in the same order.

        Keys of that state are valid again; keys created since then never are. Raises
        `SaveCorruptError`, and changes nothing, if the indices are inconsistent or the number of
        values is wrong.

        >>> goblins = SlotMap[str]()
        >>> grub = goblins.insert("Grub")
        >>> then = goblins.indices()
        >>> snag = goblins.insert("Snag")
        >>> goblins.restore(then, ["Grub, the second"])
        >>> goblins[grub], snag in goblins, goblins.insert("Snag, the second") == snag
        ('Grub, the second', False, False)
        """
        restored = list(values)
        generations, places, free = indices
        owners = _slots_of_values(places, len(generations), len(restored))
        state = SlotState(generations, free)
        self._slots.check(state, owners)
        self._slots.restore(state)
        self._places, self._owners, self._values = list(places), owners, restored

    def _place(self, key: SlotKey) -> int:
        if key not in self:
            raise StaleKeyError(f"{key} is stale: its value was removed")
        return self._places[key.index]


def _slots_of_values(places: Sequence[int], slots: int, count: int) -> list[int]:
    """Return, for each value, the slot that holds it.

    Raises `SaveCorruptError` if `places` is inconsistent.
    """
    if len(places) != slots:
        raise SaveCorruptError(
            "inconsistent slots: generations and places have different lengths"
        )
    owners = {place: slot for slot, place in enumerate(places) if place != EMPTY}
    filled = sum(place != EMPTY for place in places)
    if len(owners) != filled:
        raise SaveCorruptError("inconsistent slots: two slots have the same place")
    if owners.keys() != set(range(filled)):
        raise SaveCorruptError("inconsistent slots: the places have gaps")
    if filled != count:
        raise SaveCorruptError(
            "inconsistent slots:" f" there are {count} values for {filled} places"
        )
    return [owners[place] for place in range(filled)]
