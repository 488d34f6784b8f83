"""Keys are valid exactly as long as their value is there, whatever is saved and restored."""

from __future__ import annotations

import copy
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from savegen.runtime import SaveCorruptError, SlotKey, SlotMap, StaleKeyError
from savegen.runtime.values.basics.keys import LAST_GENERATION
from savegen.runtime.world.slots import SlotIndices, SlotState


class Model(RuleBasedStateMachine):
    """A map beside the dict that it should be, and every key that was ever handed out."""

    last_generation = 3  # so that slots are used up
    saves = Bundle("saves")

    def __init__(self) -> None:
        super().__init__()
        self.slots = SlotMap[int](self.last_generation)
        self.model: dict[SlotKey, int] = {}
        self.seen: list[SlotKey] = []
        self.numbers = itertools.count()

    @rule()
    def insert(self) -> None:
        value = next(self.numbers)
        self._note(value, self.slots.insert(value))

    def _note(self, value: int, key: SlotKey) -> int:
        assert key not in self.seen and key.generation > 0
        self.seen.append(key)
        self.model[key] = value
        return value

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if self.seen:
            key = data.draw(st.sampled_from(self.seen))
            if key in self.model:
                assert self.slots.remove(key) == self.model.pop(key)
            else:
                with pytest.raises(StaleKeyError):
                    self.slots.remove(key)

    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        if self.model:
            key = data.draw(st.sampled_from(sorted(self.model)))
            self.slots[key] = self.model[key] = next(self.numbers)

    @rule()
    def clear(self) -> None:
        self.slots.clear()
        self.model.clear()

    @rule(target=saves)
    def save(self) -> tuple[SlotIndices, list[tuple[SlotKey, int]]]:
        return self.slots.indices(), list(self.slots.items())

    @rule(save=saves)
    def restore(self, save: tuple[SlotIndices, list[tuple[SlotKey, int]]]) -> None:
        indices, items = save
        self.slots.restore(indices, [value for _, value in items])
        self.model = dict(items)
        assert self.slots.indices() == indices
        assert list(self.slots.items()) == items

    @rule(save=saves)
    def restore_elsewhere(
        self, save: tuple[SlotIndices, list[tuple[SlotKey, int]]]
    ) -> None:
        """In another process a map goes on as this one would have."""
        other = SlotMap[int](self.last_generation)
        other.restore(save[0], [value for _, value in save[1]])
        assert list(other.items()) == save[1] and other.indices() == save[0]

    @invariant()
    def only_what_is_there_is_found(self) -> None:
        assert dict(self.slots.items()) == self.model
        assert sorted(self.slots) == sorted(self.model.values())
        assert len(self.slots) == len(self.model) == len(self.slots.values)
        for key in [*self.seen, SlotKey(0, 0), SlotKey(-1, 1), SlotKey(99, 1)]:
            assert (key in self.slots) == (key in self.model)
            assert self.slots.get(key) == self.model.get(key)

    @invariant()
    def the_state_does_not_contradict_itself(self) -> None:
        indices = self.slots.indices()
        SlotMap[int](self.last_generation).restore(indices, self.slots.values)


@pytest.mark.parametrize("last", [1, 3, LAST_GENERATION])
def test_the_map_is_its_model(last):
    machine = type("Machine", (Model,), {"last_generation": last})
    many = settings(max_examples=60, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(machine, settings=many)


def played(slots: SlotMap[int], seed: int) -> list[SlotKey]:
    """Return the keys that a game of chance hands out."""
    chance, handed_out = random.Random(seed), []
    for value in range(30):
        if len(slots) and chance.random() < 0.5:
            slots.remove(chance.choice(list(slots.keys())))
        else:
            handed_out.append(slots.insert(value))
    return handed_out


@given(st.integers(0, 10**6))
def test_a_replay_after_a_load_in_a_new_process_hands_out_the_same_keys(seed):
    first = SlotMap[int]()
    played(first, seed)
    second = SlotMap[int]()
    second.restore(first.indices(), first.values)
    assert played(first, seed + 1) == played(second, seed + 1)
    assert first.indices() == second.indices()


@given(st.integers(0, 10**6))
def test_a_replay_in_the_same_process_hands_out_none_of_the_keys_again(seed):
    slots = SlotMap[int]()
    played(slots, seed)
    then, values = slots.indices(), list(slots)
    first = played(slots, seed + 1)
    slots.restore(then, values)
    assert not set(first) & set(played(slots, seed + 1))


GOOD = SlotIndices((2, 1, 1), (-1, 1, 0), (0,))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"generations": (2, 1)}, "have different lengths"),
        ({"generations": (2, 1, 0)}, "a generation is out of range"),
        ({"generations": (2, 1, LAST_GENERATION + 1)}, "a generation is out of range"),
        ({"generations": (LAST_GENERATION + 2, 1, 1)}, "a generation is out of range"),
        ({"places": (-1, 0, 0)}, "two slots have the same place"),
        ({"places": (-1, 2, 0)}, "the places have gaps"),
        ({"places": (-2, 1, 0)}, "the places have gaps"),
        ({"free": ()}, "the free slots are not exactly the empty ones"),
        ({"free": (0, 0)}, "the free slots are not exactly the empty ones"),
        ({"free": (1,)}, "the free slots are not exactly the empty ones"),
        ({"free": (7,)}, "the free slots are not exactly the empty ones"),
        (
            {"generations": (LAST_GENERATION + 1, 1, 1)},
            "the free slots are not exactly the empty ones",
        ),
    ],
)
def test_indices_that_contradict_themselves_change_nothing(fields, reason):
    slots = SlotMap[str]()
    key = slots.insert("here")
    before = slots.indices()
    slots.restore(GOOD, ["one", "two"])
    slots.restore(before, ["here"])
    with pytest.raises(SaveCorruptError, match=reason):
        slots.restore(GOOD._replace(**fields), ["one", "two"])
    assert slots.indices() == before and slots[key] == "here"


@pytest.mark.parametrize("values", [[], ["one"], ["one", "two", "three"]])
def test_too_few_or_too_many_values_change_nothing(values):
    slots = SlotMap[str]()
    with pytest.raises(SaveCorruptError, match=f"{len(values)} values for 2 places"):
        slots.restore(GOOD, values)
    assert len(slots) == 0 and slots.indices() == ((), (), ())


def test_a_slot_whose_generations_are_used_up_is_filled_no_more():
    slots = SlotMap[str](last_generation=2)
    for _ in range(2):
        slots.remove(slots.insert("x"))
    assert slots.indices() == ((3,), (-1,), ())
    assert slots.insert("y") == SlotKey(1, 1)


def test_falsy_and_equal_values_are_values():
    slots = SlotMap[object]()
    first, second = slots.insert(0), slots.insert(0)
    assert slots[first] == 0 and slots.get(second) == 0 and len(slots) == 2
    assert (0, 1) not in slots and "x" not in slots


class WorldModel(RuleBasedStateMachine):
    """A map as a world uses it, beside the dict that it should be."""

    last_generation = 3
    saves = Bundle("saves")

    def __init__(self) -> None:
        super().__init__()
        self.slots = SlotMap[int](self.last_generation)
        self.model: dict[SlotKey, int] = {}
        self.seen: list[SlotKey] = []
        self.numbers = itertools.count()

    @rule(count=st.integers(0, 4))
    def insert_all(self, count: int) -> None:
        """The keys are those that each would have been given alone."""
        values = [*itertools.islice(self.numbers, count)]
        alone = copy.deepcopy(self.slots)
        keys = [*map(alone.insert, values)]
        assert self.slots.insert_all(values) == keys
        assert vars(self.slots) == vars(alone)
        self._note(keys, values)

    @rule()
    def insert_fresh(self) -> None:
        """It shares its slot with no key of any state."""
        value = next(self.numbers)
        key = self.slots.insert_fresh(value)
        assert key.index not in {other.index for other in self.seen}
        self._note([key], [value])

    def _note(self, keys: list[SlotKey], values: list[int]) -> None:
        assert not {*keys} & {*self.seen}
        self.seen += keys
        self.model |= dict(zip(keys, values))

    @rule(data=st.data(), refill_last=st.booleans())
    def release(self, data: st.DataObject, refill_last: bool) -> None:
        if self.model:
            key = data.draw(st.sampled_from(sorted(self.model)))
            self.slots.release(key.index, refill_last)
            del self.model[key]

    @rule(target=saves, shares=st.booleans())
    def save(self, shares: bool) -> tuple[SlotState, dict[SlotKey, int]]:
        state, owners, values = self.slots.saved(shares)
        generations = state.generations
        if self.last_generation == LAST_GENERATION:
            assert state.filled() == {*owners}
        keys = [SlotKey(slot, generations[slot]) for slot in owners]
        assert dict(zip(keys, values)) == self.model
        return state, {**self.model}

    @rule(save=saves)
    def restore(self, save: tuple[SlotState, dict[SlotKey, int]]) -> None:
        state, model = save
        self.slots.check(state, [key.index for key in model])
        self.slots.restore_slots(state, [k.index for k in model], [*model.values()])
        self.model = {**model}
        assert self.slots.state() == state

    @invariant()
    def the_values_are_those_of_the_model(self) -> None:
        assert dict(self.slots.items()) == self.model
        for key in self.seen:
            assert self.slots.get(key) == self.model.get(key)
            assert (key in self.slots) == (key in self.model)


@pytest.mark.parametrize("last", [1, 3, LAST_GENERATION])
def test_the_map_of_a_world_is_its_model(last):
    machine = type("Machine", (WorldModel,), {"last_generation": last})
    many = settings(max_examples=60, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(machine, settings=many)


def test_many_keys_at_once_are_as_new_as_each_alone_after_an_older_state() -> None:
    slots = SlotMap[int]()
    before = slots.indices()
    stale = slots.insert_all([1, 2, 3])
    slots.restore(before, [])
    slots.insert_all([4, 5])
    assert slots.insert(6) == SlotKey(2, 2)
    assert not any(key in slots for key in stale)
