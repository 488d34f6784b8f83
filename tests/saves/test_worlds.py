"""Whole worlds through files: nobody could tell that they were saved and loaded."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime import (
    Activation,
    AssetRegistry,
    GameObject,
    OnUnknown,
    SaveApplyError,
    SaveError,
    SaveLoadManager,
    Snapshot,
)
from savegen.runtime.generated.registry import Registry
from savegen.saves import Metadata, decode, encode
from savegen.saves.writing import SnapshotWriter
from tests.oracle import difference
from tests.promises.games import Game
from tests.runtime.test_all_or_nothing import LOOK_EVERY, Fault, Injected, Scene
from tests.runtime.test_random_worlds import SEEDS, everything
from tests.runtime.worlds import Storm, assert_consistent, digests_of_a_game
from tests.soaking import examples

NewManager = Callable[..., SaveLoadManager]


def loaded(
    manager: SaveLoadManager, data: bytes, levels: Callable[[], object] | None = None
) -> Any:
    snapshot = decode(data, manager)
    if levels is None:
        return manager.apply_snapshot(snapshot)
    return manager.restart(levels, snapshot)


def saved(manager: SaveLoadManager) -> bytes:
    return encode(manager.create_snapshot())


def test_a_save_in_the_background_takes_a_world_a_part_at_a_time(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    for number in range(12_000):
        manager.add(game.Unit(number))
    snapshot = manager.create_snapshot()
    writer = SnapshotWriter(snapshot)
    done = [*writer.steps()]
    assert max(after - before for before, after in zip(done, done[1:])) == 1000
    assert b"".join(writer.finish(Metadata())) == encode(snapshot)


# -- random worlds


@settings(deadline=None, max_examples=examples(40))
@given(seed=SEEDS, steps=st.integers(0, 25))
def test_a_world_from_a_file_is_the_world_that_was_saved(
    game: ModuleType, registry: Registry, seed: int, steps: int
) -> None:
    manager = SaveLoadManager(registry)
    Storm(game, manager, random.Random(seed)).blow(steps)
    manager.apply_snapshot(manager.create_snapshot())  # nothing refers to what is gone
    snapshot = manager.create_snapshot()
    data = encode(snapshot)
    other = SaveLoadManager(registry)
    unpacked = decode(data, other)
    assert len(other) == 0, "a world is not changed by reading"
    assert unpacked.digest() == snapshot.digest()
    other.apply_snapshot(unpacked)
    assert_consistent(other)
    assert difference(everything(manager), everything(other)) is None
    again = other.create_snapshot()
    assert again.digest() == snapshot.digest()
    assert encode(again) == data, "save, load, save: the same bytes"


@settings(deadline=None, max_examples=examples(20))
@given(seed=SEEDS, steps=st.integers(1, 20))
def test_what_happens_after_a_load_is_what_would_have_happened_without(
    game: ModuleType, registry: Registry, seed: int, steps: int
) -> None:
    manager, twin = SaveLoadManager(registry), SaveLoadManager(registry)
    storm = Storm(game, manager, random.Random(seed))
    other = Storm(game, twin, random.Random(seed))
    for each in (storm, other):
        each.blow(steps)
    for _ in range(3):
        for world in (manager, twin):
            world.apply_snapshot(world.create_snapshot())
        fresh = SaveLoadManager(registry)
        loaded(fresh, saved(manager))
        manager = storm.manager = fresh
        for each in (storm, other):
            each.blow(3)
        assert manager.create_snapshot().digest() == twin.create_snapshot().digest()


@settings(deadline=None, max_examples=examples(20))
@given(seed=SEEDS, steps=st.integers(0, 20), more=st.integers(0, 20))
def test_a_file_loads_over_whatever_is_there(
    game: ModuleType, registry: Registry, seed: int, steps: int, more: int
) -> None:
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, random.Random(seed))
    storm.blow(steps)
    before = manager.create_snapshot()
    data = encode(before)
    storm.blow(more)
    snapshot = decode(data, manager)
    for _ in range(2):  # the second time it is a snapshot like any other
        manager.apply_snapshot(snapshot)
        assert_consistent(manager)
        assert manager.create_snapshot().digest() == before.digest()
        storm.blow(more)


@settings(deadline=None, max_examples=examples(20))
@given(seed=SEEDS, steps=st.integers(0, 20))
def test_what_was_read_from_a_file_can_be_merged(
    game: ModuleType, registry: Registry, seed: int, steps: int
) -> None:
    manager = SaveLoadManager(registry)
    Storm(game, manager, random.Random(seed)).blow(steps)
    other = SaveLoadManager(registry)
    other.add(game.Unit(3))
    snapshot = decode(saved(manager), other)
    for turn in (1, 2):
        keys = other.merge(snapshot)
        assert_consistent(other)
        assert len(keys) >= len(manager) and len(other) == 1 + turn * len(manager)


# -- another process


FRESH = """
import random, sys
sys.path.insert(0, sys.argv[1])
import world_game as game
from _savegen.registry import REGISTRY
from savegen.runtime import SaveLoadManager
from savegen.saves import decode, encode
from tests.runtime.worlds import Storm

data = sys.stdin.buffer.read()
manager = SaveLoadManager(REGISTRY)
snapshot = decode(data, manager)
print(snapshot.digest())
manager.apply_snapshot(snapshot)
again = manager.create_snapshot()
print(again.digest(), encode(again) == data)
"""


@pytest.mark.parametrize("seed", range(4))
def test_another_process_reads_the_same_and_writes_the_same_bytes(
    game: ModuleType, registry: Registry, seed: int
) -> None:
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, random.Random(seed))
    for _ in range(3):
        storm.blow(12)
        storm._gather()  # sets, whose order is another in each process
    manager.apply_snapshot(manager.create_snapshot())
    snapshot = manager.create_snapshot()
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", FRESH, str(Path(str(game.__file__)).parent)],
        input=encode(snapshot),
        capture_output=True,
        cwd=root,
        env={"PYTHONPATH": str(root), "PYTHONHASHSEED": str(seed + 1)},
    )
    digest = snapshot.digest()
    assert done.stdout.decode().split() == [digest, digest, "True"], done.stderr


# -- by hand


def test_reading_reloads_changes_nothing_however_often(
    game: ModuleType, registry: Registry
) -> None:
    def played(reloads: bool) -> list[str]:
        def reload(manager: SaveLoadManager) -> SaveLoadManager:
            if not reloads:
                return manager
            fresh = SaveLoadManager(registry)
            loaded(fresh, saved(manager))
            return fresh

        manager, dice = SaveLoadManager(registry), random.Random(5)
        return digests_of_a_game(game, manager, dice, reload, units=4)

    assert played(reloads=True) == played(reloads=False)


def test_a_list_of_a_hundred_thousand_that_nobody_added(
    game: ModuleType, registry: Registry
) -> None:
    node = None
    for number in range(100_000):
        node = game.Slotted(number, node)
    manager = SaveLoadManager(registry)
    manager.add(node)
    data = saved(manager)
    other = SaveLoadManager(registry)
    loaded(other, data)
    (node,) = other.objects
    for number in reversed(range(100_000)):
        assert node.value == number
        node = node.left
    assert node is None
    assert saved(other) == data


def test_shared_and_cyclic_structure_is_one_and_cyclic(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    one, two = manager.add(game.Unit(1)), game.Unit(2)
    one.foe, two.foe, one.friends = two, one, [two, one, two]
    other = SaveLoadManager(registry)
    loaded(other, saved(manager))
    (one,) = other.objects
    assert one.foe.foe is one and one.friends[0] is one.friends[2] is one.foe


def test_attributes_that_are_not_set_are_not_set(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    bare, whole = game.Unit(1), game.Unit(2)
    del bare.trail, bare.friends
    bare.foe = whole
    thing = manager.add(GameObject(bare, position=(1.0, 2.0, 3.0)))
    thing.transform.rotation = 45.0
    manager.add(whole).friends = [bare]
    snapshot = manager.create_snapshot()
    other = SaveLoadManager(registry)
    unpacked = decode(encode(snapshot), other)
    assert unpacked.digest() == snapshot.digest()
    other.apply_snapshot(unpacked)
    bare, whole = other.find(game.Unit)
    assert not hasattr(bare, "trail") and whole.trail == []
    assert bare.foe is whole and whole.friends == [bare]
    assert other.objects[0].transform.rotation == 45.0
    assert encode(other.create_snapshot()) == encode(snapshot)


def test_classes_that_save_themselves_keep_their_keys(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    known, unknown = manager.add(game.Unit(1)), game.Unit(2)
    parts = manager.add(GameObject(game.Unit(3), game.Unit(4)))
    bags = [manager.add(game.Bag()) for _ in range(3)]
    for bag, bearer in zip(bags, (known, unknown, parts.components[1]), strict=True):
        bag.items, bag.bearer = ["rope", "lamp"], bearer
    bags[0].items = ["rope", {"more": [(1, 2.5), {"a"}], 3: None}]
    snapshot = manager.create_snapshot()
    other = SaveLoadManager(registry)
    loaded(other, encode(snapshot))
    first, second, third = other.find(game.Bag)
    assert [b.bearer.hp for b in (first, second, third)] == [1, 2, 4]
    assert first.items == ["rope", {"more": [(1, 2.5), {"a"}], 3: None}]
    assert third.bearer is [*other.objects][1].components[1]
    assert other.record_of(second.bearer).registered is False


def test_what_was_recorded_is_done_again(game: ModuleType, registry: Registry) -> None:
    manager = SaveLoadManager(registry)
    radio, quiet = manager.add(game.Radio()), manager.add(game.Radio())
    unit = game.Unit(7)
    radio.tune([98.5, unit, {"name": unit}])
    snapshot = manager.create_snapshot()
    other = SaveLoadManager(registry)
    unpacked = decode(encode(snapshot), other)
    assert unpacked.digest() == snapshot.digest()
    other.apply_snapshot(unpacked)
    radio, quiet = other.find(game.Radio)
    assert radio.is_dirty() and not quiet.is_dirty() and quiet.station is None
    frequency, unit, named = radio.station
    assert frequency == 98.5 and unit.hp == 7 and named["name"] is unit
    assert encode(other.create_snapshot()) == encode(snapshot)


def test_states_come_back_and_unknown_ones_are_kept(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    dice, told = random.Random(3), [(1, "a"), {"b": 2.5}]
    manager.add_state("dice", dice.getstate, dice.setstate)
    manager.add_state("told", lambda: told, lambda value: None)
    data = saved(manager)
    first = dice.random()
    other = SaveLoadManager(registry)
    found: list[Any] = []
    other.add_state("dice", dice.getstate, dice.setstate)
    loaded(other, data)
    assert dice.random() == first
    third = SaveLoadManager(registry)
    third.add_state("told", lambda: None, found.append)
    loaded(third, saved(other))
    assert found == [told]


def test_a_partial_snapshot_is_a_world_of_its_own(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    first, second, _ = (manager.add(game.Unit(n)) for n in range(3))
    second.foe = second
    data = encode(manager.create_snapshot(filter=[second]))
    other = SaveLoadManager(registry)
    loaded(other, data)
    (unit,) = other.objects
    assert unit.foe is unit and unit.hp == 1
    second.foe = first
    with pytest.raises(
        SaveError, match="`Unit.foe` refers to an object that the filter"
    ):
        encode(manager.create_snapshot(filter=[second]))


def test_a_value_that_does_not_fit_is_saved_and_comes_back_as_it_was(
    game: ModuleType, registry: Registry
) -> None:
    manager = SaveLoadManager(registry)
    manager.add(game.Unit("much"))
    data = saved(manager)
    other = SaveLoadManager(registry)
    report = loaded(other, data)
    (mismatch,) = report.mismatches
    assert mismatch[1:] == ("Unit", "hp", "'much'", "int", "")
    assert other.objects[0].hp == "much" and saved(other) == data


# -- placed, spawned, destroyed, parented; pools, assets


def goblin(game: ModuleType) -> Callable[[], GameObject]:
    def build() -> GameObject:
        unit = game.Unit(random.randrange(50))
        unit.sprite = "a picture"  # not saved: only the prefab knows it
        return GameObject(unit)

    return build


def test_spawned_objects_are_built_from_their_prefabs(
    game: ModuleType, new_manager: NewManager
) -> None:
    prefabs = {1: goblin(game)}
    manager = new_manager(prefabs)
    top = manager.spawn(1)
    for number in range(3):
        manager.spawn(1, position=(number, 0.0, 0.0)).parent = top
    top.components[0].hp = 99
    top.components[0].foe = game.Unit(5)
    extra = top.add_component(game.Unit(6))
    extra.foe = top.components[0]
    data = saved(manager)
    other = new_manager(prefabs)
    rolls = random.getstate()
    report = loaded(other, data)
    assert random.getstate() == rolls, "what a constructor rolls changes nothing after"
    assert report.created == 5 and report.kept == 0
    first, *rest = other.objects
    unit, extra = first.components
    assert unit.sprite == "a picture" and (unit.hp, unit.foe.hp) == (99, 5)
    assert not hasattr(extra, "sprite") and extra.foe is unit
    assert first.children == tuple(rest) and rest[2].transform.position == (2, 0.0, 0.0)
    assert other.record_of(first).prefab == 1 and saved(other) == data


def test_a_pool_takes_and_gives_what_a_file_needs(
    game: ModuleType, new_manager: NewManager
) -> None:
    prefabs = {1: lambda: GameObject(game.Unit(1))}
    manager = new_manager(prefabs)
    manager.pool(1, warm=2)
    things = [manager.spawn(1) for _ in range(2)]
    things[0].components[0].hp = 7
    data = saved(manager)
    report = loaded(manager, data)
    assert report.created == 2 and report.removed == 2
    found = [thing.components[0].hp for thing in manager.objects]
    assert found == [7, 1] and saved(manager) == data
    assert not len(manager.pool(1)), "those from before live another life"
    assert {*map(id, manager.objects)} == {*map(id, things)}


def test_a_prefab_that_the_game_does_not_know_is_kept(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: goblin(game), 2: goblin(game)})
    stays, goes = manager.spawn(1), manager.spawn(2)
    goes.parent = stays
    stays.components[0].foe = goes.components[0]
    goes.components[0].friends = [stays.components[0], goes.components[0]]
    data = saved(manager)
    without = new_manager({1: goblin(game)})
    report = loaded(without, data)
    (found,) = without.objects
    assert report.preserved == {"GameObject": 1, "Unit": 1, "Unit.foe": 1}
    assert found.children == () and found.components[0].foe is None
    found.components[0].hp = 12
    kept = saved(without)
    loaded(without, kept)
    assert saved(without) == kept
    other = new_manager({1: goblin(game), 2: goblin(game)})
    loaded(other, kept)
    stays, goes = other.objects
    assert goes.parent is stays and stays.children == (goes,)
    assert stays.components[0].foe is goes.components[0]
    assert goes.components[0].friends[0] is stays.components[0]
    stays.components[0].hp = manager.objects[0].components[0].hp
    assert saved(other) == data


def test_a_prefab_without_a_number_cannot_be_saved(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({"orc": goblin(game)})
    manager.spawn("orc")
    with pytest.raises(SaveError, match="the prefab 'orc' has no number"):
        saved(manager)


def test_a_part_that_a_prefab_has_now_is_kept(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: GameObject(game.Unit(1))})
    manager.spawn(1).components[0].hp = 8
    other = new_manager({1: lambda: GameObject(game.Unit(1), game.Boss(2))})
    loaded(other, saved(manager))
    (thing,) = other.objects
    assert [type(each) for each in thing.components] == [game.Unit, game.Boss]
    assert thing.components[0].hp == 8 and thing.components[1].hp == 2
    assert [*other.find(game.Boss)] == [thing.components[1]]
    thing.remove_component(thing.components[1])
    data = saved(other)
    third = new_manager({1: lambda: GameObject(game.Unit(1), game.Boss(2))})
    loaded(third, data)
    assert len(third.objects[0].components) == 1, "it was taken away on purpose"


class Level:
    """Places some units, and counts how often."""

    def __init__(self, game: ModuleType, manager: SaveLoadManager, *names: str) -> None:
        self.started = 0
        self.units: dict[str, Any] = {}
        self._game, self._manager, self._names = game, manager, names

    def __call__(self) -> None:
        self.started += 1
        for name in self._names:
            unit = self._manager.add(self._game.Unit(10), placement=name, level="crypt")
            self.units[name] = unit


def crypt(game: ModuleType, manager: SaveLoadManager) -> bytes:
    level = Level(game, manager, "a", "b", "c")
    level()
    level.units["a"].hp, level.units["a"].foe = 3, level.units["b"]
    manager.destroy(level.units["c"])
    manager.add(game.Unit(50)).foe = level.units["a"]
    return saved(manager)


def test_a_save_made_in_one_level_loads_from_anywhere(
    game: ModuleType, new_manager: NewManager
) -> None:
    data = crypt(game, new_manager())
    manager = new_manager()
    menu = manager.add(game.Unit(1), placement="menu", level="menu")
    level = Level(game, manager, "a", "b", "c", "new")
    report = loaded(manager, data, levels=level)
    assert level.started == 1 and report.kept == 2 and report.created == 1
    assert report.added_by_level == ("new",) and manager.key_of(menu) == 0
    first = level.units["a"]
    assert first.hp == 3 and first.foe is level.units["b"]
    assert manager.key_of(level.units["c"]) == 0, "it was destroyed before"
    spawned = next(unit for unit in manager.find(game.Unit) if unit.hp == 50)
    assert spawned.foe is first


@pytest.mark.parametrize("policy", OnUnknown)
def test_what_the_level_does_not_place_any_more_is_up_to_the_policy(
    game: ModuleType, new_manager: NewManager, policy: OnUnknown
) -> None:
    data = crypt(game, new_manager())
    manager = new_manager(on_unknown=policy)
    level = Level(game, manager, "a")
    if policy is OnUnknown.ERROR:
        with pytest.raises(SaveApplyError, match="no longer places 'b'"):
            loaded(manager, data, levels=level)
        assert len(manager) == 0
        return
    report = loaded(manager, data, levels=level)
    assert report.removed_by_level == ("b",)
    foe = level.units["a"].foe
    assert (foe is None) is (policy is OnUnknown.DROP)


def test_a_key_of_another_day_means_nothing(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager()
    manager.add(game.Unit(1))
    data = saved(manager)
    other = new_manager()
    mine = other.add(game.Unit(2))  # under the very same key
    report = loaded(other, data)
    (unit,) = other.objects
    assert unit is not mine and unit.hp == 1 and mine.hp == 2
    assert (report.created, report.removed) == (1, 1)


def test_objects_are_activated_as_restored(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager()
    manager.add(game.Actor()), manager.add(game.Actor())
    other = new_manager()
    loaded(other, saved(manager))
    assert [actor.log for actor in other.find(game.Actor)] == [["restored"]] * 2
    other.apply_snapshot(other.create_snapshot())
    assert [a.log[-1] for a in other.find(game.Actor)] == ["reloaded"] * 2
    assert Activation.RESTORED.value == "restored"


SHARED = """
from savegen import Asset


class Picture:
    pass


@saveable
class Wizard:
    dice: Saved[random.Random]
    look: Annotated[Picture | None, Save(), Asset()] = None
    known: Saved[list[type[Wizard]]]
    wards: Saved[set[Wizard]]

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.known = []
        self.wards = set()
"""


@pytest.fixture(scope="module")
def magic(tmp_path_factory: pytest.TempPathFactory) -> Game:
    folder = tmp_path_factory.mktemp("magic") / "game"
    return Game(folder, SHARED).generate()


def test_generators_that_were_shared_are_and_go_on_where_they_stood(
    magic: Game,
) -> None:
    with magic.playing() as (game, registry, *_):
        manager, dice = SaveLoadManager(registry), random.Random(4)
        one, two = game.Wizard(dice), game.Wizard(dice)
        alone = game.Wizard(random.Random(4))
        for each in (one, two, alone):
            manager.add(each)
        dice.random()
        data = saved(manager)
        wanted = [dice.random(), dice.random(), alone.dice.random()]
        other = SaveLoadManager(registry)
        loaded(other, data)
        one, two, alone = other.objects
        assert one.dice is two.dice is not alone.dice
        found = [one.dice.random(), two.dice.random(), alone.dice.random()]
        assert found == wanted


def test_assets_come_back_by_their_ids_and_classes_by_their_numbers(
    magic: Game,
) -> None:
    with magic.playing() as (game, registry, *_):
        assets, picture = AssetRegistry(), game.Picture()
        assets["hat"] = picture
        manager = SaveLoadManager(registry, assets=assets)
        wizard = manager.add(game.Wizard(random.Random(1)))
        wizard.look, wizard.known = picture, [game.Wizard]
        data = saved(manager)
        other = SaveLoadManager(registry, assets=assets)
        loaded(other, data)
        (wizard,) = other.objects
        assert wizard.look is picture and wizard.known == [game.Wizard]
        strict = SaveLoadManager(registry)
        (lost,) = loaded(strict, data).lost
        assert lost[1:-1] == (
            "Wizard",
            "look",
            "no asset has the id 'hat'",
            "Asset | None",
        )
        assert strict.objects[0].look is None
        lenient = AssetRegistry(OnUnknown.PLACEHOLDER)
        third = SaveLoadManager(registry, assets=lenient)
        loaded(third, data)
        assert saved(third) == data, "what stands for an unknown asset has its id"


def test_a_set_of_those_that_nobody_added_is_written_in_one_order(
    magic: Game,
) -> None:
    with magic.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        top = manager.add(game.Wizard(random.Random(1)))
        for seed in range(20):
            inner = game.Wizard(random.Random(seed))
            inner.known = [game.Wizard] * seed
            top.wards.add(inner)
        data = saved(manager)
        for _ in range(3):
            manager = SaveLoadManager(registry)
            loaded(manager, data)
            assert saved(manager) == data


# -- all or nothing


class World:
    """What is there before a file is loaded over it: a bit of everything."""

    def __init__(
        self, game: ModuleType, manager: SaveLoadManager, data: bytes, kind: str
    ) -> None:
        self.manager = manager
        self.scene = Scene(game, manager, kind)
        self.level = Level(game, manager, "late", "b")
        self.data = data

    def look(self) -> str:
        return self.manager.create_snapshot().digest()

    def read(self) -> Snapshot:
        return decode(self.data, self.manager)


def scene_data(game: ModuleType, manager: SaveLoadManager, kind: str) -> bytes:
    return encode(Scene(game, manager, kind).before)


@pytest.mark.parametrize(
    ["kind", "staged"], [("bare", False), ("plain", False), ("hooks", True)]
)
def test_an_exception_at_any_line_that_changes_the_world_changes_nothing(
    game: ModuleType, new_manager: NewManager, kind: str, staged: bool
) -> None:
    data = scene_data(game, new_manager(), kind)
    world = World(game, new_manager(), data, kind)
    digest = world.look()
    for _ in range(2):  # the first time, all classes are looked up
        count = _count(World(game, new_manager(), data, kind), staged)
    snapshot = world.read()
    for at in range(1, 10_000, 5 if staged else 1):
        if at % LOOK_EVERY == 0 or snapshot.world is not None:
            snapshot = world.read()  # takes ten times as long as to apply it
        try:
            with Fault(at):
                _apply(world, snapshot, staged)
        except Injected:
            # Before it loads, so that the last failures are looked at: each of them.
            if at % LOOK_EVERY == 0 or at > 0.75 * count:
                assert world.look() == digest, f"line {at} or a few before"
        else:
            break
    assert at > max(500, 0.7 * count)
    assert world.look() != digest


def _count(world: World, staged: bool) -> int:
    snapshot = world.read()
    with Fault(0) as fault:
        _apply(world, snapshot, staged)
    return fault.lines


def _apply(world: World, snapshot: Snapshot, staged: bool) -> None:
    if staged:
        world.manager.restart(world.level, snapshot)
    else:
        world.manager.apply_snapshot(snapshot)


def test_an_exception_while_a_file_is_read_changes_nothing(
    game: ModuleType, new_manager: NewManager
) -> None:
    data = scene_data(game, new_manager(), "hooks")
    world = World(game, new_manager(), data, "hooks")
    digest, at, step = world.look(), 1, 97
    with Fault(0) as fault:
        world.read()
    while at < fault.lines * 0.9:
        with pytest.raises(Injected), Fault(at):
            world.read()
        at += step
    assert world.look() == digest and at > 5 * step


def test_a_level_that_fails_leaves_the_world_as_it_was(
    game: ModuleType, new_manager: NewManager
) -> None:
    data = crypt(game, new_manager())
    manager = new_manager({1: goblin(game)})
    manager.pool(1, warm=1)
    mine = manager.spawn(1)
    child = manager.add(GameObject(game.Actor(), parent=mine))
    digest = manager.create_snapshot().digest()

    def levels() -> None:
        assert len(manager) == 0
        manager.spawn(1)
        raise RuntimeError("no such level")

    with pytest.raises(SaveApplyError, match="RuntimeError: no such level"):
        loaded(manager, data, levels=levels)
    assert [*manager.objects] == [mine, child] and mine.children == (child,)
    assert manager.create_snapshot().digest() == digest


def test_a_hook_that_fails_leaves_the_world_as_it_was(
    game: ModuleType, new_manager: NewManager
) -> None:
    source = new_manager()
    source.add(game.Actor())
    data = saved(source)
    manager = new_manager()
    mine = manager.add(game.Unit(1))
    game.Actor.fails = "restored"
    try:
        with pytest.raises(SaveApplyError, match="`Actor.wake` raised"):
            loaded(manager, data)
    finally:
        game.Actor.fails = ""
    assert [*map(id, manager.objects)] == [id(mine)]
    loaded(manager, data)
    assert [type(each) for each in manager.objects] == [game.Actor]
