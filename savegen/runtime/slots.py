"""A collection whose keys stay valid while values come and go, and know when theirs is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from savegen.runtime.errors import SaveCorruptError, StaleKeyError
from savegen.runtime.keys import SlotKey

T = TypeVar("T")

LAST_GENERATION = 2**32 - 1  # what a save file has room for
EMPTY = -1


class SlotIndices(NamedTuple):
    """Which slots are filled, and in which order the empty ones will be: no values.

    An empty slot has the generation of the next key to it; beyond the last one it is retired.

    >>> goblins = SlotMap[str]()
    >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
    >>> goblins.remove(grub)
    'Grub'
    >>> goblins.indices().free
    (0,)
    """

    generations: tuple[int, ...]  # by slot
    places: tuple[int, ...]  # by slot: where its value stands, EMPTY if it has none
    free: tuple[int, ...]  # empty slots, the next one to be filled at the end


class SlotMap(Generic[T]):
    """Values in one array, without gaps, and keys to them. All is done in constant time.

    >>> goblins = SlotMap[str]()
    >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
    >>> goblins.remove(grub)
    'Grub'
    >>> goblins[snag], goblins.get(grub), list(goblins)
    ('Snag', None, ['Snag'])
    """

    def __init__(self, last_generation: int = LAST_GENERATION) -> None:
        """A slot that a key of the `last_generation` has led to is filled no more."""
        self._last = last_generation
        self._generations: list[int] = []  # by slot; 0 is the null key's
        self._places: list[int] = []  # by slot: where its value stands, or EMPTY
        self._free: list[int] = []  # empty slots, the next one to be filled at the end
        self._values: list[T] = []
        self._slots: list[int] = []  # by place: whose value it is
        # By slot, the highest generation that a key of this process had. Whatever is
        # restored, it only grows: no key from an abandoned future comes to life again.
        self._highest: list[int] = []

    def insert(self, value: T) -> SlotKey:
        """Add a value at the end; return the only key to it.

        >>> SlotMap[str]().insert("Grub")
        SlotKey(index=0, generation=1)
        """
        key = self._new_key()
        self._fill(key.index, value)
        return key

    def insert_keyed(
        self, values: Sequence[T], keyed: Callable[[T, SlotKey], T]
    ) -> list[T]:
        """Add many values at the end, each as `keyed` makes it of the value and its only key.

        Return them. `keyed` must not raise.

        >>> SlotMap[str]().insert_keyed(["Grub", "Snag"], lambda name, key: f"{name} {key.index}")
        ['Grub 0', 'Snag 1']
        """
        keys = self._new_keys(len(values))
        made = [*map(keyed, values, keys)]
        for place, key in enumerate(keys, len(self._values)):
            self._places[key.index] = place
        self._slots += [key.index for key in keys]
        self._values += made
        return made

    def remove(self, key: SlotKey) -> T:
        """Take the value out; every copy of `key` is stale from now on.

        The last value takes its place. Raises `StaleKeyError` if the key already was.

        >>> goblins = SlotMap[str]()
        >>> grub = goblins.insert("Grub")
        >>> goblins.remove(grub), grub in goblins
        ('Grub', False)
        """
        place = self._place(key)
        value, last = self._values[place], self._slots[-1]
        self._values[place], self._slots[place] = self._values[-1], last
        self._places[last] = place
        del self._values[-1], self._slots[-1]
        self._vacate(key.index)
        return value

    def put_back(self, key: SlotKey, value: T) -> bool:
        """Let a key that is stale lead to a value again, if its slot is empty; tell whether.

        It is for a value that comes back; keys handed out since then stay stale.

        >>> goblins = SlotMap[str]()
        >>> grub = goblins.insert("Grub")
        >>> goblins.remove(grub)
        'Grub'
        >>> goblins.put_back(grub, "Grub again"), goblins[grub]
        (True, 'Grub again')
        """
        slot, generation = key
        if not 0 <= slot < len(self._places) or self._places[slot] != EMPTY:
            return False
        if not 0 < generation <= self._highest[slot] or slot not in self._free:
            return False
        self._free.remove(slot)
        self._generations[slot] = generation
        self._fill(slot, value)
        return True

    def get(self, key: SlotKey) -> T | None:
        """Return the value of a key; `None` if the key is stale."""
        return self._values[self._places[key.index]] if key in self else None

    def __getitem__(self, key: SlotKey) -> T:
        """Return the value of a key. Raises `StaleKeyError` if it is gone."""
        return self._values[self._place(key)]

    def __setitem__(self, key: SlotKey, value: T) -> None:
        """Put another value where one is. Raises `StaleKeyError` if that is gone."""
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

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[T]:
        """Yield the values, in the order of the array."""
        return iter(self._values)

    @property
    def values(self) -> Sequence[T]:
        """The array itself: to be read, not to be changed."""
        return self._values

    def keys(self) -> Iterator[SlotKey]:
        """Yield the keys, in the order of the values."""
        for slot in self._slots:
            yield SlotKey(slot, self._generations[slot])

    def items(self) -> Iterator[tuple[SlotKey, T]]:
        """Yield the values with their keys."""
        return zip(self.keys(), self._values, strict=True)

    def clear(self) -> None:
        """Take every value out; every key is stale from now on."""
        for slot in reversed(self._slots):
            self._vacate(slot)
        self._values.clear()
        self._slots.clear()

    def indices(self) -> SlotIndices:
        """Return the state without its values: plain data that nothing changes later.

        >>> goblins = SlotMap[str]()
        >>> grub, snag = goblins.insert("Grub"), goblins.insert("Snag")
        >>> goblins.remove(grub)
        'Grub'
        >>> goblins.indices()
        SlotIndices(generations=(2, 1), places=(-1, 0), free=(0,))
        """
        return SlotIndices(
            tuple(self._generations), tuple(self._places), tuple(self._free)
        )

    def restore(self, indices: SlotIndices, values: Iterable[T]) -> None:
        """Become what a map was when it gave these `indices`, with `values` in its order.

        Keys of that time are valid, those handed out since then never will be. Raises
        `SaveCorruptError`, and changes nothing, if the indices contradict themselves or the
        values are not as many as they say.

        >>> goblins = SlotMap[str]()
        >>> grub = goblins.insert("Grub")
        >>> then = goblins.indices()
        >>> snag = goblins.insert("Snag")
        >>> goblins.restore(then, ["Grub, the second"])
        >>> goblins[grub], snag in goblins, goblins.insert("Snag, the second") == snag
        ('Grub, the second', False, False)
        """
        found = list(values)
        slots = self._checked(indices, len(found))
        self._generations = list(indices.generations)
        self._places = list(indices.places)
        self._free = list(indices.free)
        self._values, self._slots = found, slots
        if not self._highest:  # of a map that nothing was in
            self._highest = [*self._generations]
            for slot in _empty(indices) if len(found) < len(self._places) else ():
                self._highest[slot] = 0
            return
        missing = len(self._generations) - len(self._highest)
        self._highest += [0] * missing
        for slot in slots:
            if self._highest[slot] < self._generations[slot]:
                self._highest[slot] = self._generations[slot]

    def _new_key(self) -> SlotKey:
        """Return the next key of an empty slot, which has to be filled then."""
        slot = self._empty_slot()
        generation = max(self._generations[slot], self._highest[slot] + 1)
        self._generations[slot] = self._highest[slot] = generation
        return SlotKey(slot, generation)

    def _new_keys(self, count: int) -> list[SlotKey]:
        """Return the keys that so many calls of `_new_key` would, in less time."""
        keys = [self._new_key() for _ in range(min(count, len(self._free)))]
        first, missing = len(self._generations), count - len(keys)
        if len(self._highest) > first:  # of slots that a state lacks keys are known
            return keys + [self._new_key() for _ in range(missing)]
        self._generations += [1] * missing
        self._highest += [1] * missing
        self._places += [EMPTY] * missing
        return keys + [SlotKey(slot, 1) for slot in range(first, first + missing)]

    def _fill(self, slot: int, value: T) -> None:
        self._places[slot] = len(self._values)
        self._slots.append(slot)
        self._values.append(value)

    def _empty_slot(self) -> int:
        while self._free:
            slot = self._free.pop()
            if self._highest[slot] < self._last:
                return slot
            self._generations[slot] = self._last + 1  # retired, if only in this process
        return self._new_slot()

    def _new_slot(self) -> int:
        # A slot that this process had before it was restored may be used up.
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

    def _vacate(self, slot: int) -> None:
        self._places[slot] = EMPTY
        self._generations[slot] += 1
        if self._generations[slot] <= self._last:
            self._free.append(slot)

    def _place(self, key: SlotKey) -> int:
        if key not in self:
            raise StaleKeyError(f"{key} leads to nothing: its value was removed")
        return self._places[key.index]

    def _checked(self, indices: SlotIndices, count: int) -> list[int]:
        """Return whose value each place has. Raises `SaveCorruptError` if that is not clear."""
        if not self._is_sound(indices, count):
            for fault in self._faults(indices, count):
                raise SaveCorruptError(f"the slots contradict themselves: {fault}")
        if count == len(indices.places) and _is_in_order(indices.places):
            return [*range(count)]
        slots = [EMPTY] * (count + 1)  # the last one is for those that have no place
        for slot, place in enumerate(indices.places):
            slots[place] = slot
        del slots[-1]
        return slots

    def _is_sound(self, indices: SlotIndices, count: int) -> bool:
        """Tell quickly whether all is well, as it nearly always is; unsure is not."""
        generations, places, free = indices
        if len(generations) != len(places):
            return False
        if not places:
            return count == 0 and not free
        if not 1 <= min(generations) <= max(generations) <= self._last:
            return False
        if count == len(places) and _is_in_order(places):
            return not free
        taken = [place for place in places if place != EMPTY]
        return sorted(taken) == [*range(count)] and sorted(free) == _empty(indices)

    def _faults(self, indices: SlotIndices, count: int) -> Iterator[str]:
        """Yield what contradicts itself; each check relies on those before it."""
        generations, places, free = indices
        if len(generations) != len(places):
            yield "generations and places are not of one length"
        slots = list(zip(generations, places, strict=True))
        if not all(1 <= g <= self._last + (place == EMPTY) for g, place in slots):
            yield "a generation is out of range"
        taken = [place for place in places if place != EMPTY]
        if len(set(taken)) != len(taken):
            yield "two slots have one place"
        if set(taken) != set(range(len(taken))):
            yield "the places have gaps"
        usable = (place == EMPTY and g <= self._last for g, place in slots)
        if sorted(free) != [slot for slot, is_free in enumerate(usable) if is_free]:
            yield "the free slots are not the empty ones"
        if count != len(taken):
            yield f"there are {count} values for {len(taken)} places"


def _is_in_order(places: tuple[int, ...]) -> bool:
    """Tell whether each value stands at the place of its slot."""
    return places == (*range(len(places)),)


def _empty(indices: SlotIndices) -> list[int]:
    return [slot for slot, place in enumerate(indices.places) if place == EMPTY]
