"""Classes that object to being looked at: savegen calls nothing of theirs, and sets fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project

SCRIPT = """
import game
import msgspec
from game import Foe, Odd, make
from savegen import SaveError
from savegen.runtime import SaveLoadManager
from savegen.runtime.fits import find_mismatches
from savegen.runtime.stored import parse
from tests.behaviour.driver import World, same
from tests.oracle import difference, shares_mutable
from _savegen.registry import REGISTRY

def load(thing, data, world):
    thing.load_data(data, world)
    world.finish()
    return thing

foe = Foe()
thing, new = make(foe), Odd.__new__(Odd)
world = World(foe, thing)
data = thing.save_data(world)
assert not any(shares_mutable(getattr(data, n), thing) for n in data.__struct_fields__)
load(new, data, world)
assert difference(new, thing, same) is None, difference(new, thing, same)
entry = REGISTRY[Odd.save_type]
assert entry.differing([thing, new], [data, data], world) == []
row = msgspec.msgpack.decode(msgspec.msgpack.encode(data), type=entry.row)
for other in (REGISTRY.new(Odd.save_type), thing):
    load(other, row, world)
    assert difference(other, new, same) is None, difference(other, new, same)
absent = Odd.__new__(Odd)

def absent_stays_absent(*names):
    manager = SaveLoadManager(REGISTRY)
    manager.add(absent)
    before = manager.create_snapshot()
    for name in names:
        object.__setattr__(absent, name, None)
    manager.apply_snapshot(before)
    for name in names:
        try:
            object.__getattribute__(absent, name)
        except AttributeError:
            continue
        raise AssertionError(name)
"""


def play(folder: Path, game: str, more: str = "") -> None:
    head = """
from __future__ import annotations
import dataclasses
import weakref
from typing import Annotated, Any, NamedTuple
from savegen import Save, Saved, saveable
from _savegen.components.game import FoeSaveLoad, OddSaveLoad

def refuse(*_):
    raise AssertionError("savegen called the game's code")

@saveable
class Foe(FoeSaveLoad):
    hp: Saved[int] = 1
"""
    project = Project(folder, {"game.py": head + game}).generated("game.py")
    project.script(SCRIPT + more)


def test_special_methods_that_raise_are_not_called(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    hp: Saved[int]
    friend: Saved[Odd | None]
    friends: Saved[list[Odd]]
    groups: Saved[dict[str, tuple[Odd, int]]]
    anyone: Saved[Odd | Foe | int]
    shadow: Saved[weakref.ref[Odd]]
    shadows: Saved[list[weakref.ref[Odd] | None]]

    __eq__ = __ne__ = __hash__ = __bool__ = __len__ = __iter__ = __repr__ = refuse
    __str__ = __contains__ = __getitem__ = __call__ = __index__ = __copy__ = refuse
    __deepcopy__ = __reduce__ = __reduce_ex__ = __getstate__ = __setstate__ = refuse
    __enter__ = __format__ = __sizeof__ = __dir__ = __del__ = refuse

def make(foe):
    made = Odd()
    made.hp, made.friend, made.friends, made.groups = 1, made, [made], {"a": (made, 1)}
    made.anyone, made.shadow, made.shadows = made, weakref.ref(made), [None, weakref.ref(made)]
    return made
""",
        """
thing.friends = (thing,)
try:
    thing.save_data(world)
except SaveError as error:
    assert str(error).startswith("`Odd.friends` holds a tuple, which")
else:
    raise AssertionError
""",
    )


def test_fields_are_set_past_a_setattr_of_the_class(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
class Strict:
    def __setattr__(self, name, value):
        refuse()

    def __delattr__(self, name):
        refuse()

@saveable
class Odd(OddSaveLoad, Strict):
    hp: Saved[int]
    foe: Saved[Foe]
    trail: Saved[list[int]]

def make(foe):
    made = Odd()
    vars(made).update(hp=1, foe=foe, trail=[1])
    return made
""",
    )


def test_a_getattr_is_not_asked_for_what_is_set(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    hp: Saved[int]
    foe: Saved[Foe]
    __getattr__ = refuse

def make(foe):
    made = Odd()
    made.hp, made.foe = 1, foe
    return made
""",
    )


def test_a_getattr_that_knows_nothing_leaves_a_field_absent(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    hp: Saved[int]
    trail: Saved[list[int]]

    def __getattr__(self, name):
        raise AttributeError(name)

def make(foe):
    made = Odd()
    made.hp, made.trail = 1, [1]
    return made
""",
        """
absent.hp = 1
absent_stays_absent("trail")
assert absent.hp == 1
""",
    )


def test_properties_that_raise_are_not_asked(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    hp: Saved[int]
    foe: Saved[Foe]
    alive = dead = property(refuse, refuse, refuse)

def make(foe):
    made = Odd()
    made.hp, made.foe = 1, foe
    return made
""",
    )


@pytest.mark.parametrize(
    "decorator",
    [
        "@dataclasses.dataclass(frozen=True)",
        "@dataclasses.dataclass(frozen=True, slots=True)",
        "@dataclasses.dataclass(slots=True, eq=False, weakref_slot=True)",
        "@dataclasses.dataclass(frozen=True, kw_only=True, order=True)",
    ],
)
def test_frozen_and_slotted_dataclasses_are_filled(
    decorator: str, tmp_path: Path
) -> None:
    play(
        tmp_path,
        f"""
@saveable
{decorator}
class Odd(OddSaveLoad):
    foe: Saved[Foe]
    foes: Saved[dict[str, list[Foe]]]
    hp: Saved[int] = 3
    trail: Saved[list[int]] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.hp != 7:
            refuse()

def make(foe):
    return Odd(foe=foe, foes={{"a": [foe]}}, hp=7, trail=[1])
""",
    )


def test_slots_along_a_chain_of_bases_are_filled(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
class Body:
    __slots__ = ("hp", "__weakref__")
    hp: Saved[int]

class Tail(Body):
    __slots__ = ("__length", "rings")
    __length: Saved[list[int]]

    def grow(self):
        self.__length, self.rings = [1, 2], [3]

@saveable
class Odd(OddSaveLoad, Tail):
    __slots__ = ("foe",)
    foe: Saved[Foe]
    rings: Saved[list[int]]

def make(foe):
    made = Odd()
    made.grow()
    made.hp, made.foe = 1, foe
    return made
""",
        """
assert not hasattr(new, "__dict__")
absent_stays_absent("hp", "foe", "rings", "_Tail__length")
""",
    )


def test_objects_that_cannot_be_hashed_are_referred_to(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
@dataclasses.dataclass
class Odd(OddSaveLoad):
    friends: Saved[list[Odd]] = dataclasses.field(default_factory=list)
    shadow: Saved[weakref.ref[Odd] | None] = None

def make(foe):
    made = Odd()
    made.friends, made.shadow = [made, made], weakref.ref(made)
    return made
""",
    )


def test_a_new_that_makes_something_of_its_arguments(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    hp: Saved[int]

    def __new__(cls, *args):
        made = super().__new__(cls)
        made.args = args
        return made

    __init__ = refuse

def make(foe):
    made = Odd.__new__(Odd)
    made.hp = 1
    return made
""",
    )


def test_classes_of_odd_metaclasses_are_told_apart(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
from abc import ABC, ABCMeta

class Meta(ABCMeta):
    __eq__ = __hash__ = __call__ = __len__ = __bool__ = __iter__ = __contains__ = refuse

@saveable
class Odd(OddSaveLoad, ABC, metaclass=Meta):
    hp: Saved[int]
    anyone: Saved[Odd | int | str | None]
    side: Saved[Odd | list[int]]

def make(foe):
    made = Odd.__new__(Odd)
    made.hp, made.anyone, made.side = 1, made, made
    return made
""",
        """
for wrong in (thing, Odd):
    thing.hp = wrong
    data = thing.save_data(world)
    assert find_mismatches(parse("int"), [data.hp]) == [0]
for wrong, words in ((Odd, "a Meta"), (1, "an int")):
    thing.side = wrong
    try:
        thing.save_data(world)
    except SaveError as error:
        assert str(error).startswith(f"`Odd.side` holds {words}, which")
    else:
        raise AssertionError
""",
    )


# -- weak references


def test_weak_references_come_back_weak_and_dead_ones_dead(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    shadow: Saved[weakref.ref[Foe]]
    dead: Saved[weakref.ref[Foe]]
    shadows: Saved[list[weakref.ref[Foe]]]
    maybe: Saved[weakref.ref[Foe] | int]
    gone: Saved[weakref.ref[Foe] | int]

def make(foe):
    made = Odd()
    dead = weakref.ref(Foe())
    made.shadow = made.maybe = weakref.ref(foe)
    made.dead, made.shadows, made.gone = dead, [weakref.ref(foe), dead], dead
    return made
""",
        """
assert new.shadow() is foe and new.dead() is None
again = Odd.__new__(Odd)
again.load_data(new.save_data(world), world)  # what was loaded can be saved
assert difference(again, new, same) is None
""",
    )


def test_a_dead_reference_that_may_be_none_is_loaded_as_a_dead_one(
    tmp_path: Path,
) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    shadow: Saved[weakref.ref[Foe] | None] = None

def make(foe):
    made = Odd()
    made.shadow = None
    return made
""",
        """
thing.shadow = __import__("weakref").ref(Foe())
data = thing.save_data(world)
assert data.shadow == 0
load(new, data, world)
assert new.shadow() is None
""",
    )


def test_loading_keeps_no_object_alive(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@saveable
class Odd(OddSaveLoad):
    shadow: Saved[weakref.ref[Foe]]

def make(foe):
    made = Odd()
    made.shadow = weakref.ref(foe)
    return made
""",
        """
import gc
del foe, world, data, row
gc.collect()
assert new.shadow() is None
""",
    )


# -- objects that are found by what their fields hold


def test_sets_are_filled_when_all_objects_can_tell_their_hash(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
@dataclasses.dataclass(frozen=True)
class Seat:
    owner: Odd
    row: int

@saveable
class Odd(OddSaveLoad):
    name: Saved[str]
    friend: Saved[Odd | None]
    members: Saved[set[Odd]]
    ranks: Saved[dict[tuple[Odd, int], list[Odd]]]
    seats: Saved[dict[Seat, Odd]]

    def __hash__(self):
        return hash((self.name, self.friend is None))

    def __eq__(self, other):
        return (self.name, self.friend) == (other.name, other.friend)

def odd(name, friend=None):
    made = Odd()
    made.name, made.friend, made.members, made.ranks, made.seats = name, friend, set(), {}, {}
    return made

def make(foe):
    made = odd("first")
    made.members = {made}
    return made
""",
        """
second = game.odd("second", thing)
for each in (thing, second):
    each.members = {thing, second}
    each.ranks = {(second, 1): [thing], (thing, 2): []}
    each.seats = {game.Seat(second, 3): thing, game.Seat(thing, 4): second}
olds, news = [thing, second], [REGISTRY.new(Odd.save_type) for _ in range(2)]
world, other_world = World(*olds), World(*news)
rows = [each.save_data(world) for each in olds]
for each, row in zip(news, rows):
    each.load_data(row, other_world)
other_world.finish()
new, other = news
assert new.members == {new, other} and second not in {new}
assert [*new.ranks] == [(other, 1), (new, 2)] and new.ranks[other, 1] == [new]
assert new.seats[game.Seat(new, 4)] is other
assert entry.differing(news, rows, other_world) == []
""",
    )
