"""Rows of a small game: what `save_data` gives, and what `load_data` takes, without a manager."""

from __future__ import annotations


import pytest

from tests.project import Project

GAME = """
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, Flag
from random import Random
from typing import Annotated, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import msgspec
import numpy as np
import numpy.typing as npt

from savegen import Save, Saved, SaveOverride, saveable
from savegen.runtime import NO_REFERENCES, References, Row
from _savegen.components.game import CampSaveLoad, ItemSaveLoad, OrcSaveLoad, SwordSaveLoad

MADE = []

class Mood(Enum):
    CALM = 1
    ANGRY = 2

class Taste(Enum):
    CALM = 1

class Skills(Flag):
    DIG = 1
    SING = 2

class Vec2(NamedTuple):
    x: float
    y: float

@dataclass(frozen=True, slots=True)
class Scar:
    place: Vec2
    depth: int = 1

    def __post_init__(self):
        MADE.append("scar")

@dataclass
class Memory:
    who: Orc | None
    next: Memory | None = None

    def __init__(self, who, next=None):
        MADE.append("memory")
        self.who, self.next = who, next

class Coat(msgspec.Struct, frozen=True):
    colour: str
    holes: list[int] = []

    def __post_init__(self):
        MADE.append("coat")

class Bag(TypedDict):
    coins: int
    keys: NotRequired[list[str]]

@saveable
class Item(ItemSaveLoad):
    weight: Saved[float] = 1.0

@saveable
class Sword(SwordSaveLoad, Item):
    pass

@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 3
    mood: Saved[Mood | None] = Mood.CALM
    skills: Saved[Skills] = Skills(0)
    stance: Saved[Literal["up", "down"]] = "up"
    place: Saved[Vec2] = Vec2(0.0, 1.0)
    born: Saved[datetime] = datetime(2024, 10, 27, 2, 30, fold=1)
    id: Saved[UUID] = UUID(int=7)
    wants: Saved[type[Item]] = Item
    aim: Saved[str | list[int]] = "x"
    scars: Saved[tuple[Scar, ...]] = ()
    memory: Saved[Memory | None] = None
    coat: Saved[Coat | None] = None
    bag: Saved[Bag]
    trail: Saved[list[Vec2]]
    counts: Saved[defaultdict[str, int]]
    map: Saved[npt.NDArray[np.int64]]
    __luck: Annotated[float, Save(editor=False)] = 0.5

    def __init__(self):
        self.bag, self.trail, self.counts = {"coins": 1}, [], defaultdict(int)
        self.map = np.arange(4)

@saveable(override=True)
class Camp(CampSaveLoad):
    fire: Saved[bool] = True
    members: Saved[set[Orc]]
    chief: Saved[Orc | None] = None
    secret: Annotated[object, SaveOverride()] = None

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        data = self.save_data_(references)
        data[self.SaveLoadFields["SECRET"]] = "kept"
        return data

    def load_data(self, data: Row, references: References = NO_REFERENCES) -> None:
        self.load_data_(data, references)
        self.secret = data[self.SaveLoadFields["SECRET"]]
"""

HEAD = """
import msgspec
import numpy as np
import game
from game import *
from _savegen.components.game import OrcData, OrcFields
from _savegen.registry import REGISTRY
from savegen import SaveError
from savegen.runtime import UNSET
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import parse

class World(References):
    def __init__(self, *objects):
        self.objects = [None, *objects]
    def key_of(self, thing, /):
        return next(n for n, each in enumerate(self.objects) if each is thing)
    def get_component(self, key, /):
        return self.objects[key]
    def _class_at(self, number, /):
        return REGISTRY[number].load_class()

def fails(step, *words):
    try:
        step()
    except SaveError as error:
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(words)

def misfit(name, value):
    orc = Orc()
    setattr(orc, name, value)
    try:
        OrcSaveLoad.save_data.unchecked(orc, World())
    except Misfit as error:
        return error.value
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("rows"), {"game.py": GAME}).generated(
        "game.py"
    )


def test_a_row_holds_plain_data(project: Project) -> None:
    project.script(HEAD + """
data = Orc().save_data()
assert type(data) is OrcData and data.luck == 0.5 and data[OrcFields.LUCK] == 0.5
assert (data.mood, data.skills, data.stance) == ("CALM", "0x0", "up")
assert data.born == "2024-10-27T02:30:00#1" and data.id == bytes(15) + b"\\7"
assert data.wants == Item.save_type and data.aim == (0, "x", None)
assert data.bag == (1, ()) and data.counts == {} and data.scars == ()
assert data.map == np.arange(4).tobytes()
""")


def test_a_row_is_the_same_after_it_was_encoded(project: Project) -> None:
    project.script(HEAD + """
orc, friend = Orc(), Orc()
orc.scars = (Scar(Vec2(1.0, 2.0), 3),)
orc.memory = Memory(friend, Memory(None))
orc.coat, orc.bag = Coat("red", [1]), {"coins": 2, "keys": ["a"]}
orc.trail, orc.aim, orc.mood = [Vec2(3.0, -0.0)], [4], None
orc.counts["a"] += 2
world = World(orc, friend)
data = orc.save_data(world)
again = msgspec.msgpack.decode(msgspec.msgpack.encode(data), type=OrcData)
assert again == data and type(again) is OrcData
made = len(MADE)
new = Orc.__new__(Orc)
new.load_data(again, world)
assert len(MADE) == made, "a constructor has run"
assert new.memory.who is friend and new.memory.next.who is None
for name, value in vars(orc).items():
    found = getattr(new, name)
    if name == "map":
        assert found.tobytes() == value.tobytes() and found is not value
    elif name != "memory":
        assert found == value and type(found) is type(value), name
assert new.save_data(world) == data
assert REGISTRY[Orc.save_type].differing([new], [again], world) == []
""")


def test_a_value_of_another_type_does_not_fit_wherever_it_stands(
    project: Project,
) -> None:
    project.script(HEAD + """
for name, value in {
    "mood": Taste.CALM, "skills": 1, "place": (0.0, 1.0), "born": "today", "id": "x",
    "wants": int, "aim": 1.5, "bag": {"coin": 1}, "trail": (), "counts": {},
    "map": np.zeros(4), "scars": [],
}.items():
    assert misfit(name, value) is value, name
assert misfit("wants", Orc) is Orc and misfit("wants", Sword) is None
assert misfit("trail", [(0.0, 1.0)]) == (0.0, 1.0)
assert misfit("scars", (Scar((1.0, 2.0)),)) == (1.0, 2.0)
assert misfit("map", np.array([object()])).dtype == object
orc = Orc()
orc.trail = ()
fails(orc.save_data, "`Orc.trail` holds a tuple", "does not allow")
""")


def test_cells_that_are_not_set_leave_their_fields_alone(project: Project) -> None:
    project.script(HEAD + """
orc, other = Orc(), Orc()
orc.hp, orc.trail = 9, [Vec2(1.0, 1.0)]
data = orc.save_data()
data.hp = UNSET
assert OrcFields.HP not in data and OrcFields.TRAIL in data
other.load_data(data, World())
assert other.hp == 3 and other.trail == orc.trail and other.trail is not orc.trail
fails(lambda: other.load_data(Item().save_data()), "an ItemData cannot be loaded into an Orc")
""")


def test_references_need_something_that_knows_their_keys(project: Project) -> None:
    project.script(HEAD + """
orc, camp = Orc(), Camp()
camp.members, camp.chief = {orc}, None
fails(camp.save_data, "a reference to an Orc cannot be saved")
camp.members = set()
data = camp.save_data()
assert (data.members, data.chief, data.secret) == ([], 0, "kept")
data.chief = 5
fails(lambda: camp.load_data(data), "the component 5 cannot be found without a manager")
data = orc.save_data()
fails(lambda: Orc().load_data(data), "cannot be found without a manager")
""")


def test_what_hashes_objects_waits_until_all_are_filled(project: Project) -> None:
    project.script(HEAD + """
class Slow(World):
    steps = []
    def _when_filled(self, step, /):
        self.steps.append(step)

first, second, camp, new = Orc(), Orc(), Camp(), Camp()
camp.members, camp.chief = {first, second}, first
world = Slow(second, first)
data = camp.save_data(world)
assert data.members == [1, 2]
new.load_data(data, world)
assert new.chief is first and new.members == set()
for step in world.steps:
    step()
assert new.members == camp.members and new.secret == "kept"
""")


def test_the_registry_knows_the_stored_type_of_every_field(project: Project) -> None:
    project.script(HEAD + """
entry = REGISTRY[Orc.save_type]
assert entry.row is OrcData and [name for name, _ in entry.fields][-1] == "_Orc__luck"
for each in REGISTRY:
    assert len(each.row.__struct_fields__) == len(each.fields)
    for _, text in each.fields:
        assert str(parse(text)) == text
stored = dict(entry.fields)
items = " ".join(map(str, sorted(int(cls.save_type) for cls in (Item, Sword))))
assert stored["wants"] == f"class<{items}>"
assert stored["mood"] == "optional<enum game.Mood{CALM ANGRY}>"
assert stored["aim"] == "union<str | list<int>>" and stored["map"] == "ndarray<int64>"
assert "rec game.Memory" in stored["memory"] and "keys?: list<str>" in stored["bag"]
values = REGISTRY.values
for cls in (Mood, Skills, Vec2, Scar, Memory, Coat):
    found = values.of(cls)
    assert found is values[f"game.{cls.__qualname__}"] and found.load() is cls
assert values.of(Taste).stored == "enum game.Taste{CALM}"  # no field names it
assert values.of(Orc) is None
""")
