"""`SlotMap`, a container with keys that are never used again. A world has its objects in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from operator import ne
from typing import Generic, NamedTuple, TypeVar

from savegen.runtime.errors import SaveCorruptError, StaleKeyError
from savegen.runtime.values.basics.keys import LAST_GENERATION, SlotKey, key_at

T = TypeVar("T")

EMPTY = -1


class SlotState(NamedTuple):
    """The slots of a `SlotMap`: their generations, and the order in which empty slots are filled."""

    # By slot. An empty slot has the generation of its next key; a retired slot, which has no next
    # key, has one above the last generation.
    generations: tuple[int, ...]
    free: tuple[int, ...]  # empty slots, the next one to be filled at the end

    def filled(self) -> set[int]:
        """Return the filled slots."""
        generations = enumerate(self.generations)
        usable = {slot for slot, gen in generations if gen <= LAST_GENERATION}
        return usable.difference(self.free)

    def keys(self) -> Iterable[int]:
        """Return the key of each slot; for an empty slot, the key of its next value.

        >>> [*SlotState((1, 1), ()).keys()], SlotState((1, 7), ()).keys() == [1, key_at(1, 7)]
        ([1, 2], True)
        """
        if max(self.generations, default=1) == 1:
            return range(1, len(self.generations) + 1)
        return [*map(key_at, range(len(self.generations)), self.generations)]


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
        self._last = last_generation
        # By slot; never 0, which is the generation of the null key.
        self._generations: list[int] = []
        self._free: list[int] = []  # empty slots, the next one to be filled at the end
        # By slot, the highest generation that a key of this process had. It only grows, even
        # through `restore`: a key that was created after the restored state stays stale.
        self._highest: list[int] = []
        self._places: list[int] = []  # by slot: the position of its value, or EMPTY
        self._values: list[T] = []
        self._owners: list[int] = []  # by position: the slot of the value

    # -- inserting

    def insert(self, value: T) -> SlotKey:
        """Add a value at the end; return its only key.

        >>> SlotMap[str]().insert("Grub")
        SlotKey(index=0, generation=1)
        """
        slot = self._empty_slot()
        generation = max(self._generations[slot], self._highest[slot] + 1)
        self._generations[slot] = self._highest[slot] = generation
        self._fill(slot, value)
        return SlotKey(slot, generation)

    def insert_all(self, values: Sequence[T]) -> list[SlotKey]:
        """Add values and return their keys; faster than calls of `insert`."""
        count = min(len(values), len(self._free))
        keys = [*map(self.insert, values[:count])]
        first, others = len(self._generations), values[len(keys) :]
        if len(self._highest) > first:  # slots that existed before a restore
            return keys + [*map(self.insert, others)]
        new = range(first, first + len(others))
        self._generations += [1] * len(others)
        self._highest += [1] * len(others)
        self._places += range(len(self._values), len(self._values) + len(others))
        self._owners += new
        self._values += others
        return keys + [SlotKey(slot, 1) for slot in new]

    def insert_fresh(self, value: T) -> SlotKey:
        """Add a value in a slot that has never been filled in this process; return its key."""
        first, slot = len(self._generations), len(self._highest)
        # The slots before it are filled as if they did not exist yet: last, and in order.
        self._free[:0] = reversed(range(first, slot))
        self._generations += [1] * (slot + 1 - first)
        self._places += [EMPTY] * (slot + 1 - first)
        self._highest.append(1)
        self._fill(slot, value)
        return SlotKey(slot, 1)

    def _fill(self, slot: int, value: T) -> None:
        self._places[slot] = len(self._values)
        self._owners.append(slot)
        self._values.append(value)

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
            self._places.append(EMPTY)
            if not used_up:
                return slot
        self._generations.append(1)
        self._places.append(EMPTY)
        self._highest.append(0)
        return slot

    # -- removing

    def remove(self, key: SlotKey) -> T:
        """Remove the value and return it; `key` is stale from now on.

        The last value moves to its position. Raises `StaleKeyError` if the key is stale.

        >>> goblins = SlotMap[str]()
        >>> grub = goblins.insert("Grub")
        >>> goblins.remove(grub), grub in goblins
        ('Grub', False)
        """
        value = self[key]
        self.release(key.index)
        return value

    def release(self, slot: int, refill_last: bool = False) -> None:
        """Empty a filled slot. With `refill_last`, other empty slots are filled first."""
        place, last = self._places[slot], self._owners[-1]
        self._values[place], self._owners[place] = self._values[-1], last
        self._places[last] = place
        del self._values[-1], self._owners[-1]
        self._places[slot] = EMPTY
        self._generations[slot] += 1
        if self._generations[slot] <= self._last:
            self._free.insert(0 if refill_last else len(self._free), slot)

    def clear(self) -> None:
        """Remove all values; all keys are stale from now on."""
        for slot in reversed([*self._owners]):
            self.release(slot)

    # -- looking up

    def get(self, key: SlotKey) -> T | None:
        """Return the value of a key; `None` if the key is stale."""
        return self.at(key.index) if key in self else None

    def at(self, slot: int) -> T | None:
        """Return the value in a slot, whatever its generation; `None` if there is none."""
        place = self._places[slot] if 0 <= slot < len(self._places) else EMPTY
        return None if place == EMPTY else self._values[place]

    def __getitem__(self, key: SlotKey) -> T:
        """Return the value of a key. Raises `StaleKeyError` if it was removed."""
        return self._values[self._place(key)]

    def __setitem__(self, key: SlotKey, value: T) -> None:
        """Replace the value of a key. Raises `StaleKeyError` if it was removed."""
        self._values[self._place(key)] = value

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, SlotKey):
            return False
        slot, generation = key
        return (
            0 <= slot < len(self._places)
            and self._places[slot] != EMPTY
            and self._generations[slot] == generation
        )

    def _place(self, key: SlotKey) -> int:
        if key not in self:
            raise StaleKeyError(f"{key} is stale: its value was removed")
        return self._places[key.index]

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
        return map(
            SlotKey, self._owners, map(self._generations.__getitem__, self._owners)
        )

    def items(self) -> Iterator[tuple[SlotKey, T]]:
        """Yield pairs of key and value."""
        return zip(self.keys(), self._values, strict=True)

    # -- state

    @property
    def count(self) -> int:
        """The number of slots that have existed in this process."""
        return max(len(self._generations), len(self._highest))

    def state(self) -> SlotState:
        """Return a copy of the generations and the free list."""
        return SlotState(tuple(self._generations), tuple(self._free))

    def indices(self) -> SlotIndices:
        """Return a copy of the state, without the values.

        >>> goblins = SlotMap[str]()
        >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
        >>> goblins.remove(grub)
        'Grub'
        >>> goblins.indices()
        SlotIndices(generations=(2, 1), places=(-1, 0), free=(0,))
        """
        generations, free = self.state()
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
        self.check(state, owners)
        self.restore_slots(state, owners, restored)

    def restore_slots(
        self, state: SlotState, owners: list[int], values: list[T]
    ) -> None:
        """Restore a consistent state, with `values` in the slots that are their `owners`.

        The lists become those of this map, which replaces the ones it had.
        """
        places = [EMPTY] * len(state.generations)
        for place, slot in enumerate(owners):
            places[slot] = place
        self._places, self._owners, self._values = places, owners, values
        self._raise_highest(state)
        self._generations, self._free = [*state.generations], [*state.free]

    def _raise_highest(self, state: SlotState) -> None:
        """Note the generations that keys have in a state which is about to be restored."""
        (generations, free), old = state, self._generations
        places, highest = self._places, self._highest
        if len(generations) == len(old):
            common = min(len(free), len(self._free))
            if self._free[:common] == [
                *free[:common]
            ]:  # it differs only in a few slots
                changed = {*compress(count(), map(ne, generations, old))}
                for slot in changed.union(self._free[common:], free[common:]):
                    used = generations[slot] - (places[slot] == EMPTY)
                    highest[slot] = max(highest[slot], used)
                return
        used_now = [*generations]  # by slot: the generation of its latest key
        for slot in compress(count(), map(EMPTY.__eq__, places)):
            used_now[slot] -= 1
        longer = used_now[len(highest) :] or highest[len(used_now) :]
        self._highest = [*map(max, highest, used_now), *longer]

    def saved(self, shares: bool) -> tuple[SlotState, list[int], list[T]]:
        """Return the arguments of `restore_slots` that bring back this state.

        With `shares`, the lists are those of this map, which may be replaced, but not changed.
        """
        owners, values = self._owners, self._values
        if not shares:
            owners, values = [*owners], [*values]
        return self.state(), owners, values

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
