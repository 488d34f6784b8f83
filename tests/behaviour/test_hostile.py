"""Classes that object to being looked at: savegen calls nothing of theirs, and sets fields."""

from __future__ import annotations

import json

import pytest

from tests.project import Project

HEAD = """
from __future__ import annotations
import dataclasses
import weakref
from typing import Annotated, Any, NamedTuple
from savegen import Save, Saved, saveable
from _savegen.components.{module} import FoeSaveLoad, OddSaveLoad

def refuse(*_):
    raise AssertionError("savegen called the game's code")

@saveable
class Foe(FoeSaveLoad):
    hp: Saved[int] = 1
"""
SCRIPT = """
import msgspec
from savegen import SaveError
from savegen.runtime import SaveLoadManager
from savegen.runtime.values.folds import fits
from savegen.runtime.values.stored import parse
from tests.behaviour.driver import World, same
from tests.oracle import difference, shares_mutable
from _savegen.registry import REGISTRY

def load(thing, data, world):
    thing.load_data(data, world)
    world.finish()
    return thing

Foe, Odd, make = game.Foe, game.Odd, game.make
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


# The game of each case; after `# then`, what is asserted besides the script.
CASES = {
    "special methods that raise are not called": """
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
# then
thing.friends = (thing,)
try:
    thing.save_data(world)
except SaveError as error:
    assert str(error).startswith("`Odd.friends` holds a tuple, which")
else:
    raise AssertionError
""",
    "fields are set past a setattr of the class": """
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
    "a getattr is not asked for what is set": """
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
    "a getattr that knows nothing leaves a field absent": """
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
# then
absent.hp = 1
absent_stays_absent("trail")
assert absent.hp == 1
""",
    "properties that raise are not asked": """
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
    "frozen and slotted dataclasses are filled: (frozen=True)": """
@saveable
@dataclasses.dataclass(frozen=True)
class Odd(OddSaveLoad):
    foe: Saved[Foe]
    foes: Saved[dict[str, list[Foe]]]
    hp: Saved[int] = 3
    trail: Saved[list[int]] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.hp != 7:
            refuse()

def make(foe):
    return Odd(foe=foe, foes={"a": [foe]}, hp=7, trail=[1])
""",
    "frozen and slotted dataclasses are filled: (frozen=True, slots=True)": """
@saveable
@dataclasses.dataclass(frozen=True, slots=True)
class Odd(OddSaveLoad):
    foe: Saved[Foe]
    foes: Saved[dict[str, list[Foe]]]
    hp: Saved[int] = 3
    trail: Saved[list[int]] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.hp != 7:
            refuse()

def make(foe):
    return Odd(foe=foe, foes={"a": [foe]}, hp=7, trail=[1])
""",
    "frozen and slotted dataclasses are filled: (slots=True, eq=False, weakref_slot=True)": """
@saveable
@dataclasses.dataclass(slots=True, eq=False, weakref_slot=True)
class Odd(OddSaveLoad):
    foe: Saved[Foe]
    foes: Saved[dict[str, list[Foe]]]
    hp: Saved[int] = 3
    trail: Saved[list[int]] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.hp != 7:
            refuse()

def make(foe):
    return Odd(foe=foe, foes={"a": [foe]}, hp=7, trail=[1])
""",
    "frozen and slotted dataclasses are filled: (frozen=True, kw_only=True, order=True)": """
@saveable
@dataclasses.dataclass(frozen=True, kw_only=True, order=True)
class Odd(OddSaveLoad):
    foe: Saved[Foe]
    foes: Saved[dict[str, list[Foe]]]
    hp: Saved[int] = 3
    trail: Saved[list[int]] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.hp != 7:
            refuse()

def make(foe):
    return Odd(foe=foe, foes={"a": [foe]}, hp=7, trail=[1])
""",
    "slots along a chain of bases are filled": """
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
# then
assert not hasattr(new, "__dict__")
absent_stays_absent("hp", "foe", "rings", "_Tail__length")
""",
    "objects that cannot be hashed are referred to": """
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
    "a new that makes something of its arguments": """
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
    "classes of odd metaclasses are told apart": """
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
# then
for field, wrong, words in (
    ("side", Odd, "a Meta"), ("side", 1, "an int"), ("hp", thing, "an Odd"), ("hp", Odd, "a Meta")
):
    setattr(thing, field, wrong)
    try:
        thing.save_data(world)
    except SaveError as error:
        assert str(error).startswith(f"`Odd.{field}` holds {words}, which"), error
    else:
        raise AssertionError
    setattr(thing, field, {"side": thing, "hp": 1}[field])
""",
    "weak references come back weak and dead ones dead": """
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
# then
assert new.shadow() is foe and new.dead() is None
again = Odd.__new__(Odd)
again.load_data(new.save_data(world), world)  # what was loaded can be saved
assert difference(again, new, same) is None
""",
    "a dead reference that may be none is loaded as a dead one": """
@saveable
class Odd(OddSaveLoad):
    shadow: Saved[weakref.ref[Foe] | None] = None

def make(foe):
    made = Odd()
    made.shadow = None
    return made
# then
thing.shadow = __import__("weakref").ref(Foe())
data = thing.save_data(world)
assert data.shadow == 0
load(new, data, world)
assert new.shadow() is None
""",
    "loading keeps no object alive": """
@saveable
class Odd(OddSaveLoad):
    shadow: Saved[weakref.ref[Foe]]

def make(foe):
    made = Odd()
    made.shadow = weakref.ref(foe)
    return made
# then
import gc
del foe, world, data, row
gc.collect()
assert new.shadow() is None
""",
    "sets are filled when all objects can tell their hash": """
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
# then
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
}

# Runs the scripts of all cases, and prints what each has raised.
RUN_ALL = """
import importlib
import json
import traceback
from pathlib import Path

raised = {}
for path in sorted(Path().glob("case_*.txt")):
    names = {"game": importlib.import_module(path.stem)}
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
        raised[path.stem] = ""
    except BaseException:
        raised[path.stem] = traceback.format_exc()
print(json.dumps(raised))
"""


@pytest.fixture(scope="module")
def raised(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what each case has raised: they are one game, and run in one process."""
    files = {"run_all.py": RUN_ALL}
    for number, case in enumerate(CASES.values()):
        game, _, more = case.partition("# then\n")
        module = f"case_{number}"
        files[f"{module}.py"] = HEAD.format(module=module) + game
        files[f"{module}.txt"] = SCRIPT + more
    project = Project(tmp_path_factory.mktemp("hostile"), files)
    project.generated(
        *(name for name in files if name.startswith("case") and name.endswith("py"))
    )
    found: dict[str, str] = json.loads(project.run("run_all.py"))
    return found


@pytest.mark.parametrize("number", range(len(CASES)), ids=[*CASES])
def test_a_hostile_class_is_saved_and_loaded(
    raised: dict[str, str], number: int
) -> None:
    assert raised[f"case_{number}"] == ""
