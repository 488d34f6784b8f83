"""Memory: the collector goes on, loads leave nothing behind, and its end is a `SaveError`."""

from __future__ import annotations

import gc
import sys

import pytest

from tests.promises import test_damaged
from tests.promises.games import Game, Games

GAME = """
@saveable
class Unit:
    hp: Saved[int] = 1
    name: Saved[str] = ""
    at: Saved[tuple[float, float]] = (0.0, 0.0)
    words: Saved[list[str]]
    by_name: Saved[dict[str, list[int]]]
    foe: Saved[Unit | None] = None

    def __init__(self, number=0):
        self.hp, self.name = number, f"unit {number}"
        self.words, self.by_name = [self.name], {"a": [number]}
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
MAKE = """
import weakref

def filled(count):
    manager = SaveLoadManager(REGISTRY)
    units = [manager.add(Unit(number)) for number in range(count)]
    for unit in units:
        unit.foe = units[unit.hp // 2]
    return manager

"""


# A world with all sorts of fields, game objects, and values that do not fit.
HEROES = """
def filled(count):
    manager = SaveLoadManager(REGISTRY)
    heroes = [Hero(number) for number in range(count)]
    for number, hero in enumerate(heroes):
        manager.add(hero if number < count // 2 else GameObject(hero))
        hero.friend = heroes[number // 2]
    heroes[1].hp = 1.5
    heroes[2].at = [1, {"a": (1, 2)}]
    return manager

"""


@pytest.fixture
def heroes(games: Games) -> Game:
    return games(test_damaged.GAME)


# -- the collector

LOADS = {"slots.load": "slots.load('a', other)", "decode": "load(other)"}


@pytest.mark.parametrize("load", LOADS.values(), ids=[*LOADS])
def test_worlds_that_were_loaded_and_left_are_collected(game: Game, load: str) -> None:
    game.script(MAKE + f"""
slots = SaveSlots(MemoryStore())
slots.save("a", filled(1000))
data = encode(filled(1000).create_snapshot())

def load(other):
    other.apply_snapshot(decode(data, other))

worlds = []
for turn in range(60):
    other = SaveLoadManager(REGISTRY)
    {load}
    worlds.append(weakref.ref(other))
    del other
alive = sum(world() is not None for world in worlds)
assert alive <= 30, f"{{alive}} of 60 worlds are still there"
""")


@LINUX
@pytest.mark.soak
def test_many_loads_in_one_process_need_the_memory_of_a_few(game: Game) -> None:
    game.script(MAKE + """
from tests.soaking import SOAKING

slots = SaveSlots(MemoryStore())
slots.save("a", filled(500))

def size():
    # The peak that the system reports begins with that of the process that started this one.
    return int(Path("/proc/self/statm").read_text().split()[1])

peak = 0
for turn in range(1000 if SOAKING else 200):
    slots.load("a", SaveLoadManager(REGISTRY))
    peak = max(peak, size())
    if turn == 10:
        few, collected = peak, gc.get_stats()[2]["collections"]
assert gc.isenabled() and gc.get_stats()[2]["collections"] > collected
assert peak <= 1.2 * few, f"{peak / few:.2f} times as much as after ten loads"
""")


def test_the_collector_is_left_as_it_was(game: Game) -> None:
    game.script(MAKE + """
manager = filled(10)
slots = SaveSlots(MemoryStore())
gc.freeze()
frozen = gc.get_freeze_count()

def fail():
    raise ValueError("no")

def rounds():
    slots.save("a", manager)
    slots.load("a", manager)
    snapshot = decode(encode(manager.create_snapshot()), manager)
    manager.apply_snapshot(snapshot)
    manager.after_load.append(fail)
    for step in (lambda: manager.apply_snapshot(snapshot), lambda: slots.load("a", manager)):
        refused("a hook", step)
    manager.after_load.clear()
    slots.save("a", manager, new_lineage=True)

for is_on in (True, False):
    gc.enable() if is_on else gc.disable()
    rounds()
    assert gc.isenabled() is is_on
    assert gc.get_freeze_count() > 0.9 * frozen, "what the game has frozen stays frozen"
gc.unfreeze()
rounds()
assert gc.get_freeze_count() == 0
""")


# -- no memory: one allocation fails, at each place

SWEPT = {
    "decode": "decode(data, manager)",
    "apply": "manager.apply_snapshot(snapshot)",
    "load": "slots.load('a', manager)",
}


@pytest.mark.soak
@pytest.mark.parametrize("step", SWEPT.values(), ids=[*SWEPT])
def test_one_failed_allocation_is_a_save_error_and_changes_nothing(
    game: Game, step: str
) -> None:
    pytest.importorskip("_testcapi")
    game.script(MAKE + sweep(step))


@pytest.mark.soak
@pytest.mark.parametrize("step", SWEPT.values(), ids=[*SWEPT])
def test_one_failed_allocation_changes_nothing_of_a_world_of_all_sorts(
    heroes: Game, step: str
) -> None:
    pytest.importorskip("_testcapi")
    heroes.script(HEROES + sweep(step))


def sweep(step: str) -> str:
    """Return a script that lets one allocation of a step fail, at each place."""
    return f"""
import _testcapi
import faulthandler
import itertools
import signal
import traceback
from msgspec.msgpack import Encoder
from tests.soaking import SOAKING

faulthandler.enable()
# msgspec's `encode` crashes where its buffer cannot grow; `encode_into` does not.
def encoded(value, encoder=Encoder()):
    buffer = bytearray()
    encoder.encode_into(value, buffer)
    return bytes(buffer)

for module in [each for name, each in sys.modules.items() if name.startswith("savegen.")]:
    for name in ("encode", "_encode"):
        if isinstance(getattr(getattr(module, name, None), "__self__", None), Encoder):
            setattr(module, name, encoded)

signal.alarm(230 if SOAKING else 100)  # what hangs is killed
numbers = itertools.count()

def touch():
    for named in manager.find(Unit if "Unit" in globals() else Hero):
        named.name = f"since {{next(numbers)}}"

manager = filled(8)
data = encode(manager.create_snapshot())
slots = SaveSlots(MemoryStore())
slots.save("a", manager)
snapshot = manager.create_snapshot()
touch()
before = manager.create_snapshot().digest()

def step():
    return {step}

def place(error):
    '''Return where an error was raised: no guard can be outside of the first call of ours.'''
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "savegen" in each.filename]
    return f"{{ours[-1].filename}}:{{ours[-1].lineno}}" if len(ours) > 1 else ""

bare, refusals, done, number = {{}}, 0, 0, 0
while done < 20:  # it goes through, however much later the failure would come
    number += 1 if number < 300 or SOAKING else 13
    caught = None
    try:
        _testcapi.set_nomemory(number, number + 1)
        step()
    except BaseException as error:
        caught = error
    finally:
        _testcapi.remove_mem_hooks()
    done = 0 if caught else done + 1
    refusals += isinstance(caught, SaveError)
    # CPython 3.11 sets no error where it has no memory for the frame of a call.
    is_nameless = isinstance(caught, SystemError) and "without exception" in str(caught)
    if caught and not isinstance(caught, SaveError) and not is_nameless:
        assert isinstance(caught, MemoryError), repr(caught)
        if where := place(caught):
            bare[where] = bare.get(where, 0) + 1
    assert gc.isenabled(), f"the collector is off after {{caught!r}}"
    if caught:
        assert manager.create_snapshot().digest() == before, f"changed by {{caught!r}}"
    else:
        manager.apply_snapshot(snapshot)
        touch()
        before = manager.create_snapshot().digest()
    del caught
if not refusals:
    raise RuntimeError("no allocation has failed")
assert not bare, f"a bare MemoryError at {{len(bare)}} places: {{[*bare][:5]}}"
"""


# -- no memory: a limit that is reached while a world is saved

LIMITED = """
import resource
import signal

manager = filled(3000)
for unit in manager.objects:
    unit.name *= 200
slots = SaveSlots("saves")
slots.save("a", manager, new_lineage=True)
autosave = Autosave(slots, manager)
autosave.record(new_lineage=True)
for unit in manager.objects:
    unit.hp += 1
    unit.name += "!"

def size():
    pages = Path("/proc/self/statm").read_text().split()[0]
    return int(pages) * resource.getpagesize()

def taken(more, step):
    # Takes a step with so much more memory: 1 stands for a SaveError, 2 for a MemoryError.
    signal.alarm(20)  # what hangs is killed
    resource.setrlimit(resource.RLIMIT_AS, (size() + more, resource.RLIM_INFINITY))
    try:
        step()
    except SaveError:
        return 1
    except MemoryError:
        return 2
    return 0

def codes(step):
    # Returns what comes of a step with ever more memory, each time in its own process.
    found = []
    for more in (*range(1 << 17, 3 << 20, 1 << 16), *range(3 << 20, 64 << 20, 1 << 23)):
        if pid := os.fork():
            found.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        else:
            os._exit(taken(more, step))
    if not any(found) or 0 not in found:
        raise RuntimeError(f"the limit was never reached, or always: {found}")
    return found

steps = {
    "save": lambda: slots.save("a", manager),
    "record": autosave.record,
    "load": lambda: slots.load("a", SaveLoadManager(REGISTRY)),
}
"""
STEPS = ("save", "record", "load")


@LINUX
@pytest.mark.parametrize("step", STEPS)
def test_a_limit_of_memory_is_never_a_bare_memory_error(game: Game, step: str) -> None:
    game.script(MAKE + LIMITED + f"""
found = codes(steps[{step!r}])
assert 2 not in found, found
""")


# Saving may crash: msgspec's encoder does where its buffer cannot grow.
@LINUX
def test_a_load_that_reaches_a_limit_of_memory_does_not_crash_the_game(
    game: Game,
) -> None:
    game.script(MAKE + LIMITED + """
found = codes(steps["load"])
assert min(found) >= 0, found
""")


@LINUX
def test_whatever_a_limit_of_memory_does_the_save_before_loads(game: Game) -> None:
    game.script(MAKE + LIMITED + """
for name in ("save", "record"):
    codes(steps[name])
for slot in ("a", "auto"):
    other = SaveLoadManager(REGISTRY)
    slots.load(slot, other)
    assert len(other) == 3000
""")


def test_what_was_reached_and_nobody_holds_any_more_is_let_go(games: Games) -> None:
    game = games("""
@saveable
class Spark:
    __slots__ = ("heat",)
    heat: Saved[int]

    def __init__(self):
        self.heat = 3

@saveable
class Fire:
    spark: Saved[Spark | None] = None
""")
    with game.playing() as play:
        manager = play.manager()
        fire = manager.add(play.game.Fire())
        for _ in range(20):
            fire.spark = play.game.Spark()
            manager.create_snapshot()
        gc.collect()
        alive = [each for each in gc.get_objects() if type(each) is play.game.Spark]
    assert len(alive) <= 2, "the one that is there, and the one before it"
