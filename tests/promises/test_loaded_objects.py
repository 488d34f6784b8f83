"""What a load leaves beside the fields: computed values are dropped, transient attributes are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.promises.door import GameObject, History, SaveError, decode, encode
from tests.promises.games import Game, Games, Play

GAME = """
from colorsys import *  # may bring any name, such as `set`

from contextlib import nullcontext

START = 7
SPEEDS = {"orc": 0, "bat": 7}
NOBODY = None

def loaded_picture():
    return object()

@saveable
class Deck:
    cards: Saved[list[int]]
    hand: Saved[Deck | None] = None

    def __init__(self, *cards, hand=None):
        self.cards = [*cards]
        self.hand = hand

    @cached_property
    def total(self):
        return sum(self.cards)

    @cached_property
    def all(self):
        return self.total + (self.hand.total if self.hand else 0)

@saveable(transient=(
    "state", "count", "glow", "label", "lit", "waiting", "cache", "seen", "pair",
    "turns", "period", "row", "picture", "owner", "names",
))
class Lamp:
    watts: Saved[int] = 60

    def __init__(self):
        self.state = None
        self.count = 0
        self.glow = -1.5
        self.label = "off"
        self.lit = False
        self.waiting = []
        self.cache = {}
        self.seen = set()
        self.pair = (1, "a")
        self.turns = START
        self.period = 2 * 30
        self.row = [0] * 3
        self.picture = None
        self.owner = NOBODY
        self.names = frozenset(["lamp"])

    @on_activate
    def load(self, reason):
        self.picture = (reason, loaded_picture())

@saveable(transient=("timer", "note"))
@dataclass
class Clock:
    hour: Saved[int] = 0
    timer: int = 5
    note: list[str] = field(default_factory=list)

class Body:
    def __init__(self):
        self.speed = 3
        self.tint = None
        self.stop()

    def stop(self):
        self.steps: list[int] = []

@saveable(transient=("speed", "tint", "steps", "__mood"))
class Horse(Body):
    name: Saved[str] = "Bo"
    tint = 5

    def __init__(self):
        super().__init__()
        self.__mood = "calm"
        self.speed = 7

    @property
    def mood(self):
        return self.__mood

@saveable(transient=("ringing", "tones", "hidden"))
class Bell:
    __slots__ = ("weight", "ringing", "tones", "hidden", "__weakref__")
    weight: Saved[int]

    def __init__(self, weight=1):
        self.weight = weight
        self.ringing, self.tones = False, {"a": [1]}
        if weight > 100:
            self.hidden = 1

@saveable(transient=("lent", "pages"))
@dataclass(slots=True, frozen=True)
class Book:
    title: Saved[str] = ""
    lent: bool = True
    pages: list[str] = field(default_factory=lambda: ["x"])
    next: Saved[Horse | None] = None

@saveable
class Walker:
    kind: Saved[str] = "orc"

    def __init__(self, kind="orc", hard=False):
        self.kind = kind
        self.speed = 3
        self.__steps = 0
        self.armour = 2
        if hard:
            self.armour += 5
        with nullcontext():
            self.boots = 4
        self.walk()

    def walk(self):
        self.speed = SPEEDS[self.kind] or self.speed
        self.__steps += 1
        self.armour = max(self.armour, 1)
        self.boots += 1

    @on_activate
    def wake(self, reason):
        self.walk()
        self.walked = self.__steps

@saveable
class Runner(Walker):
    def __init__(self, speed=9):
        super().__init__()
        self.speed = speed
"""


def in_a_new_world(play: Play, *things: Any) -> list[Any]:
    """Return copies of objects as a load from a file makes them."""
    manager, other = play.manager(), play.manager()
    for thing in things:
        manager.add(thing)
    other.apply_snapshot(decode(encode(manager.create_snapshot()), other))
    return [*other.objects]


# -- cached properties


def test_a_snapshot_drops_what_was_computed_from_old_fields(play: Play) -> None:
    manager = play.manager()
    deck = manager.add(play.game.Deck(1, 2))
    before = manager.create_snapshot()
    deck.cards.append(10)
    assert deck.total == 13
    manager.apply_snapshot(before)
    assert deck.total == 3


def test_a_snapshot_drops_what_was_computed_from_other_objects(play: Play) -> None:
    manager, deck = play.manager(), play.game.Deck
    hand = deck(1)
    holder = manager.add(deck(2, hand=hand))
    before = manager.create_snapshot()
    hand.cards.append(10)
    assert holder.all == 13
    manager.apply_snapshot(before)
    assert holder.all == 3


def test_a_history_drops_computed_values(play: Play) -> None:
    manager = play.manager()
    deck = manager.add(play.game.Deck())
    history = History(manager)
    for card in (1, 2, 3):
        deck.cards.append(card)
        deck.__dict__.pop("total", None)
        assert deck.total == sum(deck.cards)
        history.record()
    history.rewind(2)
    assert deck.total == 1


def test_a_computed_value_is_computed_again_in_a_new_object(play: Play) -> None:
    deck = play.game.Deck(1, 2)
    assert deck.total == 3
    (loaded,) = in_a_new_world(play, deck)
    assert "total" not in vars(loaded) and loaded.total == 3


def test_a_failed_load_leaves_no_value_that_it_has_computed(play: Play) -> None:
    manager = play.manager()
    deck, other = [manager.add(play.game.Deck(1, 2)) for _ in "12"]
    before = manager.create_snapshot()
    deck.cards.append(10)
    assert deck.total == 13

    def computes() -> None:
        totals.append(deck.total + other.total)
        raise OSError

    totals: list[int] = []
    manager.after_load.append(computes)
    with pytest.raises(SaveError):
        manager.apply_snapshot(before)
    assert totals == [6, 16] and deck.total == 13


# -- transient attributes

LITERALS: dict[str, tuple[str, Any]] = {
    "None": ("state", None),
    "int": ("count", 0),
    "negative float": ("glow", -1.5),
    "str": ("label", "off"),
    "bool": ("lit", False),
    "list": ("waiting", []),
    "dict": ("cache", {}),
    "set": ("seen", set()),
    "tuple": ("pair", (1, "a")),
    "constant": ("turns", 7),
    "product": ("period", 60),
    "repeated": ("row", [0, 0, 0]),
    "constant None": ("owner", None),
    "builtin function": ("names", frozenset(["lamp"])),
}


@pytest.mark.parametrize(
    ("name", "value"), [pytest.param(*LITERALS[name], id=name) for name in LITERALS]
)
def test_a_transient_attribute_of_a_new_object_is_as_init_sets_it(
    play: Play, name: str, value: Any
) -> None:
    first, second = in_a_new_world(play, play.game.Lamp(), play.game.Lamp())
    assert hasattr(first, name), "it is missing"
    assert getattr(first, name) == value and type(getattr(first, name)) is type(value)
    if isinstance(value, list | dict | set):
        assert getattr(first, name) is not getattr(second, name)


def test_a_transient_field_of_a_dataclass_has_its_default(play: Play) -> None:
    first, second = in_a_new_world(play, play.game.Clock(3, 9), play.game.Clock())
    assert (first.hour, vars(first).get("timer", first.timer)) == (3, 5)
    assert hasattr(first, "note"), "it is missing"
    assert first.note == [] and first.note is not second.note


def test_the_constructors_of_bases_and_what_they_call_are_read(play: Play) -> None:
    first, second = in_a_new_world(play, play.game.Horse(), play.game.Horse())
    assert (first.speed, first.tint, first.steps, first.mood) == (7, None, [], "calm")
    assert first.steps is not second.steps


def test_slots_are_set_and_what_is_set_at_times_is_not(play: Play) -> None:
    (bell,) = in_a_new_world(play, play.game.Bell(101))
    assert (bell.weight, bell.ringing, bell.tones) == (101, False, {"a": [1]})
    assert not hasattr(bell, "hidden")


def test_a_frozen_dataclass_with_slots_has_its_defaults(play: Play) -> None:
    book = play.game.Book("Emma", lent=False, next=play.game.Horse())
    (loaded,) = in_a_new_world(play, book)
    assert (loaded.title, loaded.lent, loaded.pages) == ("Emma", True, ["x"])
    assert loaded.next.steps == [], "an object that is only reached"


def test_a_component_of_a_new_object_is_set(play: Play) -> None:
    manager = play.manager()
    thing = manager.add(GameObject(play.game.Horse()))
    before = manager.create_snapshot()
    manager.destroy(thing)
    manager.apply_snapshot(before)
    (thing,) = manager.objects
    assert thing.get(play.game.Horse).speed == 7


def test_a_constant_that_is_gone_refuses_the_load(play: Play) -> None:
    manager, other = play.manager(), play.manager()
    manager.add(play.game.Lamp())
    snapshot = manager.create_snapshot()
    start = play.game.START
    del play.game.START
    try:
        with pytest.raises(SaveError, match="`turns` cannot be set"):
            other.apply_snapshot(decode(encode(snapshot), other))
    finally:
        play.game.START = start
    assert not [*other.objects]


def test_a_hook_sets_what_has_no_literal(play: Play) -> None:
    (lamp,) = in_a_new_world(play, play.game.Lamp())
    assert lamp.picture[0].name == "RESTORED"


def test_a_hook_finds_the_literals_of_init_in_what_it_assigns_itself(
    play: Play,
) -> None:
    game = play.game
    orc, bat, runner = in_a_new_world(
        play, game.Walker(hard=True), game.Walker("bat"), game.Runner()
    )
    assert [each.speed for each in (orc, bat, runner)] == [3, 7, 3]
    assert [each.walked for each in (orc, bat, runner)] == [1, 1, 1]
    assert [each.armour for each in (orc, bat, runner)] == [2, 2, 2]
    assert [each.boots for each in (orc, bat, runner)] == [5, 5, 5]


def test_transient_attributes_of_objects_that_stay_are_left_alone(play: Play) -> None:
    manager = play.manager()
    lamp = manager.add(play.game.Lamp())
    before = manager.create_snapshot()
    lamp.watts, lamp.count, lamp.waiting = 40, 5, ["x"]
    manager.apply_snapshot(before)
    assert (lamp.watts, lamp.count, lamp.waiting) == (60, 5, ["x"])


# -- a finding says what a load cannot set

LOADED = """
def load_sprite():
    return object()

@saveable(transient=("sprite",))
class Actor:
    hp: Saved[int] = 1

    def __init__(self):
        self.sprite = load_sprite()
{hook}
"""
HOOK = """
    @on_activate
    def wake(self, reason):
        self.sprite = load_sprite()
"""


def findings(folder: Path, hook: str) -> str:
    game = Game(folder, LOADED.format(hook=hook))
    game.command("wire", "--quiet")
    return game.command("components", "--no-color")[1]


def test_a_finding_names_a_transient_attribute_that_a_load_cannot_set(
    tmp_path: Path,
) -> None:
    assert "`Actor.sprite`" in findings(tmp_path, "")


def test_no_finding_names_a_transient_attribute_that_a_hook_sets(
    tmp_path: Path,
) -> None:
    assert "sprite" not in findings(tmp_path, HOOK)


# -- objects whose class loads itself

KEEPING = """
@saveable(override=True)
class Chest:
    coins: Saved[list[int]]

    def __init__(self):
        self.coins = []

    def save_data(self, references=NO_REFERENCES):
        return self.save_data_(references)

    def load_data(self, data, references=NO_REFERENCES):
        self.coins = data.coins

@prefab
class Vault:
    chest = part(Chest).set(coins=[1])
"""


def test_two_objects_of_a_prefab_share_nothing_that_their_load_data_keeps(
    games: Games,
) -> None:
    with games(KEEPING).playing() as play:
        manager, vault = play.manager(), play.types.PrefabType.VAULT
        one, two = (manager.spawn(vault).part("chest") for _ in range(2))
        one.coins.append(2)
        assert two.coins == [1]
        assert manager.spawn(vault).part("chest").coins == [1]


# -- what hooks learn about an object of a prefab

SHOWN = """
SHOWN = []

@saveable
class Picture:
    name: Saved[str] = "cave"

    @on_activate
    def show(self, reason):
        SHOWN.append(reason.name)

@prefab
class Cave:
    picture = part(Picture)
"""


def test_the_parts_of_an_object_that_a_load_builds_are_restored(games: Games) -> None:
    with games(SHOWN).playing() as play:
        manager, other = play.manager(), play.manager()
        cave = manager.spawn(play.types.PrefabType.CAVE)
        before = manager.create_snapshot()
        other.apply_snapshot(decode(encode(before), other))
        manager.apply_snapshot(before)
        manager.destroy(cave)
        manager.apply_snapshot(before, changed_only=True)
        expected = "SPAWNED RESTORED RELOADED RESTORED"
        assert play.game.SHOWN == expected.split()


DROPPING = """
@saveable
class Shell:
    size: Saved[int] = 1

@saveable
class Crab:
    name: Saved[str] = "new"

    @on_deactivate
    def drop(self):
        if self.name == "old":
            beach = MANAGER[0].object_of(self)
            beach.remove_component(beach.part("shell"))

MANAGER = []

@prefab
class Beach:
    crab = part(Crab)
    shell = part(Shell)
"""


def test_a_load_builds_another_object_if_one_from_a_pool_has_dropped_a_part(
    games: Games,
) -> None:
    with games(DROPPING).playing() as play:
        manager, beach = play.manager(), play.types.PrefabType.BEACH
        play.game.MANAGER.append(manager)
        manager.pool(beach)
        names = ("old", "calm")
        olds = [manager.spawn(beach, name=name) for name in names]
        olds[0].part("shell").size = 5
        data = encode(manager.create_snapshot())
        report = manager.apply_snapshot(decode(data, manager))
        loaded = manager.objects
        assert (report.created, len(manager.pool(beach))) == (2, 0)
        assert olds[0] not in loaded and olds[1] in loaded
        assert [each.part("crab").name for each in loaded] == [*names]
        assert [each.part("shell").size for each in loaded] == [5, 1]
        assert olds[0].components == (olds[0].part("crab"),)
