"""`@prefab(static=True)`: ground is rectangles with parameters, no objects, and never saved."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from savegen.levels import load_level
from savegen.runtime import LevelError, OnUnknown, SaveError, SaveLoadManager
from savegen.saves import SaveSlots, decode
from tests.levels import cave
from tests.project import Project, savegen
from tests.runtime.worlds import assert_consistent

THINGS = '''
    """What a mine is made of."""

    from enum import Enum
    from typing import Annotated

    from savegen import Save, Saved, on_activate, part, prefab, saveable

    from mine._savegen.components.things import (
        GroundSaveLoad, MinerSaveLoad, SignSaveLoad
    )

    AWAKE = []


    class Kind(Enum):
        STONE = 1
        ICE = 2


    @saveable
    class Ground(GroundSaveLoad):
        kind: Saved[Kind] = Kind.STONE
        friction: Annotated[float, Save(ge=0)] = 0.9
        wear: Annotated[int, Save(editor=False)] = 0
        marks: Saved[list[str]]

        def __init__(self, kind: Kind = Kind.STONE) -> None:
            self.kind = kind
            self.marks = ["new"]

        @on_activate
        def wake(self, reason: object) -> None:
            AWAKE.append(self)


    @saveable
    class Miner(MinerSaveLoad):
        stands_on: Saved[Ground | None] = None


    @saveable
    class Sign(SignSaveLoad):
        text: Saved[str] = ""


    @prefab(static=True)
    class Rock:
        ground = part(Ground)


    @prefab
    class Ice(Rock):
        ground = part(Ground, Kind.ICE).show(friction="grip")


    @prefab(static=True, max_count=1)
    class Torch:
        """A light, drawn as a sprite."""


    @prefab
    class Worker:
        miner = part(Miner)


    @prefab(static=False)
    class Boulder(Rock):
        pass
    '''
FILES = {
    "pyproject.toml": """
        [tool.savegen]
        source = ["mine"]
        """,
    "mine/__init__.py": "",
    "mine/things.py": THINGS,
}
ROCK, ICE = {"$type": "RockSerializer"}, {"$type": "IceSerializer"}
TORCH, WORKER = {"$type": "TorchSerializer"}, {"$type": "WorkerSerializer"}
MAP = ["######", "#..%%#", "######"]
WANTED = "mine.things", "mine._savegen.prefab_info", "mine._savegen.registry"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    Project(folder, FILES).generated().run("-m", "savegen", "build", "--quiet")
    return folder


@pytest.fixture(scope="module")
def game(folder: Path) -> Iterator[Any]:
    with Project(folder, {}).imported(*WANTED) as (module, info, registry):
        module.PREFAB_INFO, module.REGISTRY = info.PREFAB_INFO, registry.REGISTRY
        module.PrefabType = info.PrefabType
        yield module


@pytest.fixture
def manager(game: Any) -> SaveLoadManager:
    game.AWAKE.clear()
    return SaveLoadManager(game.REGISTRY, game.PREFAB_INFO)


@pytest.fixture
def draw(tmp_path: Path) -> Callable[..., Path]:
    def draw(
        rock: Any = ROCK,
        ice: Any = ICE,
        *,
        sprites: str = "",
        drawn: Any = {"T": TORCH, "W": WORKER},
        position: tuple[float, float] = (0, 0),
        lines: list[str] = MAP,
    ) -> Path:
        folder = tmp_path / "shaft"
        colours = {"#": "#646464", "%": "#00ffff"}
        cave.paint(folder / "geometry" / "layer1.png", lines, colours)
        letters = {letter: f"#{ord(letter):02x}ff00" for letter in drawn}
        rows = sprites.split() or ["." * 12] * 2 * len(lines)
        cave.paint(folder / "sprites" / "layer1.png", rows, letters)
        described = {
            "version": 1,
            "layer_params": [
                {"position": {"x": position[0], "y": position[1], "z": 4}}
            ],
            "layer_names": ["layer1"],
            "tiles": {"#646464": rock, "#00ffff": ice},
            "sprites": {letters[letter]: entry for letter, entry in drawn.items()},
        }
        (folder / "level.lvl").write_text(json.dumps(described), encoding="utf-8")
        return folder

    return draw


SPRITES = f"{'.' * 12} .T{'.' * 10} ..W{'.' * 9} {'.' * 12} {'.' * 12} {'.' * 12}"


def test_ground_is_a_rectangle_with_its_parameters_and_no_object(
    game: Any, manager: SaveLoadManager, draw: Any
) -> None:
    level = load_level(draw(sprites=SPRITES), manager)
    assert [type(c) for it in manager.objects for c in it.components] == [game.Miner]
    assert not game.AWAKE
    kinds = game.PrefabType
    edges = [(it.prefab, it.left, it.top, *it.size) for it in level.static]
    assert sorted(edges) == sorted(
        [
            (kinds.ROCK, 0.0, 0.0, 6.0, 1.0),
            (kinds.ROCK, 0.0, 1.0, 1.0, 1.0),
            (kinds.ICE, 3.0, 1.0, 2.0, 1.0),
            (kinds.ROCK, 5.0, 1.0, 1.0, 1.0),
            (kinds.ROCK, 0.0, 2.0, 6.0, 1.0),
            (kinds.TORCH, 0.5, 0.5, 0.5, 0.5),
        ]
    )
    rock, ice = (
        next(it for it in level.static if it.prefab is kind)
        for kind in (kinds.ROCK, kinds.ICE)
    )
    stone = {"kind": game.Kind.STONE, "friction": 0.9, "marks": ["new"]}
    assert dict(rock.parameters) == stone
    assert dict(ice.parameters) == {
        **{"kind": game.Kind.ICE, "grip": 0.9},
        "marks": ["new"],
    }
    assert rock.layer == ("layer1", (0.0, 0.0, 4.0))
    assert level.static[-1].prefab is kinds.TORCH and not level.static[-1].parameters
    assert ice.position == (4.0, 1.5, 0.0) and ice.id == "shaft/layer1/tile/3,1"


def test_parameters_of_the_level_replace_the_defaults(
    game: Any, manager: SaveLoadManager, draw: Any
) -> None:
    ice = {**ICE, "grip": 0.0, "kind": "STONE", "marks": ["a", "b"]}
    level = load_level(draw(ice=ice), manager)
    found = [it.parameters for it in level.static if it.prefab is game.PrefabType.ICE]
    expected = {"grip": 0.0, "kind": game.Kind.STONE, "marks": ["a", "b"]}
    assert [dict(parameters) for parameters in found] == [expected]


def test_rectangles_respect_the_layer_the_axis_the_anchor_and_the_region(
    game: Any, manager: SaveLoadManager, draw: Any
) -> None:
    level = load_level(
        draw(position=(10, 100), sprites=SPRITES),
        manager,
        (3, 1, 3, 9),
        y_up=True,
        anchor="midbottom",
    )
    found = [(it.prefab.name, it.left, it.top, *it.size) for it in level.static]
    assert found == [
        ("ICE", 13.0, -101.0, 2.0, 1.0),
        ("ROCK", 15.0, -101.0, 1.0, 1.0),
        ("ROCK", 13.0, -102.0, 3.0, 1.0),
    ]
    assert [it.position[:2] for it in level.static] == [
        (14.0, -102.0),
        (15.5, -102.0),
        (14.5, -103.0),
    ]


def test_rectangles_can_be_in_pixels(manager: SaveLoadManager, draw: Any) -> None:
    level = load_level(draw(position=(1, 0), sprites=SPRITES), manager, unit=16)
    (ice,) = (it for it in level.static if it.prefab.name == "ICE")
    assert (ice.left, ice.top, *ice.size) == (64.0, 16.0, 32.0, 16.0)
    assert ice.position == (80.0, 24.0, 0.0)
    torch = level.static[-1]
    assert (torch.left, torch.top, *torch.size) == (24.0, 8.0, 8.0, 8.0)


def test_tiles_and_cells_lead_to_static_tiles(
    manager: SaveLoadManager, draw: Any
) -> None:
    level = load_level(draw(), manager)
    (tiles,), (cells,), (rectangles,) = (
        level.tiles,
        level.cell_to_rectangle,
        level.rectangles,
    )
    assert tiles == level.static and len(rectangles) == len(tiles) == 5
    assert tiles[cells[1, 4]].prefab.name == "ICE" and cells[1, 1] == -1
    assert repr(level) == "<Level 'shaft' of 0 objects>"
    level.unload()
    assert not [*level.objects] and len(level.static) == 5


def test_constructors_of_ground_change_no_random_numbers_and_nothing_is_saved(
    manager: SaveLoadManager, draw: Any
) -> None:
    before = manager.create_snapshot()
    load_level(draw(), manager)
    after = manager.create_snapshot()
    assert len(after) == 0 and before.digest() == after.digest()


def test_wrong_parameters_of_ground_are_errors_of_the_level(
    manager: SaveLoadManager, draw: Any
) -> None:
    with pytest.raises(LevelError, match="frction.*did you mean 'friction'"):
        load_level(draw({**ROCK, "frction": 1.0}), manager)
    with pytest.raises(LevelError, match="expected at least 0"):
        load_level(draw({**ROCK, "friction": -1.0}), manager)


def test_nothing_can_refer_to_ground_and_both_validators_say_so(
    folder: Path, manager: SaveLoadManager, draw: Any
) -> None:
    worker = {**WORKER, "stands_on": "floor"}
    lines = ["......", "......", "######"]
    level = draw(
        {**ROCK, "$id": "floor"}, sprites=SPRITES, drawn={"W": worker}, lines=lines
    )
    text = (
        "'floor' is a `RockSerializer`, which is static: there is no object to refer to"
    )
    with pytest.raises(LevelError, match=text):
        load_level(level, manager)
    said = savegen(folder, "level", "check", str(level), together=True)
    assert said.code == 1 and text in said.out


def test_a_level_may_have_at_most_max_count_rectangles(
    manager: SaveLoadManager, draw: Any
) -> None:
    sprites = SPRITES.replace(".T.", "TT.")
    with pytest.raises(LevelError, match="at most 1"):
        load_level(draw(sprites=sprites), manager)


@pytest.mark.parametrize(
    "act",
    [
        lambda manager, kind, thing: manager.spawn(kind),
        lambda manager, kind, thing: manager.spawn(kind, position=(1, 2, 3)),
        lambda manager, kind, thing: manager.pool(kind),
        lambda manager, kind, thing: manager.add(thing, kind),
        lambda manager, kind, thing: manager.set_prefab(manager.add(thing), kind),
    ],
)
def test_a_static_prefab_has_no_objects(
    game: Any, manager: SaveLoadManager, act: Any
) -> None:
    with pytest.raises(SaveError, match="the prefab ICE is static: it has no objects"):
        act(manager, game.PrefabType.ICE, game.Sign())


@pytest.mark.parametrize("on_unknown", OnUnknown)
def test_a_level_of_nothing_but_ground_is_loaded(
    manager: SaveLoadManager, draw: Any, tmp_path: Path, on_unknown: OnUnknown
) -> None:
    manager._game.on_unknown = on_unknown
    slots = SaveSlots(tmp_path / "saves")
    load_level(draw(sprites=SPRITES), manager)
    slots.save("old", manager, level="shaft")

    def start(_: str) -> None:
        assert load_level(draw(), manager).static

    if on_unknown is OnUnknown.ERROR:
        with pytest.raises(SaveError, match="the level 'shaft' no longer places"):
            slots.load("old", manager, levels=start)
        assert len(manager) == 1 and manager._world.levels == {"shaft"}
        return
    report = slots.load("old", manager, levels=start)
    assert report.removed_by_level == ("shaft/layer1/2,2",)
    assert len(manager) == (on_unknown is OnUnknown.PLACEHOLDER)


def test_a_level_of_nothing_but_ground_that_is_unloaded_is_not_loaded(
    manager: SaveLoadManager, draw: Any, tmp_path: Path
) -> None:
    slots = SaveSlots(tmp_path / "saves")
    load_level(draw(sprites=SPRITES), manager)
    slots.save("old", manager)
    manager.clear()
    load_level(draw(), manager).unload()
    slots.load("old", manager)
    assert len(manager) == 1


def test_a_variant_can_have_objects(
    game: Any, manager: SaveLoadManager, draw: Any
) -> None:
    boulder = manager.spawn(game.PrefabType.BOULDER)
    assert boulder.get(game.Ground) in game.AWAKE
    level = load_level(draw({"$type": "BoulderSerializer"}), manager)
    assert len([*level.objects]) == 4 and len(level.static) == 1


def test_the_template_has_ground_among_the_tiles(folder: Path) -> None:
    text = (folder / "mine" / "_savegen" / "template.lvl").read_text("utf-8")
    template = json.loads(text)
    tiles = [entry["$type"] for entry in template["tiles"].values()]
    assert sorted(tiles) == ["IceSerializer", "RockSerializer", "TorchSerializer"]
    assert len(template["sprites"]) == 2


def test_moved_ground_is_no_difference_to_saves_and_is_drawn_in_the_preview(
    folder: Path, draw: Any, tmp_path: Path
) -> None:
    old = draw().rename(tmp_path / "old")
    new = draw(lines=["%#####", "#...##", "######"])
    said = savegen(folder, "level", "check", f"{new}", "--against", f"{old}")
    assert said.code == 0 and "no placement changed" in said.out
    picture = tmp_path / "preview.png"
    said = savegen(folder, "level", "preview", f"{new}", "-o", f"{picture}")
    assert said.code == 0, said.err
    with Image.open(picture) as image:
        assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 2


@pytest.fixture
def old_save(tmp_path: Path, draw: Any) -> Iterator[Callable[[], Any]]:
    """Write a save of a game whose ground has objects; return it with static ground."""
    home = tmp_path / "game"
    files = {re.sub(r"\bmine\b", "quarry", k): v for k, v in FILES.items()}
    files = {k: re.sub(r"\bmine\b", "quarry", v) for k, v in files.items()}
    wanted = [name.replace("mine", "quarry") for name in WANTED]
    solid = re.sub("static=True,? ?", "", files["quarry/things.py"])
    project = Project(home, {**files, "quarry/things.py": solid})
    level = draw(sprites=SPRITES, drawn={"W": WORKER})
    slots = SaveSlots(tmp_path / "saves")
    project.generated().prefabs()
    with project.imported(*wanted) as (things, info, registry):
        manager = SaveLoadManager(registry.REGISTRY, info.PREFAB_INFO)
        load_level(level, manager)
        (miner,) = manager.find(things.Miner)
        miner.stands_on = next(manager.find(things.Ground))
        manager.spawn(info.PrefabType.ICE)
        manager.add(things.Sign()).text = "left"
        assert len(manager.objects) == 8
        slots.save("old", manager, level="shaft")
    project = Project(home, files).generated().prefabs()
    with project.imported(*wanted) as (things, info, registry):
        manager = SaveLoadManager(registry.REGISTRY, info.PREFAB_INFO)
        yield lambda: (manager, things, slots, level)


@pytest.mark.parametrize("on_unknown", OnUnknown)
@pytest.mark.parametrize("places", [True, False])
def test_an_old_save_with_objects_that_are_static_today_loads_without_them(
    old_save: Any, on_unknown: OnUnknown, places: bool
) -> None:
    manager, things, slots, level = old_save()
    manager._game.on_unknown = on_unknown
    if places:
        report = slots.load("old", manager, levels=lambda _: load_level(level, manager))
    else:
        report = slots.load("old", manager)
    (miner,) = manager.find(things.Miner)
    (sign,) = manager.find(things.Sign)
    assert miner.stands_on is None and sign.text == "left"
    assert len(manager.objects) == 2 and not [*manager.find(things.Ground)]
    assert not report.lost and not report.removed_by_level
    assert sorted(report.notes) == [
        "2 objects of the prefab ICE, which is static today, left out",
        "4 objects of the prefab ROCK, which is static today, left out",
    ]
    assert_consistent(manager)
    slots.save("new", manager)
    again = slots.load("new", manager)
    assert not again.notes and len(manager.objects) == 2


def test_a_merge_of_an_old_save_leaves_static_objects_out(
    old_save: Any, tmp_path: Path
) -> None:
    manager, things, slots, _ = old_save()
    slots.export("old", tmp_path / "old.save")
    snapshot = decode((tmp_path / "old.save").read_bytes(), manager)
    merged = manager.merge(snapshot)
    assert len(merged) == 3  # the worker with its miner, and the sign
    assert len(manager.objects) == 2 and not [*manager.find(things.Ground)]
    (miner,) = manager.find(things.Miner)
    assert miner.stands_on is None
    assert_consistent(manager)
