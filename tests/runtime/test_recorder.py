"""Recorder: what is dirty is saved and loaded again, whatever happens meanwhile."""

from __future__ import annotations

import dataclasses
import warnings
from enum import Enum, Flag
from typing import Any

import pytest

from savegen.runtime.components import SaveLoadable
from savegen.runtime.errors import SaveError
from savegen.runtime.recorder import (
    EMPTY,
    Record,
    Recorder,
    Recording,
    deserializer,
    record_all,
    replay,
    serializer,
)


class Toy(SaveLoadable):
    pass


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


def recorded(child: Recorder) -> Recording:
    return record_all(child, BEHAVIORS)


def identity(each: Any) -> bytes:
    return b"%d" % id(each)


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
    assert recorded(child) == (("Child.Behaviors.GIVE_TOY",), {"toys": "kite"})


def test_a_load_brings_back_what_was_saved_and_the_dirty_set() -> None:
    child, other = Child(), Child()
    child.sing("la")
    saved = recorded(child)
    other.give("kite")
    replay(other, BEHAVIORS, saved)
    assert other.song == "la" and other.toys == "kite"  # nobody knows what it was
    assert other.is_dirty(SING) and not other.is_dirty(GIVE_TOY)
    assert other.told == ["song"]
    replay(other, BEHAVIORS, EMPTY)
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
    assert first.same(second) and first.write(identity) == second.write(identity)
    replay(child, BEHAVIORS, second)
    assert child.told == ["toys", "song"]
    assert recorded(child).dirty == second.dirty


def test_the_order_of_the_table_does_not_matter() -> None:
    child, other = Child(), Child()
    child.give("kite")
    child.sing("la")
    backwards = dict(reversed(BEHAVIORS.items()))
    saved = record_all(child, backwards)
    assert saved.same(recorded(child)) and [*saved.values] == ["song", "toys"]
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
    saved = record_all(teen, behaviors)
    assert saved.values == {"song": "la, loudly", "since": 7}
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
    assert recorded(child) == (("Child.Behaviors.SING",), {"song": "la"})
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
    with pytest.raises(ZeroDivisionError):
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
    words = "a Child has recorded `Child.Behaviors.SING`, which it does not do any more"
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


def test_a_recording_tells_what_it_refers_to_and_can_refer_to_others() -> None:
    child, kite, ball, other = Child(), Toy(), Toy(), Toy()
    child.give({"own": [kite, (ball, [kite])], 1: "kite"})
    saved = recorded(child)
    assert saved.reach() == [kite, ball, kite]
    moved = saved.relink(lambda toy: other if toy is kite else None)
    assert moved.values == {"toys": {"own": [other, (None, [other])], 1: "kite"}}
    assert moved.dirty == saved.dirty
    assert saved.reach() == [kite, ball, kite]
    assert EMPTY.reach() == [] and EMPTY.relink(kept) == EMPTY


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
    assert not first.same(second)
    assert first.write(identity) != second.write(identity)
    other.give(left)
    assert first.same(recorded(other))
    assert first.write(identity) == recorded(other).write(identity)
    assert not first.same(EMPTY)


def test_a_flag_alone_makes_a_difference() -> None:
    assert not Recording(("a",), {}).same(EMPTY)
    assert not Recording(("a",), {}).same(Recording(("b",), {}))
    assert Recording(("a", "b"), {}).same(Recording(("b", "a"), {}))


def test_objects_are_written_as_they_are_named() -> None:
    child, other = Child(), Child()
    child.give([Toy()])
    other.give([Toy()])
    first, second = recorded(child), recorded(other)
    assert first.write(lambda _: b"kite") == second.write(lambda _: b"kite")
    assert first.write(lambda _: b"kite") != second.write(lambda _: b"ball")


@pytest.mark.parametrize(
    "value, name",
    [
        (object(), "an object"),
        ([1, {"a": len}], "a builtin_function_or_method"),
        ({Toy()}, "a Toy"),
        ({Toy(): 1}, "a Toy"),
        (type("Coins", (int,), {})(3), "a Coins"),
        (Toy, "a type"),
    ],
)
def test_what_cannot_be_saved_is_told_with_its_place(value: Any, name: str) -> None:
    child = Child()
    child.give(value)
    with pytest.raises(SaveError) as told:
        recorded(child)
    start = "`Child.Behaviors.GIVE_TOY` of a Child saves 'toys': "
    assert str(told.value) == f"{start}{name} is not plain data"


def test_a_value_that_holds_itself_is_told() -> None:
    child = Child()
    toys: list[Any] = [1]
    toys.append(toys)
    child.give(toys)
    with pytest.raises(SaveError, match="it holds itself, or is nested too deep"):
        recorded(child)


def test_an_id_is_a_str() -> None:
    class Wrong(Child):
        def save_toys(self, record: Any) -> None:
            record.save(7, self.toys)

    child = Wrong()
    child.give("kite")
    with pytest.raises(SaveError, match=r"Wrong saves 7: an id is a str"):
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
    assert saved.values == {"toys": "kite", "song": "la"}
    assert [str(each.message) for each in told] == [
        "'toys' of a Twice is saved by `Child.Behaviors.GIVE_TOY`,"
        " and by `Child.Behaviors.SING`: the first one counts"
    ]
    assert told[0].filename == __file__


def test_one_behaviour_may_save_an_id_only_once_either() -> None:
    class Stutter(Child):
        def save_song(self, record: Record) -> None:
            record.save("song", "la")
            record.save("song", "la la")

    child = Stutter()
    child.sing("")
    with pytest.warns(UserWarning, match="by `Child.Behaviors.SING`, and by it once"):
        assert recorded(child).values == {"song": "la"}


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
    assert str(told.value).endswith("Eager loads 'pitch', which was not saved")
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
    with pytest.raises(SaveError, match="Confused saves 'song' while it is"):
        replay(child, BEHAVIORS, recorded(child))
    child.give("kite")
    with pytest.raises(SaveError, match="Confused loads 'toys' while it is"):
        recorded(child)


def test_the_marks_leave_a_method_as_it_is() -> None:
    def method(self: object, record: Record) -> None: ...

    assert serializer(SING)(method) is deserializer(SING)(method) is method
