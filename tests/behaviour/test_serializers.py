"""What a level says of a prefab: decoded, looked at part by part, and loaded into components."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project

PLAIN = """
from __future__ import annotations
from dataclasses import KW_ONLY, InitVar, dataclass, field
from enum import Enum, IntFlag, nonmember
from types import ModuleType
from typing import Annotated, NamedTuple, TypedDict
import attrs, msgspec
from savegen import Asset

class Mood(Enum):
    CALM = 1
    ANGRY = 2
    _asleep = 3
    awake: int = 4
    last = nonmember(4)
    __private = 5

class Doors(IntFlag):
    NORTH = 1
    SOUTH = 2

class Vec2(NamedTuple):
    x: float
    y: float = 5.0

@dataclass(frozen=True)
class Node:
    hp: int
    _: KW_ONLY
    items: list[int] = field(default_factory=lambda: [9])
    next: Node | None = None
    seen: int = field(default=7, init=False)

@attrs.frozen
class Stats:
    _hp: int
    best: Vec2 = attrs.field()
    other: int = attrs.field(alias="spare", default=3)

    @best.default
    def _first(self):
        return Vec2(self._hp, 2)

@dataclass
class Seeded:
    hp: int
    seed: InitVar[int]

@dataclass
class Own:
    hp: int
    def __init__(self, size): self.hp = size

class Bag(TypedDict, total=False):
    coins: int
    moods: list[Mood]

@dataclass
class Pack:
    icons: list[Annotated[ModuleType, Asset()]]

class Route(msgspec.Struct, frozen=True):
    places: tuple[Vec2, ...]
    speed: float = msgspec.field(default=2.0)
    name: str = msgspec.field(name="called", default="x")
"""

THINGS = """
from __future__ import annotations
from collections import defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Annotated
import pygame
from savegen import Asset, Save, Saved, part, prefab, saveable
from game.plain import *
from game._savegen.components.things import (
    BodySaveLoad, BrainSaveLoad, CoinSaveLoad, GunSaveLoad
)

@saveable
class Body(BodySaveLoad):
    hp: Annotated[int, Save(ge=0, lt=100)] = 10
    name: Annotated[str, Save("title")] = "orc"
    awake: Saved[bool] = True
    size: Saved[Vec2] = Vec2(1, 1)
    trail: Saved[list[int]]
    heat: Annotated[float | None, Save(gt=0)] = None
    price: Annotated[Decimal | None, Save(ge=0)] = None
    share: Annotated[Fraction, Save(gt=0, le=1)] = Fraction(1)
    hidden: Annotated[int, Save(editor=False)] = 1
    cell: Annotated[int | tuple[int, int] | None, Save(ge=0)] = 0
    reach: Annotated[float | list[int], Save(gt=0, le=9.5)] = 1.0
    ratio: Saved[Fraction | tuple[int, int]] = Fraction(1)
    ratios: Saved[dict[str, list[Fraction | list[int] | None]]]
    tint: Saved[pygame.Color | dict[str, int]]

    def __init__(self) -> None:
        self.trail = [1, 2]

@saveable
class Gun(GunSaveLoad):
    ammo: Saved[int] = 3
    target: Saved[Body | None] = None
    seen: Saved[dict[Body, list[Body]]]
    icon: Annotated[ModuleType | None, Asset(), Save()] = None
    packs: Saved[dict[str, Pack]]

    def __init__(self) -> None:
        self.seen = {}

@saveable
class Brain(BrainSaveLoad):
    mood: Saved[Mood] = Mood.CALM
    doors: Saved[Doors] = Doors(0)
    node: Saved[Node | None] = None
    stats: Saved[Stats | None] = None
    bag: Saved[Bag | None] = None
    route: Saved[Route | None] = None
    deep: Saved[dict[str, list[tuple[Vec2, Mood] | None]]]
    grid: Saved[dict[tuple[int, int], Mood]]
    counts: Saved[defaultdict[Mood, int]]
    queue: Saved[deque[Mood]]
    kind: Saved[type[Body]] = Body
    seeded: Saved[Seeded | None] = None
    own: Saved[list[Own]]
    either: Saved[Mood | Node | list[Mood] | int | None] = None

@prefab
class Orc:
    body = part(Body)
    left = part(Gun).show(
        ammo="left_ammo", target=None, seen=None, icon=None, packs=None
    )
    right = part(Gun)
    brain = part(Brain)

@saveable(prefab=True)
class Coin(CoinSaveLoad):
    worth: Saved[int] = 1
"""

HEAD = """
import math
import msgspec
from game.plain import *
from game.things import Body, Brain, Coin, Gun
from game._savegen.prefab_info import PREFAB_INFO
from game._savegen.prefabs import AnySerializer, CoinSerializer, OrcSerializer
from game._savegen.types import PrefabType
from savegen.runtime import AssetRegistry, SaveError
from savegen.runtime.world.building import LocalKeys

def placing(assets=None, **placed):
    return LocalKeys(assets=assets, placed=placed.__getitem__)

def orc(json, level=None, assets=None):
    level = level or placing(assets)
    entry = msgspec.json.decode(json, type=AnySerializer)
    again = msgspec.json.decode(msgspec.json.encode(entry), type=AnySerializer)
    assert type(entry) is OrcSerializer and repr(again) == repr(entry)
    prefab = PREFAB_INFO.get_prefab(entry.get_prefab_type())
    names = {number: name for name, number in prefab.parts.items()}
    parts = {"body": Body(), "left": Gun(), "right": Gun(), "brain": Brain()}
    snapshots = entry.get_component_snapshots(level)
    for number, data in snapshots.items():
        parts[names[number]].load_data(data, level)
    level.finish()
    return parts, {names[number] for number in snapshots}

def brain(**values):
    text = msgspec.json.encode({"$type": "OrcSerializer", **values})
    return orc(text)[0]["brain"]

def refused(text, type=AnySerializer):
    try:
        msgspec.json.decode(text, type=type)
    except msgspec.ValidationError as error:
        return str(error)
    raise AssertionError(f"{text} is taken")
"""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {
        "pyproject.toml": '[tool.savegen]\nsource = ["game"]\n',
        "game/__init__.py": "",
        "game/plain.py": PLAIN,
        "game/things.py": THINGS,
    }
    return Project(tmp_path_factory.mktemp("serializers"), files).generated().prefabs()


def play(game: Project, script: str) -> None:
    """Run a script; it has assertions of its own."""
    game.script(HEAD + script)


def test_what_a_level_leaves_out_stays_as_it_is(game: Project) -> None:
    script = """
parts, said = orc('{"$type": "OrcSerializer"}')
assert said == set()
parts, said = orc('{"$type": "OrcSerializer", "hp": 11, "$id": "boss"}')
assert said == {"body"} and parts["body"].hp == 11
assert parts["body"].name == "orc" and parts["body"].trail == [1, 2]
"""
    play(game, script)


def test_nothing_at_all_is_something_to_say(game: Project) -> None:
    script = """
parts, said = orc('''{"$type": "OrcSerializer", "hp": 0, "title": "", "awake": false,
    "trail": [], "deep": {}, "left_ammo": 0}''')
body = parts["body"]
assert (body.hp, body.name, body.awake, body.trail) == (0, "", False, [])
assert parts["brain"].deep == {} and parts["left"].ammo == 0
assert said == {"body", "left", "brain"} and parts["right"].ammo == 3
"""
    play(game, script)


def test_null_is_said_where_there_can_be_none(game: Project) -> None:
    script = """
parts, said = orc('{"$type": "OrcSerializer", "heat": null, "target": null}')
assert said == {"body", "right"} and parts["body"].heat is None
assert "hp" in refused('{"$type": "OrcSerializer", "hp": null}')
"""
    play(game, script)


def test_what_is_no_parameter_is_refused(game: Project) -> None:
    script = """
for name in ("pH", "name", "hidden", "ammo_", "type", "left_target", "$typ"):
    assert name in refused('{"$type": "OrcSerializer", "%s": 1}' % name)
assert "Orc" in refused('{"$type": "Orc"}')
assert "$type" in refused('{"hp": 1}')
assert "z" in refused('{"$type": "OrcSerializer", "size": {"x": 1, "z": 2}}')
assert "x" in refused('{"$type": "OrcSerializer", "size": {"y": 1}}')
assert refused('{"$type": "OrcSerializer", "worth": 1}')
"""
    play(game, script)


def test_limits_hold(game: Project) -> None:
    script = """
for hp in (-1, 100, 2.5, '"1"', "true"):
    assert "hp" in refused('{"$type": "OrcSerializer", "hp": %s}' % hp)
for heat in (0, -1, '""'):
    assert "heat" in refused('{"$type": "OrcSerializer", "heat": %s}' % heat)
assert orc('{"$type": "OrcSerializer", "hp": 99, "heat": 0.1}')[0]["body"].hp == 99
"""
    play(game, script)


def test_limits_hold_where_msgspec_knows_none(game: Project) -> None:
    script = """
for name, value, must in (
    ("price", '"-0.1"', "at least 0"), ("price", "-1", "at least 0"),
    ("price", '"NaN"', "at least 0"), ("share", '"0"', "above 0 and at most 1"),
    ("share", '"3/2"', "above 0 and at most 1"),
):
    try:
        orc('{"$type": "OrcSerializer", "%s": %s}' % (name, value))
    except SaveError as error:
        assert str(error).startswith(repr(name)) and str(error).endswith(must), error
    else:
        raise AssertionError(value)
body = orc('{"$type": "OrcSerializer", "price": 0.5, "share": "1/2"}')[0]["body"]
assert str(body.price) == "0.5" and str(body.share) == "1/2"
assert orc('{"$type": "OrcSerializer", "price": null}')[0]["body"].price is None
"""
    play(game, script)


BESIDE_CONTAINERS = """
from fractions import Fraction
import gc
def body(name, value):
    text = msgspec.json.encode({"$type": "OrcSerializer", name: value})
    return getattr(orc(text)[0]["body"], name)

def fault(name, value):
    try:
        body(name, value)
    except SaveError as error:
        return str(error)
    raise AssertionError(f"{name} = {value} is taken")
"""


def test_limits_hold_beside_arrays_and_objects(game: Project) -> None:
    script = """
for _ in range(30):  # it was chance what msgspec read instead
    assert [body("cell", each) for each in (3, [-1, 2], None)] == [3, (-1, 2), None]
    assert [body("reach", each) for each in (9.5, [-1, 2])] == [9.5, [-1, 2]]
    gc.collect()
assert fault("cell", -1) == "'cell' cannot be -1: it must be at least 0"
assert "above 0 and at most 9.5" in fault("reach", 10)
"""
    play(game, BESIDE_CONTAINERS + script)


def test_texts_are_what_they_must_be_beside_arrays_and_objects(game: Project) -> None:
    script = """
half = Fraction(1, 2)
for _ in range(30):
    assert [body("ratio", each) for each in ("1/2", [1, 2])] == [half, (1, 2)]
    deep = {"a": ["1/2", [1, 2], None]}
    assert body("ratios", deep) == {"a": [half, [1, 2], None]}
    assert tuple(body("tint", "#010203ff")) == (1, 2, 3, 255)
    assert body("tint", {"r": 1}) == {"r": 1}
    gc.collect()
assert "'1/0' must match ^-?[0-9]+" in fault("ratio", "1/0")
assert "'x' must match" in fault("ratios", {"": ["x"]})
assert "'red' must match" in fault("tint", "red")
"""
    play(game, BESIDE_CONTAINERS + script)


def test_a_schema_tells_of_limits_beside_arrays_and_objects(game: Project) -> None:
    script = """
schema = msgspec.json.schema(OrcSerializer)["$defs"]["OrcSerializer"]["properties"]
assert {"type": "integer", "minimum": 0} in schema["cell"]["anyOf"]
number = {"type": "number", "exclusiveMinimum": 0, "maximum": 9.5}
assert number in schema["reach"]["anyOf"]
assert "pattern" in schema["ratio"]["anyOf"][0]
"""
    play(game, script)


def test_no_union_has_a_limit_beside_an_array_or_object(game: Project) -> None:
    script = """
import typing
from msgspec import inspect

def unions(type):
    if isinstance(type, inspect.Metadata):
        return unions(type.type)
    if isinstance(type, inspect.UnionType):
        yield [t.type if isinstance(t, inspect.Metadata) else t for t in type.types]
        for part in type.types:
            yield from unions(part)
    for name in ("item_type", "key_type", "value_type"):
        if hasattr(type, name):
            yield from unions(getattr(type, name))
    for part in getattr(type, "item_types", ()):
        yield from unions(part)

LIMITS = ("ge", "gt", "le", "lt", "pattern", "min_length", "max_length", "multiple_of")
fields = inspect.type_info(OrcSerializer).fields
found = [union for field in fields for union in unions(field.type)]
assert len(found) > 10
for union in found:
    shapes = {type(each).__name__ for each in union}
    limited = [each for each in union if any(getattr(each, l, None) is not None for l in LIMITS)]
    containers = {"ListType", "TupleType", "VarTupleType", "DictType"}
    assert not (limited and shapes & containers), union
"""
    play(game, script)


def test_plain_classes_are_made_by_their_constructors(game: Project) -> None:
    script = """
it = brain(node={"hp": 1, "next": {"hp": 2, "items": [], "seen": 8}})
assert it.node.items == [9] and it.node.seen == 7
assert it.node.next == Node(2, items=[]) or it.node.next.seen == 8
assert (it.node.next.items, it.node.next.seen) == ([], 8)
assert brain(stats={"hp": 4}).stats == Stats(4, Vec2(4, 2), 3)
assert brain(stats={"hp": 4, "best": {"x": 1}, "other": 5}).stats == Stats(4, Vec2(1, 5), 5)
assert brain(bag={}).bag == {} and brain(bag={"coins": 0}).bag == {"coins": 0}
assert brain(bag={"moods": ["ANGRY"]}).bag == {"moods": [Mood.ANGRY]}
assert brain(route={"places": [{"x": 1, "y": 2}]}).route == Route((Vec2(1, 2),), 2.0, "x")
assert brain(route={"places": [], "speed": 0, "name": ""}).route == Route((), 0.0, "")
"""
    play(game, script)


def test_what_fields_alone_do_not_make_is_no_parameter(game: Project) -> None:
    said = game.run("-m", "savegen", "prefabs", "--no-color", "--no-cache")
    assert "cannot represent a `Seeded`, because its constructor" in said
    assert "cannot represent a `Own`" in said
    play(game, 'assert "own" in refused(\'{"$type": "OrcSerializer", "own": []}\')')


def test_values_are_made_at_any_depth(game: Project) -> None:
    script = """
deep = {"a": [[{"x": 1, "y": 2}, "ANGRY"], None], "": []}
assert brain(deep=deep).deep == {"a": [(Vec2(1, 2), Mood.ANGRY), None], "": []}
assert brain(grid=[[[1, 2], "CALM"]]).grid == {(1, 2): Mood.CALM}
counts = brain(counts={"ANGRY": 3}).counts
assert counts == {Mood.ANGRY: 3} and counts[Mood.CALM] == 0
assert list(brain(queue=["CALM", "ANGRY"]).queue) == [Mood.CALM, Mood.ANGRY]
assert brain(doors=["NORTH", "SOUTH"]).doors == Doors(3) and brain(doors=[]).doors == Doors(0)
assert brain(kind="BODY").kind is Body
for value, wanted in ((3, 3), (None, None), ("CALM", Mood.CALM), (["CALM"], [Mood.CALM])):
    assert brain(either=value).either == wanted
assert brain(either={"hp": 3}).either.hp == 3
assert "HAPPY" in refused('{"$type": "OrcSerializer", "mood": "HAPPY"}')
"""
    play(game, script)


def test_levels_name_each_member_of_an_enumeration(game: Project) -> None:
    script = """
for member in Mood:
    assert brain(mood=member.name).mood is member
for name in ("last", "__private", "_Mood__private", "private"):
    assert name in refused('{"$type": "OrcSerializer", "mood": "%s"}' % name)
assert len(Mood) == 4
"""
    play(game, script)


def test_references_are_texts_until_the_level_knows_them(game: Project) -> None:
    script = """
first, second = Body(), Body()
level = placing(a=first, b=second)
entry = msgspec.json.decode('{"$type": "OrcSerializer", "target": "a"}', type=AnySerializer)
((_, data),) = entry.get_component_snapshots(level).items()
assert level.get_component(data.target) is first
try:
    entry.get_component_snapshots()
except SaveError as error:
    assert "'a'" in str(error)
else:
    raise AssertionError
text = '{"$type": "OrcSerializer", "target": "a", "seen": {"a": ["b"], "b": []}}'
gun = orc(text, level)[0]["right"]
assert gun.target is first and gun.seen == {first: [second], second: []}
"""
    play(game, script)


def test_assets_are_found_by_their_id(game: Project) -> None:
    script = """
assets = AssetRegistry()
assets["maths"] = math
text = '{"$type": "OrcSerializer", "icon": "maths"}'
assert orc(text, assets=assets)[0]["right"].icon is math
packs = '{"$type": "OrcSerializer", "packs": {"a": {"icons": ["maths", "maths"]}}}'
assert orc(packs, assets=assets)[0]["right"].packs["a"].icons == [math, math]
assert orc('{"$type": "OrcSerializer", "icon": null}')[0]["right"].icon is None
for given in (None, AssetRegistry()):
    try:
        orc(text, assets=given)
    except SaveError as error:
        assert "maths" in str(error)
    else:
        raise AssertionError
"""
    play(game, script)


def test_a_class_can_be_a_prefab_itself(game: Project) -> None:
    script = """
coin = msgspec.json.decode('{"$type": "CoinSerializer", "worth": 0}', type=AnySerializer)
assert coin.get_prefab_type() is PrefabType.COIN
made = Coin()
((_, data),) = coin.get_component_snapshots().items()
made.load_data(data)
assert made.worth == 0
"""
    play(game, script)


def test_importing_the_serializers_imports_nothing_of_the_game(game: Project) -> None:
    game.script(
        "import sys\n"
        "import game._savegen.prefabs, game._savegen.prefab_info\n"
        "assert 'game.things' not in sys.modules and 'game.plain' not in sys.modules\n"
    )


def test_nothing_is_written_for_a_game_without_prefabs(tmp_path: Path) -> None:
    files = {
        "game.py": "from savegen import Saved, saveable\n\n@saveable\nclass A: ...\n"
    }
    made = Project(tmp_path, files).generated("game.py")
    made.run("-m", "savegen", "prefabs", "--quiet", "game.py")
    assert not list(tmp_path.rglob("*prefab*"))
