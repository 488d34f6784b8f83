"""A bound method of a saveable object is a value: it is saved as its object and its name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.door import (
    History,
    SaveError,
    decode,
    encode,
    load_report,
    lost,
    mismatches,
    places,
    preserved,
    promised,
    refused,
    save_report,
)
from tests.promises.games import Games, Play, Slot

BELL = """
@saveable
class Bell:
    rung: Saved[int] = 0

    def {ring}(self):
        self.rung += 1
        return self.rung

    {alias}
"""
CLOCK = """

@saveable
class Clock:
    on_tick: Saved[Method[[], object] | None] = None
    plan: Saved[list[tuple[int, Method[..., object]]]]
    listeners: Saved[list[Method]]
    anything: Saved[int | str] = 0

    def __init__(self):
        self.plan, self.listeners = [], []

    def tick(self): ...

    @property
    def time(self): return 7

    @staticmethod
    def now(): return 7

    @classmethod
    def made(cls): return cls()

@saveable
class Alarm(Clock):
    def tick(self): ...

    def parents_tick(self):
        return super().tick

def rings(): ...

class Stranger:
    def knock(self): ...
"""
PREFAB = """
@prefab
class Tower:
    bell = part(Bell)
    clock = part(Clock)
"""


def bell(ring: str = "ring", alias: str = "pass") -> str:
    return BELL.format(ring=ring, alias=alias)


GAME = bell() + CLOCK


def only(manager: Any, cls: Any) -> Any:
    (found,) = manager.find(cls)
    return found


# -- what is saved


def test_the_object_of_a_method_is_saved_through_it(play: Play) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.on_tick = play.game.Bell().ring
    clock.on_tick()
    other = play.manager()
    other.apply_snapshot(decode(encode(manager.create_snapshot(strict=True)), other))
    loaded = only(other, play.game.Clock)
    assert loaded.on_tick.__self__ is only(other, play.game.Bell)
    assert loaded.on_tick() == 2


def test_rewinding_brings_a_method_back(play: Play) -> None:
    manager = play.manager()
    clock, bell = manager.add(play.game.Clock()), manager.add(play.game.Bell())
    clock.on_tick, clock.listeners = bell.ring, [clock.tick]
    history = History(manager)
    history.record()
    clock.on_tick = clock.tick
    clock.listeners.append(bell.ring)
    history.record()
    history.rewind(1)
    assert clock.on_tick == bell.ring and clock.listeners == [clock.tick]
    history.forward(1)
    assert clock.on_tick == clock.tick and clock.listeners[1] == bell.ring


def test_an_attribute_of_the_object_does_not_replace_its_method(play: Play) -> None:
    manager = play.manager()
    clock, bell = manager.add(play.game.Clock()), manager.add(play.game.Bell())
    clock.on_tick = bell.ring
    snapshot = manager.create_snapshot()
    bell.ring, clock.on_tick = print, None
    manager.apply_snapshot(snapshot)
    assert clock.on_tick() == 1


def test_a_class_may_take_the_method_of_a_base_under_its_name(games: Games) -> None:
    game = games(bell() + CLOCK + """
@saveable
class Gong(Bell):
    def ring(self): return "gong"

@saveable
class Triangle(Gong):
    ring = Bell.ring
    knock = Stranger.knock
    __call__ = Gong.ring
""")
    with game.playing() as play:
        manager = play.manager()
        clock, triangle = manager.add(play.game.Clock()), play.game.Triangle()
        clock.listeners = [triangle.ring, triangle.__call__]
        snapshot = manager.create_snapshot(strict=True)
        clock.listeners = []
        manager.apply_snapshot(snapshot)
        assert [listener() for listener in clock.listeners] == [1, "gong"]
        clock.on_tick = triangle.knock
        assert places(manager.create_snapshot().lost) == ["Clock.on_tick"]


def test_nothing_changes_for_a_method_that_stays(play: Play) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.on_tick = clock.tick
    snapshot = manager.create_snapshot()
    clock.on_tick = clock.tick  # another object, but the same method
    assert not manager.create_snapshot().changes(since=snapshot)


def test_a_merge_gives_a_method_the_new_object(play: Play) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.plan = [(3, clock.tick)]
    manager.merge(manager.create_snapshot())
    _, copy = manager.find(play.game.Clock)
    assert copy.plan[0][1].__self__ is copy


def test_methods_of_components_are_saved_with_a_prefab(games: Games) -> None:
    with games(bell() + CLOCK + PREFAB).playing() as play:
        manager = play.manager()
        tower = manager.spawn(play.types.PrefabType.TOWER)
        clock, bell_ = tower.get(play.game.Clock), tower.get(play.game.Bell)
        clock.on_tick, clock.plan = bell_.ring, [(1, clock.tick)]
        other = play.manager()
        data = encode(manager.create_snapshot(strict=True))
        other.apply_snapshot(decode(data, other))
        loaded = only(other, play.game.Clock)
        assert loaded.on_tick.__self__ is only(other, play.game.Bell)
        assert loaded.plan[0][1].__self__ is loaded


def test_a_field_of_another_type_keeps_a_method(play: Play, slot: Slot) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.anything = clock.tick
    report = save_report(slot.save(manager))
    assert places(mismatches(report)) == ["Clock.anything"]
    slot.load(manager)
    assert only(manager, play.game.Clock).anything.__name__ == "tick"


# -- what is not saved

OTHERS = {
    "a function": "game.rings",
    "a lambda": "lambda: 1",
    "a method of an object that is not saveable": "game.Stranger().knock",
    "a class method": "game.Clock.made",
    "a static method": "clock.now",
    "a method of a base that the class overrides": "game.Alarm().parents_tick()",
    "a method of a library": "'a'.upper",
    "an attribute of one object": "setattr(clock, 'own', len) or clock.own",
}


@pytest.mark.parametrize("code", OTHERS.values(), ids=[*OTHERS])
def test_other_callables_are_reported_and_lost(
    play: Play, slot: Slot, code: str
) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.on_tick = eval(code, {"game": play.game, "clock": clock})
    report = save_report(slot.save(manager))
    assert places(lost(report)) == ["Clock.on_tick"]
    refused("strict capture", lambda: manager.create_snapshot(strict=True), "on_tick")
    slot.load(other := play.manager())
    assert only(other, play.game.Clock).on_tick is None


def test_a_lost_function_is_named_with_what_can_be_saved(play: Play) -> None:
    manager = play.manager()
    manager.add(play.game.Clock()).on_tick = play.game.rings
    (value,) = manager.create_snapshot().lost
    assert "a function is not a value that can be saved; only a method" in str(value)


def test_a_method_of_a_destroyed_object_is_none_and_leaves_lists(play: Play) -> None:
    manager = play.manager()
    clock, bell = manager.add(play.game.Clock()), manager.add(play.game.Bell())
    clock.on_tick = bell.ring
    clock.listeners = [bell.ring, clock.tick]
    clock.plan = [(1, bell.ring)]
    manager.destroy(bell)
    manager.apply_snapshot(manager.create_snapshot())
    assert clock.on_tick is None
    assert clock.listeners == [clock.tick]
    assert clock.plan == [(1, None)]


# -- saves of another version


def save_with(play: Play, slot: Slot) -> None:
    manager = play.manager()
    clock, bell = manager.add(play.game.Clock()), manager.add(play.game.Bell())
    clock.on_tick, clock.listeners = bell.ring, [clock.tick, bell.ring]
    clock.plan = [(3, bell.ring)]
    slot.save(manager)


def test_a_renamed_method_is_reported_does_nothing_and_is_saved_again(
    games: Games, slot: Slot
) -> None:
    older = games(bell() + CLOCK)
    newer = games(bell("chime") + CLOCK, after=older)
    newest = games(bell("chime", "ring = chime") + CLOCK, after=newer)
    with older.playing() as play:
        save_with(play, slot)
    with newer.playing() as play:
        manager = play.manager()
        report = load_report(slot.load(manager))
        fields = ["Clock.listeners", "Clock.on_tick", "Clock.plan"]
        assert places(lost(report)) == fields
        assert "has no method `ring`; if you renamed it, add `ring = " in str(report)
        clock = only(manager, play.game.Clock)
        assert clock.on_tick(1, a=2) is None
        assert clock.listeners[0] == clock.tick and clock.plan[0][1] == clock.on_tick
        assert only(manager, play.game.Bell).rung == 0
        manager.create_snapshot(strict=True)
        slot.save(manager)
    with newest.playing() as play:
        manager = play.manager()
        assert not lost(load_report(slot.load(manager)))
        clock = only(manager, play.game.Clock)
        assert clock.on_tick == only(manager, play.game.Bell).chime
        slot.save(manager)
    with newer.playing() as play:
        manager = play.manager()
        assert not lost(load_report(slot.load(manager)))  # saved under its new name


def test_a_method_of_a_preserved_object_comes_back_with_its_class(
    games: Games, slot: Slot
) -> None:
    older = games(bell() + CLOCK)
    newer = games(CLOCK, after=older)
    newest = games(bell() + CLOCK, after=newer)
    with older.playing() as play:
        save_with(play, slot)
    with newer.playing() as play:
        manager = play.manager()
        report = load_report(slot.load(manager))
        assert preserved(report)["Bell"] == 1
        assert only(manager, play.game.Clock).on_tick is None
        slot.save(manager)
    with newest.playing() as play:
        manager = play.manager()
        slot.load(manager)
        clock, bell_ = only(manager, play.game.Clock), only(manager, play.game.Bell)
        assert clock.on_tick == bell_.ring
        assert clock.listeners == [clock.tick, bell_.ring]


RECORDER = """
from savegen import Recorder, serializer, deserializer
from savegen.runtime import NO_REFERENCES

@saveable(transient=("toy",))
class Child(Recorder):
    class Behaviors(Enum):
        GIVE = 1

    toy = None

    def give(self, toy):
        self.toy = toy
        self.set_dirty(self.Behaviors.GIVE)

    @serializer(Behaviors.GIVE)
    def save_toy(self, record):
        record.save("toy", self.toy)

    @deserializer(Behaviors.GIVE)
    def load_toy(self, record):
        record.load("toy", lambda toy: setattr(self, "toy", toy))

@saveable(override=True)
class Alarm:
    own: Annotated[object, SaveOverride()]
    calls: Saved[list[Method]]

    def save_data(self, references=NO_REFERENCES):
        row = self.save_data_(references)
        row.own = [self.own]
        return row

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        (self.own,) = data.own
"""


def recorded(play: Play) -> tuple[Any, dict[str, Any]]:
    """Return a manager, and a state that it saves."""
    manager, state = play.manager(), dict[str, Any]()
    manager.add_state(
        "now", lambda: state.get("now"), lambda method: state.update(now=method)
    )
    return manager, state


def methods_in(play: Play, manager: Any, state: dict[str, Any]) -> list[Any]:
    alarm = only(manager, play.game.Alarm)
    return [only(manager, play.game.Child).toy, alarm.own, *alarm.calls, state["now"]]


def test_methods_without_a_declared_field_are_saved_and_may_be_missing(
    games: Games, slot: Slot
) -> None:
    older = games(bell() + RECORDER)
    newer = games(bell("chime") + RECORDER, after=older)
    with older.playing() as play:
        manager, state = recorded(play)
        ring = manager.add(play.game.Bell()).ring
        manager.add(play.game.Child()).give(ring)
        alarm = manager.add(play.game.Alarm())
        alarm.own, alarm.calls, state["now"] = ring, [ring], ring
        slot.save(manager)
        manager, state = recorded(play)
        assert not lost(load_report(slot.load(manager)))
        ring = only(manager, play.game.Bell).ring
        assert methods_in(play, manager, state) == [ring] * 4
    for _ in range(2):
        with newer.playing() as play:
            manager, state = recorded(play)
            report = load_report(slot.load(manager))
            fields = ["Alarm.calls", "Alarm.own", "Child.'toy'", "now"]
            assert places(lost(report)) == fields
            assert {m() for m in methods_in(play, manager, state)} == {None}
            manager.create_snapshot(strict=True)
            slot.save(manager)


@pytest.mark.parametrize("name", ["__init__", "time", "made", "now", "save_data", "x"])
def test_a_save_cannot_name_anything_but_a_method(play: Play, name: str) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.on_tick = clock.tick
    snapshot = manager.create_snapshot()
    (table,) = snapshot.tables.values()
    table.rows[0].on_tick = (table.keys[0], name)
    other = play.manager()
    with promised("a save with an unknown method loads"):
        report = load_report(other.apply_snapshot(decode(encode(snapshot), other)))
    assert places(lost(report)) == ["Clock.on_tick"]
    assert only(other, play.game.Clock).on_tick() is None


def test_a_game_gets_an_error_for_an_unknown_method(play: Play) -> None:
    manager = play.manager()
    clock = manager.add(play.game.Clock())
    clock.on_tick = clock.tick
    row = clock.save_data(manager)
    row.on_tick = (row.on_tick[0], "x")
    with pytest.raises(SaveError, match="`Clock` has no method `x`"):
        clock.load_data(row, manager)
