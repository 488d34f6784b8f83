"""Recorder: results of dirty behaviours are saved and loaded."""

from __future__ import annotations

import dataclasses
import warnings
from enum import Enum, Flag, IntEnum
from typing import Any

import pytest

from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.errors import SaveError
from savegen.runtime.world.building import LocalKeys
from savegen.runtime.values.checks import differ
from savegen.runtime.snapshots.recorder import (
    EMPTY,
    Record,
    Recorder,
    deserializer,
    record_all,
    serializer,
)
from savegen.runtime.snapshots.recorder import replay as replay_with
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.values.folds import TAKES_DEFAULT, Typed, settled, typed, untyped

KEYS = LocalKeys(assets=AssetRegistry())


class Types(IntEnum):
    TOY = 7


class Toy(SaveLoadable):
    save_type = Types.TOY


class Child(SaveLoadable, Recorder):
    """Sings, and is given toys; both are written down in `told` as they are loaded."""

    class Behaviors(Enum):
        GIVE_TOY = 1
        SING = 2

    def __init__(self) -> None:
        self.toys: Any = None
        self.song = ""
        self.told: list[str] = []

    def give(self, toys: Any) -> None:
        self.toys = toys
        self.set_dirty(Child.Behaviors.GIVE_TOY)

    def sing(self, song: str) -> None:
        self.song = song
        self.set_dirty(Child.Behaviors.SING)

    @serializer(Behaviors.GIVE_TOY)
    def save_toys(self, record: Record) -> None:
        record.save("toys", self.toys)

    @deserializer(Behaviors.GIVE_TOY)
    def load_toys(self, record: Record) -> None:
        self.told.append("toys")
        record.load("toys", lambda toys: setattr(self, "toys", toys))

    @serializer(Behaviors.SING)
    def save_song(self, record: Record) -> None:
        record.save("song", self.song)

    @deserializer(Behaviors.SING)
    def load_song(self, record: Record) -> None:
        self.told.append("song")
        record.load("song", lambda song: setattr(self, "song", song))


GIVE_TOY, SING = Child.Behaviors
BEHAVIORS = {
    "Child.Behaviors.GIVE_TOY": ("save_toys", "load_toys"),
    "Child.Behaviors.SING": ("save_song", "load_song"),
}


def recorded(child: Recorder, behaviors: Any = BEHAVIORS) -> Recording:
    return record_all(child, behaviors, packed)


def replay(child: Recorder, behaviors: Any, recording: Recording | None) -> None:
    replay_with(child, behaviors, recording, lambda id, saved: untyped(saved, KEYS))


def packed(id: str, value: Any) -> Typed:
    return typed(value, KEYS, keeps_live=True)


def values(recording: Recording) -> dict[str, Any]:
    return {id: untyped(each, KEYS) for id, each in recording.values.items()}


def same(left: Recording, right: Recording) -> bool:
    """Return whether two recordings hold exactly the same, in whatever order."""
    if {*left.dirty} != {*right.dirty} or left.values.keys() != right.values.keys():
        return False
    return not any(differ(each, right.values[id]) for id, each in left.values.items())


# -- the dirty set


def test_nothing_is_dirty_at_first() -> None:
    child = Child()
    assert not child.is_dirty() and not child.is_dirty(GIVE_TOY)


def test_a_behaviour_that_was_set_dirty_is_until_it_is_cleaned() -> None:
    child = Child()
    child.set_dirty(SING)
    child.set_dirty(SING)
    assert child.is_dirty() and child.is_dirty(SING) and not child.is_dirty(GIVE_TOY)
    child.set_dirty(SING, dirty=False)
    child.set_dirty(GIVE_TOY, False)
    assert not child.is_dirty() and not child.is_dirty(SING)


def test_what_is_dirty_in_one_object_is_not_in_another() -> None:
    child, other = Child(), Child()
    child.set_dirty(SING)
    assert not other.is_dirty() and not Child().is_dirty()


def test_an_object_that_was_made_without_init_can_be_dirty() -> None:
    child = Child.__new__(Child)
    assert not child.is_dirty()
    child.set_dirty(SING)
    assert child.is_dirty(SING)


def test_flags_are_set_in_frozen_objects_and_in_such_with_slots() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Stone(SaveLoadable, Recorder):
        weight: int

    stone = Stone(3)
    stone.set_dirty(SING)
    assert stone.is_dirty(SING)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(stone, "weight", 4)


def test_flags_are_set_past_a_setattr_of_the_class() -> None:
    class Strict(Recorder):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AssertionError

    strict = Strict()
    strict.set_dirty(SING)
    assert strict.is_dirty(SING)


def test_behaviours_of_one_name_in_two_enumerations_are_two() -> None:
    class Behaviors(Enum):
        SING = 2

    child = Child()
    child.set_dirty(Behaviors.SING)
    assert not child.is_dirty(SING)


def test_only_members_of_an_enumeration_are_behaviours() -> None:
    child: Any = Child()
    for wrong, name in (("SING", "a str"), (2, "an int"), (None, "a NoneType")):
        with pytest.raises(TypeError, match=f"of an enumeration, not {name}"):
            child.set_dirty(wrong)
    with pytest.raises(TypeError, match="of an enumeration, not an int"):
        child.is_dirty(1)


def test_members_of_a_flag_are_behaviours_too() -> None:
    class Acts(Flag):
        RUN = 1
        HIDE = 2

    child = Child()
    child.set_dirty(Acts.HIDE)
    assert child.is_dirty(Acts.HIDE) and not child.is_dirty(Acts.RUN)


# -- what is saved and loaded


def test_only_what_is_dirty_is_saved() -> None:
    child = Child()
    assert recorded(child) is EMPTY
    child.song = "not told to anybody"
    child.give("kite")
    assert recorded(child) == (
        ("Child.Behaviors.GIVE_TOY",),
        {"toys": packed("", "kite")},
    )


def test_a_load_brings_back_what_was_saved_and_the_dirty_set() -> None:
    child, other = Child(), Child()
    child.sing("la")
    saved = recorded(child)
    other.give("kite")
    replay(other, BEHAVIORS, saved)
    assert other.song == "la" and other.toys == "kite"  # nobody knows what it was
    assert other.is_dirty(SING) and not other.is_dirty(GIVE_TOY)
    assert other.told == ["song"]
    replay(other, BEHAVIORS, None)
    assert not other.is_dirty() and other.song == "la" and other.told == ["song"]


def test_an_object_without_init_is_loaded() -> None:
    child = Child()
    child.sing("la")
    new = Child.__new__(Child)
    new.told = []
    replay(new, BEHAVIORS, recorded(child))
    assert new.song == "la" and new.is_dirty(SING)


def test_serializers_run_in_the_order_of_the_class_whatever_became_dirty_first() -> (
    None
):
    child, other = Child(), Child()
    child.sing("la")
    child.give("kite")
    other.give("kite")
    other.sing("la")
    first, second = recorded(child), recorded(other)
    assert [*first.values] == [*second.values] == ["toys", "song"]
    assert same(first, second)
    replay(child, BEHAVIORS, second)
    assert child.told == ["toys", "song"]
    assert recorded(child).dirty == second.dirty


def test_the_order_of_the_table_does_not_matter() -> None:
    child, other = Child(), Child()
    child.give("kite")
    child.sing("la")
    backwards = dict(reversed(BEHAVIORS.items()))
    saved = recorded(child, backwards)
    assert same(saved, recorded(child)) and [*saved.values] == ["song", "toys"]
    replay(other, backwards, recorded(child))
    assert (other.toys, other.song, other.told) == ("kite", "la", ["song", "toys"])


def test_behaviours_and_methods_are_inherited() -> None:
    class Teen(Child):
        class Behaviors(Enum):
            SULK = 1

        def save_song(self, record: Record) -> None:
            record.save("song", f"{self.song}, loudly")

        def save_sulk(self, record: Record) -> None:
            record.save("since", 7)

        def load_sulk(self, record: Record) -> None:
            record.load("since", lambda since: self.told.append(f"sulk {since}"))

    key = f"{Teen.Behaviors.__qualname__}.SULK"
    behaviors = {**BEHAVIORS, key: ("save_sulk", "load_sulk")}
    teen, other = Teen(), Teen()
    teen.set_dirty(Teen.Behaviors.SULK)
    teen.sing("la")
    saved = recorded(teen, behaviors)
    assert values(saved) == {"song": "la, loudly", "since": 7}
    replay(other, behaviors, saved)
    assert other.told == ["song", "sulk 7"] and other.song == "la, loudly"


def test_flags_set_while_saving_belong_to_the_game() -> None:
    class Restless(Child):
        def save_song(self, record: Record) -> None:
            super().save_song(record)
            self.set_dirty(GIVE_TOY)
            self.set_dirty(SING, False)

    child = Restless()
    child.sing("la")
    assert recorded(child) == (
        ("Child.Behaviors.SING",),
        {"song": packed("", "la")},
    )
    assert child.is_dirty(GIVE_TOY) and not child.is_dirty(SING)


def test_flags_set_while_loading_are_dropped() -> None:
    class Restless(Child):
        def load_song(self, record: Record) -> None:
            record.load("song", self.sing)
            self.set_dirty(GIVE_TOY)
            self.set_dirty(SING, False)

    child, other = Child(), Restless()
    child.sing("la")
    replay(other, BEHAVIORS, recorded(child))
    assert other.song == "la"
    assert other.is_dirty(SING) and not other.is_dirty(GIVE_TOY)


def test_flags_are_as_recorded_even_if_a_deserializer_raises() -> None:
    class Broken(Child):
        def load_song(self, record: Record) -> None:
            self.set_dirty(GIVE_TOY)
            raise ZeroDivisionError

    child, other = Child(), Broken()
    child.sing("la")
    with pytest.raises(SaveError, match="`load_song` .* raised ZeroDivisionError"):
        replay(other, BEHAVIORS, recorded(child))
    assert other.is_dirty(SING) and not other.is_dirty(GIVE_TOY)


def test_a_dirty_behaviour_without_methods_is_told() -> None:
    class Behaviors(Enum):
        WAVE = 1

    child = Child()
    child.sing("la")
    child.set_dirty(Behaviors.WAVE)
    with pytest.raises(SaveError, match=r"WAVE` of a Child is dirty, but has no ser"):
        recorded(child)


def test_a_behaviour_that_is_gone_is_told_before_anything_is_touched() -> None:
    child, other = Child(), Child()
    child.sing("la")
    child.give("kite")
    gone = {"Child.Behaviors.GIVE_TOY": ("save_toys", "load_toys")}
    words = (
        "a Child has recorded `Child.Behaviors.SING`, which no longer has a deserializer; write one"
        " with `@deserializer`"
    )
    with pytest.raises(SaveError) as told:
        replay(other, gone, recorded(child))
    assert str(told.value) == words
    assert other.told == [] and not other.is_dirty()


# -- values


def kept(value: Any) -> Any:
    """Return what a deserializer is given of a value."""
    child, other = Child(), Child()
    child.give(value)
    replay(other, BEHAVIORS, recorded(child))
    return other.toys


def test_values_are_copied_when_they_are_saved_and_for_each_reader() -> None:
    found: list[Any] = []
    toys: Any = [{"names": ["kite"], "sizes": {1, 2}}]

    class Curious(Child):
        def load_toys(self, record: Record) -> None:
            record.load("toys", found.append)
            record.load("toys", found.append)

    child = Curious()
    child.give(toys)
    saved = recorded(child)
    toys[0]["names"].append("ball")
    replay(child, BEHAVIORS, saved)
    found[0][0]["names"].append("drum")
    replay(child, BEHAVIORS, saved)
    wanted = [{"names": ["kite"], "sizes": {1, 2}}]
    assert found[1:] == [wanted] * 3
    assert len({id(each) for each in found}) == 4


def test_saveable_objects_stand_for_themselves_at_any_depth() -> None:
    kite, ball = Toy(), Toy()
    value = {"own": [kite, (ball, [kite])], "none": None}
    assert kept(value) == value
    found = kept(value)["own"]
    assert found[0] is found[1][1][0] is kite and found[1][0] is ball


@pytest.mark.parametrize(
    "left, right",
    [
        (0, False),
        (0.0, -0.0),
        ([1], (1,)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([{1: [0]}], [{1: [0.0]}]),
        (Toy(), Toy()),
        ([[Toy()]], [[None]]),
    ],
)
def test_recordings_are_compared_exactly(left: Any, right: Any) -> None:
    child, other = Child(), Child()
    child.give(left)
    other.give(right)
    first, second = recorded(child), recorded(other)
    assert not same(first, second)
    other.give(left)
    assert same(first, recorded(other))
    assert not same(first, EMPTY)


def test_what_cannot_be_saved_stays_itself_in_memory() -> None:
    child, other, gift = Child(), Child(), object()
    child.give([gift])
    child.sing("la")
    saved = recorded(child)
    replay(other, BEHAVIORS, saved)
    assert other.toys == [gift] and other.song == "la"


def without_live_parts(recording: Recording) -> Recording:
    """Return a recording as a file has it."""
    values = {id: settled(each, KEYS)[0] for id, each in recording.values.items()}
    return Recording(recording.dirty, values)


def test_what_cannot_be_saved_keeps_its_value_in_the_object_that_loads_it() -> None:
    child, other = Child(), Child()
    child.give(object())
    child.sing("la")
    saved = without_live_parts(recorded(child))
    assert saved.values["toys"] == TAKES_DEFAULT
    other.toys = "ball"
    replay(other, BEHAVIORS, saved)
    assert (other.toys, other.song) == ("ball", "la")


def test_the_default_stands_for_a_value_that_was_lost() -> None:
    class Sure(Child):
        def load_toys(self, record: Record) -> None:
            record.load("toys", self.told.append, default="ball")

    child = Sure()
    child.give(len)
    replay(child, BEHAVIORS, without_live_parts(recorded(child)))
    assert child.told == ["ball"]


def test_an_id_is_a_str() -> None:
    class Wrong(Child):
        def save_toys(self, record: Any) -> None:
            record.save(7, self.toys)

    child = Wrong()
    child.give("kite")
    with pytest.raises(SaveError, match=r"Wrong saves 7: an id must be a str"):
        recorded(child)


# -- ids


class Twice(Child):
    def save_song(self, record: Record) -> None:
        record.save("toys", "of the song")
        record.save("song", self.song)


def test_the_first_who_saves_an_id_counts_and_the_second_is_told() -> None:
    child = Twice()
    child.give("kite")
    child.sing("la")
    with pytest.warns(UserWarning) as told:
        saved = recorded(child)
    assert values(saved) == {"toys": "kite", "song": "la"}
    assert [str(each.message) for each in told] == [
        "'toys' of a Twice is saved by `Child.Behaviors.GIVE_TOY`"
        " and by `Child.Behaviors.SING`; the first value is used"
    ]
    assert told[0].filename == __file__


def test_one_behaviour_may_save_an_id_only_once_either() -> None:
    class Stutter(Child):
        def save_song(self, record: Record) -> None:
            record.save("song", "la")
            record.save("song", "la la")

    child = Stutter()
    child.sing("")
    with pytest.warns(UserWarning, match="saved twice by `Child.Behaviors.SING`"):
        assert values(recorded(child)) == {"song": "la"}


def test_nobody_is_told_where_there_is_one_writer_an_object_and_a_save() -> None:
    child, other = Twice(), Twice()
    child.sing("la")
    other.give("kite")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in (child, other, child):
            recorded(each)


def test_a_behaviour_may_load_what_another_has_saved() -> None:
    class Nosy(Child):
        def load_song(self, record: Record) -> None:
            record.load("toys", lambda toys: self.told.append(f"nosy: {toys}"))

    child, other = Child(), Nosy()
    child.give("kite")
    child.sing("la")
    replay(other, BEHAVIORS, recorded(child))
    assert other.told == ["toys", "nosy: kite"]


def test_an_id_that_was_not_saved_is_told_unless_there_is_a_default() -> None:
    class Eager(Child):
        def load_song(self, record: Record) -> None:
            record.load("volume", self.told.append, default="11")
            record.load("nothing", self.told.append, default=None)
            record.load("pitch", self.told.append)

    child, other = Child(), Eager()
    child.sing("la")
    with pytest.raises(SaveError) as told:
        replay(other, BEHAVIORS, recorded(child))
    assert str(told.value).startswith("`Child.Behaviors.SING` of a ")
    assert str(told.value).endswith(
        "Eager loads 'pitch', which was not saved; pass a `default`"
    )
    assert other.told == ["11", None]


def test_a_default_does_not_replace_what_was_saved() -> None:
    found: list[Any] = []

    class Sure(Child):
        def load_toys(self, record: Record) -> None:
            record.load("toys", found.append, default="ball")

    child = Sure()
    child.give(None)
    replay(child, BEHAVIORS, recorded(child))
    assert found == [None]


def test_saving_while_loading_and_loading_while_saving_are_refused() -> None:
    class Confused(Child):
        def save_toys(self, record: Record) -> None:
            record.load("toys", print)

        def load_song(self, record: Record) -> None:
            record.save("song", 1)

    child = Confused()
    child.sing("la")
    with pytest.raises(SaveError, match="Confused saves 'song' in its deserializer"):
        replay(child, BEHAVIORS, recorded(child))
    child.give("kite")
    with pytest.raises(SaveError, match="Confused loads 'toys' in its serializer"):
        recorded(child)


def test_the_marks_leave_a_method_as_it_is() -> None:
    def method(self: object, record: Record) -> None: ...

    assert serializer(SING)(method) is deserializer(SING)(method) is method
