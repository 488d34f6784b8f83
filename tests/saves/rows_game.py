"""Classes as a build would generate them, written by hand, and snapshots of their objects."""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from msgspec.structs import replace

from savegen.runtime.values.references import NO_REFERENCES, References
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.values.libraries.generators import state_of
from savegen.runtime.values.basics.keys import key_at
from savegen.runtime.generated.registry import FORMAT, ClassEntry, Registry
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.world.slots import SlotState
from savegen.runtime.reports import LostValue
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.world.placements import Placement
from savegen.runtime.snapshots.tables import Recording, Table
from savegen.runtime.values.folds import NOT_SET, TAKES_DEFAULT, Rules, typed, wrong
from savegen.runtime.errors import SaveError
from msgspec import UNSET
from savegen.runtime.values.values import ValueEntry


class Kinds(IntEnum):
    ACTOR = 7
    BAG = 9


class Mood(IntEnum):
    CALM = 1
    ANGRY = 2


class ActorFields(IntEnum):
    X = 16
    NAME = 17
    HP = 18
    ALIVE = 19
    POS = 20
    ITEMS = 21
    TARGET = 22
    MOOD = 23
    NOTE = 24
    STATS = 25
    DICE = 26


class ActorData(Row, gc=False):
    __numbers__ = ActorFields
    x: int | float
    name: str
    hp: int
    alive: bool
    pos: tuple[int | float, int | float]
    items: list[int]
    target: Key
    mood: str
    note: str | None
    stats: dict[str, int]
    dice: int


class BagFields(IntEnum):
    ANYTHING = 30
    TREE = 31
    REFS = 32


class _TreeData(Row, gc=False):
    name: str
    children: list[_TreeData]


class BagData(Row, gc=False):
    __numbers__ = BagFields
    anything: Any
    tree: _TreeData | None
    refs: list[Key]


class ActorSaveLoad(SaveLoadable):
    save_type = Kinds.ACTOR
    save_load_field_names = {each.name.lower(): each for each in ActorFields}


class Actor(ActorSaveLoad):
    hp = 7


class BagSaveLoad(SaveLoadable):
    save_data_ = SaveLoadable.save_data  # the class has its own: a field has no type
    save_type = Kinds.BAG
    save_load_field_names = {each.name.lower(): each for each in BagFields}


class Bag(BagSaveLoad):
    pass


class Vec2:
    """A value class that only mismatches hold."""

    x: float


ACTOR = ClassEntry(
    ActorSaveLoad,
    lambda: None,
    row=ActorData,
    fields=(
        ("x", "float"),
        ("name", "str"),
        ("hp", "int"),
        ("alive", "bool"),
        ("pos", "(float, float)"),
        ("items", "list<int>"),
        ("target", "optional<ref<7>>"),
        ("mood", f"enum {__name__}.Mood{{CALM ANGRY}}"),
        ("note", "optional<str>"),
        ("stats", "dict<str, int>"),
        ("dice", "random"),
    ),
)
TREE = "record game.Tree{12 name: str, 13 children: list<rec game.Tree>}"
BAG = ClassEntry(
    BagSaveLoad,
    lambda: None,
    row=BagData,
    fields=(
        ("anything", "any"),
        ("tree", f"optional<{TREE}>"),
        ("refs", "list<ref<7 9>>"),
    ),
    behaviors={"Bag.Behaviors.FILL": ("save_fill", "load_fill")},
)
VALUES = (
    ValueEntry(f"{__name__}.Mood", lambda: Mood, f"enum {__name__}.Mood{{CALM ANGRY}}"),
)
REGISTRY = Registry(FORMAT, (ACTOR, BAG), save_version=3, values=VALUES)


def actor(number: int = 0, **cells: Any) -> ActorData:
    """Return a row that fits, apart from the given cells."""
    row = ActorData(
        x=number * 0.5,
        name=f"goblin {number}",
        hp=number * 37,
        alive=number % 2 == 0,
        pos=(1.5, float(number)),
        items=[number, 300, -7],
        target=0,
        mood="CALM",
        note=None,
        stats={"strength": number},
        dice=1,
    )
    for cell, value in cells.items():
        setattr(row, cell, value)
    return row


def bag(anything: Any = None, depth: int = 0, refs: Sequence[Key] = ()) -> BagData:
    """Return a row with a tree of some depth."""
    tree = None
    for _ in range(depth):
        tree = _TreeData("twig", [tree] if tree else [])
    return BagData(
        anything if type(anything) is tuple else typed(anything, NO_REFERENCES),
        tree,
        [*refs],
    )


def snapshot(
    actors: Sequence[ActorData], bags: Sequence[BagData] = (), **more: Any
) -> Snapshot:
    """Return a snapshot of objects that were added, the actors first."""
    keys = [*range(1, len(actors) + len(bags) + 1)]
    first, rest = keys[: len(actors)], keys[len(actors) :]
    lost, numpy = list[LostValue](), list[str]()
    tables = {
        7: _table(ACTOR, first, actors, lost, numpy),
        9: _table(BAG, rest, bags, lost, numpy),
    }
    return Snapshot(
        lost=(*more.pop("lost", ()), *lost),
        numpy=(*numpy,),
        tables={number: table for number, table in tables.items() if table.keys},
        slots=SlotState((1,) * len(keys), ()),
        **{"generators": {1: state_of(random.Random(1))}, **more},
    )


def _table(
    entry: ClassEntry,
    keys: list[Key],
    given: Sequence[Row],
    lost: list[LostValue],
    numpy: list[str],
) -> Table:
    """Return a table of rows that stand for objects, what does not fit beside them."""
    rows: list[Any] = [*map(replace, given)]
    table = Table(entry, keys, rows, {}, {})
    values = References(REGISTRY.values)
    for place, row in enumerate(rows):
        for cell, stored in entry.stored_by_cell.items():
            value = getattr(row, cell)
            if not wrong(stored, [value], Rules(dangling=True)):
                continue
            try:
                extra = typed(value, values)
            except SaveError as error:
                lost.append(
                    LostValue(keys[place], entry.display_name, cell, str(error), "")
                )
                has_default = cell in entry.defaults_by_cell
                extra = TAKES_DEFAULT if has_default else NOT_SET
            if extra[0] == stored:  # such as a member of an enum
                setattr(row, cell, extra[1])
                continue
            table.extras.setdefault(place, {})[cell] = extra
            setattr(row, cell, UNSET)
    return table


def actors(count: int) -> Snapshot:
    """Return a snapshot of some actors, each with the next one as its target."""
    return snapshot([actor(n, target=(n + 1) % count + 1) for n in range(count)])


def rich() -> Snapshot:
    """Return a snapshot that has something of everything."""
    found = snapshot(
        [actor(0), actor(1, target=1), actor(2, hp=1.5)],
        [bag([1, 2], 3, [1, 4, 0]), bag(depth=1)],
        placements={1: Placement(4, "camp 1", "valley"), 4: Placement(None, "x")},
        states={"rng": typed((1, 2.5), NO_REFERENCES)},
        tombstones={"camp 2": "valley", "camp 3": None},
        dangling=2,
        next_reached=4,
    )
    found.tables[9].keys += [-1, -3]
    found.tables[9].rows += [bag(), bag("left")]
    found.tables[9].recordings[1] = Recording(
        ("Bag.Behaviors.FILL",), {"n": typed(7, NO_REFERENCES)}
    )
    found.slots = SlotState((1, 1, 1, 1, 1, 4, 2**31, 9), (7, 5))
    key = key_at(8, 3)
    found.tables[7].keys.append(key)
    found.tables[7].rows.append(actor(9, target=key))
    found.slots = SlotState((*found.slots.generations, 3), found.slots.free)
    return found
