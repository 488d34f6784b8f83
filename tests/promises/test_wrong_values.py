"""A player never loses progress because an annotation was wrong.

A value that does not fit its field is saved as what it is, comes back exactly, and is reported.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum
from random import Random
from typing import Any

import pytest

from tests.promises.door import (
    Autosave,
    History,
    SaveApplyError,
    SaveError,
    decode,
    encode,
    load_report,
    lost,
    mismatches,
    places,
    promised,
    refused,
    save_report,
)
from tests.promises.games import Games, Play, Slot

GAME = """
from datetime import date, datetime
from typing import TypedDict
from uuid import UUID

import numpy as np

class Mood(Enum):
    CALM = 1
    ANGRY = 2

class Other(Enum):
    CALM = 1

class Level(IntEnum):
    ONE = 1

class Point(NamedTuple):
    x: float
    y: float

@dataclass
class Box:
    low: int
    tags: list[str]

class Sheet(TypedDict):
    level: int

class Word(str):
    pass

class Surface:
    '''What no field can hold.'''

@saveable
class Item:
    name: Saved[str] = ""

@saveable
class Hero:
    hp: Saved[int] = 10
    speed: Saved[float] = 1.0
    name: Saved[str] = "Grub"
    mood: Saved[Mood] = Mood.CALM
    at: Saved[Point] = Point(0.0, 0.0)
    seen: Saved[date | None] = None
    pair: Saved[tuple[int, str]] = (1, "a")
    path: Saved[list[Point]]
    words: Saved[list[str]]
    score: Saved[dict[str, int]]
    flags: Saved[set[int]]
    box: Saved[Box]
    maze: Saved[tuple[tuple[int, ...], ...]] = ()
    friend: Saved[Hero | None] = None
    bag: Saved[list[Item]]
    named: Saved[dict[str, Item]]
    aim: Saved[float]
    other: Saved[Other] = Other.CALM
    level: Saved[Level] = Level.ONE
    size: Saved[Literal["s", "l"]] = "s"
    rank: Saved[Literal["a", "b"] | None] = None
    sheet: Saved[Sheet | None] = None

    def __init__(self):
        self.path = []
        self.words = []
        self.score = {}
        self.flags = set()
        self.box = Box(1, [])
        self.bag = []
        self.named = {}
        self.aim = 0.5

@saveable(override=True)
class Chest:
    gold: Saved[int] = 1
    at: Saved[Point] = Point(0.0, 0.0)
    keys: Saved[set[int]]
    words: Saved[list[str]]
    place: Saved[Box | Point | None] = None
    fails = False
    written = None  # by its `save_data`, by name
    loaded = None

    def __init__(self):
        self.keys = set()
        self.words = []

    def save_data(self, references=NO_REFERENCES):
        if self.fails:
            raise ValueError("the chest is locked")
        data = self.save_data_(references)
        for name, cell in (self.written or {}).items():
            setattr(data, name, cell)
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.loaded = data
"""


def with_hero(play: Play, **fields: Any) -> tuple[Any, Any]:
    """Return a manager with one hero, and the hero; some of its fields are set."""
    manager = play.manager()
    hero = manager.add(play.game.Hero())
    for name, value in fields.items():
        setattr(hero, name, value)
    return manager, hero


def saved_and_loaded(play: Play, slot: Slot, **fields: Any) -> tuple[Any, Any]:
    """Return what saving a hero has returned, and the hero of a new manager."""
    manager, _ = with_hero(play, **fields)
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    other = play.manager()
    with promised("what was saved loads"):
        slot.load(other)
    (hero,) = other.find(play.game.Hero)
    return info, hero


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are of the same types and equal, all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return [*map(repr, one.items())] == [*map(repr, other.items())]
    return repr(one) == repr(other) and (one == other or one != one)


WRONG = {
    "float in int": ("hp", "8.5"),
    "None in int": ("hp", "None"),
    "str in int": ("hp", "'8'"),
    "list in int": ("hp", "[8, 'x', [None]]"),
    "IntEnum in int": ("hp", "Level.ONE"),
    "str in float": ("speed", "'fast'"),
    "complex in float": ("speed", "1j"),
    "bytes in str": ("name", "b'Grub'"),
    "UUID in str": ("name", "UUID(int=7)"),
    "date in str": ("name", "date(2020, 1, 2)"),
    "another enum": ("mood", "Other.CALM"),
    "the name of a member": ("mood", "'CALM'"),
    "the value of a member": ("mood", "1"),
    "tuple in NamedTuple": ("at", "(1.0, 2.0)"),
    "str in date": ("seen", "'2020-01-02'"),
    "list in tuple": ("pair", "[1, 'a']"),
    "a longer tuple": ("pair", "(1, 'a', 2)"),
    "None in tuple": ("pair", "(None, 'a')"),
    "tuple in list": ("words", "('a', 'b')"),
    "set in list": ("words", "{'a'}"),
    "str in list": ("words", "'abc'"),
    "int in list of str": ("words", "['a', 7, 'b']"),
    "tuple in list of NamedTuple": ("path", "[Point(0.0, 1.0), (1.0, 2.0)]"),
    "Counter in dict": ("score", "Counter(a=1, b=2)"),
    "OrderedDict in dict": ("score", "OrderedDict(b=1, a=2)"),
    "float in dict": ("score", "{'a': 1, 'b': 0.5}"),
    "int as key": ("score", "{1: 1}"),
    "frozenset in set": ("flags", "frozenset({1, 2})"),
    "list in set": ("flags", "[1, 2]"),
    "None in dataclass": ("box", "None"),
    "dict in dataclass": ("box", "{'low': 1, 'tags': []}"),
    "no text in literal": ("size", "''"),
    "list in literal": ("size", "[]"),
    "str in optional literal": ("rank", "'c'"),
    "another dict in TypedDict": ("sheet", "{'level': 1, 'age': 2}"),
}

VALUES = ("field", "text")


def value_of(play: Play, text: str) -> Any:
    return eval(text, vars(play.game))


@pytest.mark.parametrize(
    VALUES,
    WRONG.values(),
    ids=[*WRONG],
)
def test_a_wrong_value_is_saved_and_comes_back_exactly(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    value = value_of(play, text)
    _, hero = saved_and_loaded(play, slot, **{field: value})
    assert alike(getattr(hero, field), value_of(play, text))
    assert alike(hero.aim, 0.5), "the other fields are as they were"


@pytest.mark.parametrize(
    VALUES,
    WRONG.values(),
    ids=[*WRONG],
)
def test_a_wrong_value_comes_back_exactly_from_a_snapshot(
    play: Play, field: str, text: str
) -> None:
    manager, hero = with_hero(play, **{field: value_of(play, text)})
    with promised("a snapshot holds any value"):
        before = manager.create_snapshot()
    setattr(hero, field, getattr(play.game.Hero(), field))
    manager.apply_snapshot(before)
    assert alike(getattr(hero, field), value_of(play, text))


@pytest.mark.parametrize(
    ("field", "member"),
    [
        ("hp", "Item()"),
        ("name", "Item()"),
        ("speed", "[Item()]"),
        ("words", "[Item(), 'sword']"),
    ],
)
def test_objects_in_a_field_of_numbers_or_text_are_saved(
    play: Play, slot: Slot, field: str, member: str
) -> None:
    info, hero = saved_and_loaded(play, slot, **{field: value_of(play, member)})
    found = getattr(hero, field)
    assert isinstance(found[0] if isinstance(found, list) else found, play.game.Item)
    assert places(lost(save_report(info))) == []


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("friend", "Item()", r"`Hero\.friend` holds an Item"),
        ("bag", "[Item(), Hero()]", r"`Hero\.bag\[1\]` holds a Hero"),
        ("named", "{'a': Hero()}", r"`Hero\.named\['a'\]` holds a Hero"),
        ("words", "['a', 7]", r"`Hero\.words\[1\]` holds an int, 7"),
    ],
)
def test_strict_capture_names_the_innermost_value_that_is_wrong(
    play: Play, field: str, text: str, words: str
) -> None:
    manager, _ = with_hero(play, **{field: value_of(play, text)})
    with pytest.raises(SaveError, match=words):
        manager.create_snapshot(strict=True)


def test_a_snapshot_does_not_change_with_a_wrong_value(play: Play) -> None:
    manager, hero = with_hero(play, hp=[1], name={"a": [1]}, words=[[1]], size=[])
    history = History(manager)
    history.record()
    hero.hp.append(2)
    hero.name["a"].append(2)
    hero.words[0].append(2)
    hero.size.append(2)
    history.record()
    history.rewind(1)
    assert (hero.hp, hero.name, hero.words) == ([1], {"a": [1]}, [[1]])
    assert hero.size == []


@pytest.mark.parametrize(VALUES, WRONG.values(), ids=[*WRONG])
def test_strict_capture_refuses_what_a_report_names(
    play: Play, field: str, text: str
) -> None:
    manager, _ = with_hero(play, **{field: value_of(play, text)})
    assert mismatches(manager.apply_snapshot(manager.create_snapshot()))
    with pytest.raises(SaveError, match=rf"`Hero\.{field}"):
        manager.create_snapshot(strict=True)


def test_a_key_of_a_subclass_of_str_is_no_key_of_a_typed_dict(play: Play) -> None:
    manager, _ = with_hero(play, sheet=value_of(play, "{Word('level'): 1}"))
    with pytest.raises(SaveError, match=r"`Hero\.sheet`"):
        manager.create_snapshot(strict=True)


def test_a_wrong_value_is_not_asked_whether_it_equals_anything(
    play: Play, slot: Slot
) -> None:
    values = value_of(play, "np.zeros(2)")
    _, hero = saved_and_loaded(play, slot, rank=values)
    assert hero.rank.tolist() == [0.0, 0.0]
    _, hero = saved_and_loaded(play, slot, size=values)
    assert hero.size.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    VALUES,
    [
        ("gold", "'much'"),
        ("at", "Point(True, 2.0)"),
        ("keys", "{1.5}"),
        ("words", "[True]"),
        ("place", "Box(1.5, [])"),
    ],
)
def test_a_wrong_value_in_a_class_with_its_own_save_data_comes_back_exactly(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    manager, chest = play.manager(), play.game.Chest()
    manager.add(chest)
    setattr(chest, field, value_of(play, text))
    before = manager.create_snapshot()
    slot.save(manager)
    setattr(chest, field, None)
    manager.apply_snapshot(before)
    assert alike(getattr(chest, field), value_of(play, text))
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Chest)
    assert alike(getattr(loaded, field), value_of(play, text))


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("words", "abc"),
        ("words", {"a": 1}),
        ("keys", {1.5, 2}),
        ("at", {0: 0.5, 1: 0.5}),
        ("gold", [1]),
        ("place", [True, None, None]),
    ],
)
def test_what_a_save_data_of_the_games_own_puts_into_the_wrong_cell_is_a_mismatch(
    play: Play, slot: Slot, cell: str, written: Any
) -> None:
    manager, chest = play.manager(), play.game.Chest()
    manager.add(chest)
    chest.written = {cell: written}
    with promised("saving works whatever a cell holds"):
        report = save_report(slot.save(manager))
    (where,) = places(mismatches(report))
    assert where.removesuffix("{}") == f"Chest.{cell}"
    assert [each.extras for each in manager.create_snapshot().tables.values()]
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Chest)
    assert alike(getattr(loaded, cell), written)


def test_a_snapshot_shares_nothing_with_what_a_save_data_has_written(
    play: Play,
) -> None:
    manager, chest = play.manager(), play.game.Chest()
    manager.add(chest)
    written: dict[str, Any] = {
        "words": ["a"],
        "keys": [1],
        "place": [1, [1, ["a"]], None],
    }
    chest.written = written
    before = manager.create_snapshot()
    written["words"].append("b")
    written["keys"].append(2)
    written["place"][1][1].append("b")
    manager.apply_snapshot(before)
    assert (chest.words, chest.keys) == (["a"], {1})


def test_a_snapshot_shares_nothing_with_what_a_load_data_has_kept(play: Play) -> None:
    manager, chest = play.manager(), play.game.Chest()
    manager.add(chest)
    chest.words, chest.place = ["a"], value_of(play, "Box(1, ['a'])")
    before = manager.create_snapshot()
    for turn in range(2):
        chest.words, chest.place = [], None
        manager.apply_snapshot(before)
        assert (chest.words, chest.place.tags) == (["a"], ["a"])
        chest.loaded.words.append("b")
        chest.loaded.place[1][1].append("b")
        chest.loaded.gold = 7


def test_a_generator_in_a_field_of_another_kind_stops_no_save(
    play: Play, slot: Slot
) -> None:
    _, hero = saved_and_loaded(play, slot, name=Random(1), words=[Random(2)])
    assert hero.name.random() == Random(1).random()
    assert hero.words[0].random() == Random(2).random()


@pytest.mark.parametrize(
    ("field", "text", "value", "declared"),
    [
        ("hp", "8.5", "8.5", "int"),
        ("mood", "'CALM'", "'CALM'", "Mood"),
        ("words", "('a', 'b')", "('a', 'b')", "list[str]"),
        ("box", "None", "None", "Box"),
    ],
)
def test_a_report_names_object_field_value_and_declared_type(
    play: Play, slot: Slot, field: str, text: str, value: str, declared: str
) -> None:
    manager, hero = with_hero(play, **{field: value_of(play, text)})
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    (found,) = mismatches(save_report(info))
    assert found.where == f"Hero.{field}"
    assert (found.value, found.declared) == (value, declared)
    assert found.key == manager.key_of(hero)
    assert lost(save_report(info)) == []


OPEN = """
from typing import Any
from savegen import Recorder, deserializer, serializer
from savegen.runtime import Record

class Rank(IntEnum):
    LOW = 1

class Other(IntEnum):
    HIGH = 2

@saveable(override=True)
class Hero(Recorder):
    class Behaviors(Enum):
        RISE = 1

    rank: Saved[Rank | None] = None
    any: Annotated[Any, SaveOverride(editor=False)] = None
    risen: Any = None

    @serializer(Behaviors.RISE)
    def save_rise(self, record: Record) -> None:
        record.save("risen", self.risen)

    @deserializer(Behaviors.RISE)
    def load_rise(self, record: Record) -> None:
        record.load("risen", lambda risen: setattr(self, "risen", risen))

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data[self.SaveLoadFields.ANY] = self.any
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.any = data[self.SaveLoadFields.ANY]
"""


def test_an_enumeration_comes_back_where_no_type_is_declared(
    games: Games, slot: Slot
) -> None:
    with games(OPEN).playing() as play:
        manager, game, states = play.manager(), play.game, [0]
        hero = manager.add(game.Hero())
        hero.any, hero.risen = game.Rank.LOW, [game.Other.HIGH, 1]
        hero.set_dirty(game.Hero.Behaviors.RISE)
        manager.add_state("rank", lambda: hero.any, states.append)
        report = save_report(slot.save(manager))
        assert not report.as_base and lost(report) == []
        other = play.manager()
        other.add_state("rank", lambda: None, states.append)
        slot.load(other)
        (loaded,) = other.objects
        found = loaded.any, loaded.risen, states[-1]
        assert repr(found) == repr((hero.any, hero.risen, hero.any))


UNDECLARED = {
    "IntEnum": ("hp", "Rank.HIGH", 3),
    "IntFlag": ("hp", "Way.N | Way.E", 3),
    "StrEnum": ("name", "Kind.ORC", "orc"),
    "str": ("name", "Loud('Grub')", "Grub"),
    "in a list": ("words", "['a', Kind.ORC]", ["a", "orc"]),
}


@pytest.mark.parametrize(
    ("field", "text", "left"), UNDECLARED.values(), ids=[*UNDECLARED]
)
def test_a_number_or_text_of_a_class_that_no_field_declares_is_not_lost(
    play: Play, slot: Slot, field: str, text: str, left: Any
) -> None:
    class Rank(IntEnum):
        HIGH = 3

    class Way(IntFlag):
        N = 1
        E = 2

    class Kind(StrEnum):
        ORC = "orc"

    class Loud(str):
        def __str__(self) -> str:
            return self.upper()

    value = eval(text)
    manager, hero = with_hero(play, **{field: value})
    refused("strict", lambda: manager.create_snapshot(strict=True), f"Hero.{field}")
    report = save_report(slot.save(manager))
    assert lost(report) == [] and not report.is_exact
    (as_base,) = report.as_base
    assert as_base.endswith((" as int", " as str"))
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Hero)
    assert alike(getattr(loaded, field), left)
    assert getattr(hero, field) is value


DATED = """
from datetime import date

@saveable(override=True)
class Diary:
    due: Saved[list[date]]

    def __init__(self) -> None:
        self.due = [date(2001, 2, 3)]

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data.due = [*data.due, "tomorrow"]
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
"""


def test_a_text_of_an_override_that_no_load_could_read_is_a_mismatch(
    games: Games, slot: Slot
) -> None:
    with games(DATED).playing() as play:
        manager, other = play.manager(), play.manager()
        manager.add(play.game.Diary())
        refused("strict", lambda: manager.create_snapshot(strict=True), "Diary.due")
        report = save_report(slot.save(manager))
        assert places(mismatches(report)) == ["Diary.due[0]"]
        slot.load(other)
        (diary,) = other.objects
        assert diary.due == ["2001-02-03", "tomorrow"]


@pytest.mark.parametrize(
    ("field", "text", "part"),
    [
        ("words", "['a', 7]", "7"),
        ("score", "{'a': 1, 'b': 0.5}", "0.5"),
        ("path", "[Point(0.0, 1.0), (1.0, 2.0)]", "(1.0, 2.0)"),
        ("pair", "(None, 'a')", "None"),
    ],
)
def test_a_report_shows_the_wrong_part_of_a_container(
    play: Play, slot: Slot, field: str, text: str, part: str
) -> None:
    manager, _ = with_hero(play, **{field: value_of(play, text)})
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    (found,) = mismatches(save_report(info))
    assert found.where.startswith(f"Hero.{field}[") and found.value == part


def test_an_int_fits_a_float_and_stays_an_int(play: Play, slot: Slot) -> None:
    info, hero = saved_and_loaded(play, slot, speed=2**60 + 1)
    assert mismatches(save_report(info)) == []
    assert alike(hero.speed, 2**60 + 1)
    with_hero(play, speed=7)[0].create_snapshot(strict=True)


LONG = {
    "int": ("hp", "2**70"),
    "str": ("name", "'\\ud800'"),
    "tuple": ("pair", "(-(2**70), '\\udfff')"),
    "list": ("words", "['a', '\\ud800']"),
    "dict": ("score", "{'\\ud800': 2**64}"),
    "set": ("flags", "{2**70, 1}"),
    "dataclass": ("box", "Box(2**70, ['\\ud800'])"),
    "nested": ("maze", "((1, 2**70), (), (3,))"),
}


@pytest.mark.parametrize(VALUES, LONG.values(), ids=[*LONG])
def test_what_fits_its_field_but_no_cell_of_a_file_is_no_mismatch(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    value = value_of(play, text)
    manager, hero = with_hero(play, **{field: value})
    snapshot = manager.create_snapshot(strict=True)
    data = encode(snapshot, strict=True)
    assert decode(data, manager).digest() == snapshot.digest()
    report = save_report(slot.save(manager))
    assert mismatches(report) == [] and report.is_exact
    other = play.manager()
    report = load_report(slot.load(other))
    assert mismatches(report) == [] and "mismatch" not in repr(report)
    (loaded,) = other.find(play.game.Hero)
    assert alike(getattr(loaded, field), value)
    assert encode(other.create_snapshot()) == data


def test_a_report_names_each_of_several_wrong_values(play: Play, slot: Slot) -> None:
    manager, _ = with_hero(play, hp=8.5, name=None)
    manager.add(play.game.Hero()).speed = "fast"
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    assert places(mismatches(save_report(info))) == [
        *("Hero.hp", "Hero.name", "Hero.speed"),
    ]


def test_a_world_of_right_values_is_reported_without_a_mismatch(
    play: Play, slot: Slot
) -> None:
    info = slot.save(with_hero(play)[0])
    report = save_report(info)
    assert (mismatches(report), lost(report)) == ([], [])


def test_a_wrong_value_survives_as_many_saves_and_loads_as_there_are(
    play: Play, slot: Slot
) -> None:
    manager, _ = with_hero(play, hp=8.5, words=("a",))
    for _ in range(3):
        with promised("saving works whatever a field holds"):
            info = slot.save(manager)
        assert places(mismatches(save_report(info))) == ["Hero.hp", "Hero.words"]
        manager = play.manager()
        loaded = slot.load(manager)
        report = load_report(loaded)
        assert places(mismatches(report)) == ["Hero.hp", "Hero.words"]
    (hero,) = manager.find(play.game.Hero)
    assert (hero.hp, hero.words) == (8.5, ("a",))


def test_a_wrong_value_is_recorded_in_a_journal(play: Play, slot: Slot) -> None:
    manager, hero = with_hero(play)
    for number in range(30):
        # The first save is larger than what is recorded behind it.
        manager.add(play.game.Hero()).name = f"hero {number} of a large save"
    autosave = Autosave(slot.slots, manager, slot="slot")
    autosave.record()
    hero.hp = 8.5
    with promised("recording works whatever a field holds"):
        info = autosave.record()
    assert "1.journal" in slot.files
    assert places(mismatches(save_report(info))) == ["Hero.hp"]
    hero.hp = 9
    assert mismatches(save_report(autosave.record())) == []
    hero.hp = 9.5
    autosave.record()
    other = play.manager()
    slot.load(other)
    assert [h.hp for h in other.find(play.game.Hero) if h.hp != 10] == [9.5]


def test_a_history_rewinds_to_wrong_values(play: Play) -> None:
    manager, hero = with_hero(play)
    history = History(manager)
    for value in (1, 8.5, "x", None, 4):
        hero.hp = value
        history.record()
    found = []
    for _ in range(4):
        history.rewind()
        found.append(hero.hp)
    assert [*map(repr, found)] == ["None", "'x'", "8.5", "1"]


def test_a_merge_copies_wrong_values(play: Play) -> None:
    manager, _ = with_hero(play, hp=8.5, name=None)
    other = play.manager()
    other.merge(manager.create_snapshot())
    (copy,) = other.find(play.game.Hero)
    assert (copy.hp, copy.name) == (8.5, None)


# -- numbers of numpy


def test_a_number_of_numpy_is_stored_as_the_number_of_python(
    play: Play, slot: Slot
) -> None:
    from numpy import float32, int64

    fields = {"hp": int64(2**62), "speed": float32(0.1), "score": {"a": int64(3)}}
    _, hero = saved_and_loaded(play, slot, **fields)
    assert alike(hero.hp, 2**62)
    assert alike(hero.speed, float(float32(0.1)))
    assert hero.score == {"a": 3}


def test_numbers_of_numpy_are_one_note_in_the_report(play: Play, slot: Slot) -> None:
    from numpy import int64

    manager, _ = with_hero(play, hp=int64(3))
    for number in range(5):
        manager.add(play.game.Hero()).hp = int64(number)
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    assert repr(save_report(info)).count("int64") == 1


# -- what cannot be saved at all

UNSAVEABLE = ["lambda: 0", "Surface()", "[Surface()]", "open", "game_module"]
unsaveable = pytest.mark.parametrize("text", UNSAVEABLE)


def unsaveable_value(play: Play, text: str) -> Any:
    return play.game if text == "game_module" else value_of(play, text)


@unsaveable
def test_what_cannot_be_saved_is_reported_as_lost_and_takes_its_default(
    play: Play, slot: Slot, text: str
) -> None:
    value = unsaveable_value(play, text)
    info, hero = saved_and_loaded(play, slot, hp=value, name="Snag")
    (found,) = lost(save_report(info))
    where = "Hero.hp[0]" if text.startswith("[") else "Hero.hp"
    assert (found.where, found.declared) == (where, "int")
    left = [None] if text.startswith("[") else 10  # only the part of a list is lost
    assert (hero.hp, hero.name) == (left, "Snag")


@unsaveable
def test_strict_capture_refuses_what_cannot_be_saved(play: Play, text: str) -> None:
    manager, _ = with_hero(play, hp=unsaveable_value(play, text))
    refused("strict", lambda: manager.create_snapshot(strict=True), "Hero.hp")


# -- attributes that are not set


def test_an_attribute_that_is_not_set_is_not_set_after_a_load(
    play: Play, slot: Slot
) -> None:
    manager, hero = with_hero(play)
    del hero.aim
    slot.save(manager)
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Hero)
    assert not hasattr(loaded, "aim")
    hero.aim = 0.75
    snapshot = decode(encode(manager.create_snapshot()), manager)
    del hero.aim
    manager.apply_snapshot(snapshot)
    assert next(manager.find(play.game.Hero)).aim == 0.75


def test_an_attribute_that_is_not_set_is_reported(play: Play, slot: Slot) -> None:
    manager, hero = with_hero(play)
    del hero.aim
    assert places(mismatches(save_report(slot.save(manager)))) == ["Hero.aim"]


def test_strict_capture_refuses_an_attribute_that_is_not_set(play: Play) -> None:
    manager, hero = with_hero(play)
    del hero.aim
    refused("strict", lambda: manager.create_snapshot(strict=True), "Hero.aim")


# -- a present world that is broken never stops a load

BROKEN = {
    "None for a list": ("path", None),
    "int for a dict": ("score", 3),
    "None for a dataclass": ("box", None),
    "int for a reference": ("friend", 3),
    "str for an int": ("hp", "x"),
}


def with_state(manager: Any) -> Any:
    """Let the undo of a load be a whole snapshot: code of the game runs in the load."""
    manager.add_state("turn", lambda: 1, lambda turn: None)
    return manager


@pytest.mark.parametrize(("field", "value"), BROKEN.values(), ids=[*BROKEN])
def test_a_good_save_loads_over_a_world_with_wrong_values(
    play: Play, slot: Slot, field: str, value: Any
) -> None:
    manager = with_state(play.manager())
    hero = manager.add(play.game.Hero())
    slot.save(manager)
    setattr(hero, field, value)
    with promised("a good save loads"):
        slot.load(manager)
    (loaded,) = manager.find(play.game.Hero)
    assert repr(getattr(loaded, field)) == repr(getattr(play.game.Hero(), field))


@pytest.mark.parametrize(("field", "value"), BROKEN.values(), ids=[*BROKEN])
def test_a_good_snapshot_is_applied_over_wrong_values(
    play: Play, field: str, value: Any
) -> None:
    manager, hero = with_hero(play)
    before = manager.create_snapshot()
    setattr(hero, field, value)
    with promised("a good snapshot is applied"):
        manager.apply_snapshot(before)
    assert repr(getattr(hero, field)) == repr(getattr(play.game.Hero(), field))


def test_a_load_that_fails_puts_the_wrong_values_back(play: Play) -> None:
    manager = with_state(play.manager())
    hero = manager.add(play.game.Hero())
    before = manager.create_snapshot()
    callback = object()
    hero.path, hero.score, hero.hp, hero.box = None, {1: callback}, callback, ["x"]
    manager.after_load.append(lambda: 1 / 0)
    with pytest.raises(SaveApplyError, match="division"):
        manager.apply_snapshot(before)
    assert hero.path is None and hero.score == {1: callback}
    assert hero.hp is callback and hero.box == ["x"]


def test_a_load_goes_on_if_an_object_of_the_present_world_cannot_be_saved(
    play: Play,
) -> None:
    manager = play.manager()
    chest = manager.add(play.game.Chest())
    before = manager.create_snapshot()
    chest.gold, chest.fails = 7, True
    with promised("a good snapshot is applied"):
        manager.apply_snapshot(before)
    assert chest.gold == 1


def test_a_load_that_fails_lists_what_could_not_be_put_back(play: Play) -> None:
    manager = play.manager()
    chest = manager.add(play.game.Chest())
    before = manager.create_snapshot()
    chest.gold, chest.fails = 7, True
    manager.after_load.append(lambda: 1 / 0)
    with pytest.raises(SaveApplyError) as caught:
        manager.apply_snapshot(before)
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert "division" in text and "Chest" in text


def test_a_save_that_raises_in_an_override_names_it(play: Play, slot: Slot) -> None:
    manager = play.manager()
    manager.add(play.game.Chest()).fails = True
    with pytest.raises(SaveError, match="Chest.save_data.*locked"):
        slot.save(manager)


def test_a_field_that_raises_when_it_is_read_counts_as_not_set(
    games: Games, slot: Slot
) -> None:
    game = games("""
@saveable
class Cart:
    wheels: Saved[int] = 4
    load: Saved[int]

    def __getattr__(self, name):
        raise KeyError(name)

    @property
    def speed(self) -> Saved[int]:
        return 7 // self.wheels

    @speed.setter
    def speed(self, value): ...
""")
    with game.playing() as play:
        manager = play.manager()
        manager.add(play.game.Cart()).wheels = 0
        report = save_report(slot.save(manager))
        assert places(mismatches(report)) == ["Cart.load", "Cart.speed"]


def test_what_a_save_data_of_the_game_leads_to_keeps_its_key(games: Games) -> None:
    game = games("""
@saveable
class Leaf:
    size: Saved[int] = 0

@saveable(override=True, transient=("friends",))
class Tree:
    keys: Annotated[Any, SaveOverride()] = None

    def __init__(self):
        self.friends = []

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data.keys = [references.key_of(each) for each in self.friends]
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.friends = [references.get_component(key) for key in data.keys]

@saveable
class Wood:
    tree: Saved[Tree | None] = None
""")
    with game.playing() as play:
        manager = play.manager()
        wood = manager.add(play.game.Wood())
        wood.tree = play.game.Tree()
        leaf = play.game.Leaf()
        wood.tree.friends = [leaf]
        digest = manager.create_snapshot().digest()
        key = manager.key_of(leaf)
        assert manager.create_snapshot().digest() == digest
        assert manager.key_of(leaf) == key


# -- random generators that a `save_data` of the game numbers

DICE = """
@saveable(override=True)
class Cup:
    dice: Saved[random.Random]
    spare: Saved[list[random.Random]]
    other: Saved[random.Random | None] = None
    written = None

    def __init__(self):
        self.dice, self.spare = random.Random(3), [random.Random(4)]

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        for name, cell in (self.written or {}).items():
            setattr(data, name, cell)
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
"""


@pytest.mark.parametrize("written", [{"dice": 77}, {"spare": [1, 77]}, {"other": 77}])
def test_a_generator_number_that_does_not_exist_stops_no_load(
    games: Games, slot: Slot, written: dict[str, Any]
) -> None:
    with games(DICE).playing() as play:
        manager = play.manager()
        cup = manager.add(play.game.Cup())
        cup.written = written
        (name,) = written
        refused("strict", lambda: manager.create_snapshot(strict=True), f"Cup.{name}")
        (where,) = places(mismatches(save_report(slot.save(manager))))
        assert where.removesuffix("[0]") == f"Cup.{name}"
        other = play.manager()
        with promised("what was saved loads"):
            slot.load(other)
        (loaded,) = other.find(play.game.Cup)
        assert getattr(loaded, name) == written[name]
