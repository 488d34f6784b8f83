"""`@prefab(position=…)`: the place where an object is drawn or spawned is in its own attribute."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from savegen.levels import load_level
from savegen.runtime import LevelError, SaveError, SaveLoadManager
from savegen.runtime.values.libraries.fields import set_place
from tests.project import Project, savegen

FILES = {
    "pyproject.toml": """
        [tool.savegen]
        source = ["field"]
        """,
    "field/__init__.py": "",
    "field/things.py": '''
        """What stands in a field."""

        from dataclasses import dataclass
        from typing import Annotated, NamedTuple

        import pygame

        from savegen import Activation, Save, Saved, on_activate, part, prefab, saveable

        from field._savegen.components.things import (
            BodySaveLoad, CellSaveLoad, HeroSaveLoad, MarkSaveLoad, StubbornSaveLoad,
            OakSaveLoad, TreeSaveLoad
        )


        @dataclass(frozen=True)
        class Vec2:
            x: float = 0.0
            y: float = 0.0


        class Spot(NamedTuple):
            column: int
            row: int


        @saveable(transient=("seen",))
        class Body(BodySaveLoad):
            pos: Saved[Vec2] = Vec2()
            hp: Saved[int] = 3
            seen = None

            @on_activate
            def wake(self, reason: Activation) -> None:
                self.seen = self.pos


        @saveable
        class Cell(CellSaveLoad):
            spot: Saved[Spot] = Spot(0, 0)


        @saveable(transient=("image",))
        class Hero(HeroSaveLoad, pygame.sprite.Sprite):
            rect: Annotated[pygame.Rect, Save(setter=True)]

            def __init__(self) -> None:
                super().__init__()
                self.image = None
                self.rect = pygame.Rect(0, 0, 2, 4)


        @saveable
        class Stubborn(StubbornSaveLoad):
            _pos: Saved[tuple[float, float]] = (0.0, 0.0)

            @property
            def pos(self) -> tuple[float, float]:
                return self._pos

            @pos.setter
            def pos(self, pos: tuple[float, float]) -> None:
                if pos[0] > 3:
                    raise ZeroDivisionError("too far to the right")
                self._pos = pos


        @saveable(prefab=True, position="pos")
        class Tree(TreeSaveLoad):
            pos: Saved[pygame.Vector2]

            def __init__(self) -> None:
                self.pos = pygame.Vector2(7, 7)


        @saveable(prefab=True)
        class Oak(OakSaveLoad, Tree):
            pass


        @saveable(prefab=True, position="pos")
        @dataclass(frozen=True)
        class Mark(MarkSaveLoad):
            pos: Saved[tuple[int, float, float]] = (0, 0.0, 0.0)


        @prefab(position="body.pos")
        class Orc:
            body = part(Body)
            cell = part(Cell)


        @prefab
        class Chief(Orc):
            body = part(Body).set(hp=9).show(pos="start")


        @prefab(position="cell.spot")
        class OnGrid(Orc):
            pass


        @prefab(position="rect.center")
        class Player:
            hero = part(Hero)


        @prefab(position="pos")
        class Mule:
            mule = part(Stubborn)


        @prefab
        class Rock:
            pass
        ''',
}
Draw = Callable[..., Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("field")
    Project(folder, FILES).generated().run("-m", "savegen", "build", "--quiet")
    return folder


@pytest.fixture(scope="module")
def game(folder: Path) -> Iterator[Any]:
    wanted = "field.things", "field._savegen.prefab_info", "field._savegen.registry"
    with Project(folder, {}).imported(*wanted) as (module, info, registry):
        module.PREFAB_INFO, module.REGISTRY = info.PREFAB_INFO, registry.REGISTRY
        module.PrefabType = info.PrefabType
        yield module


@pytest.fixture
def manager(game: Any) -> SaveLoadManager:
    return SaveLoadManager(game.REGISTRY, game.PREFAB_INFO)


def loaded(draw: Draw, manager: SaveLoadManager, entry: Any, **options: Any) -> Any:
    """Draw an object at the second pixel of the second row; return its only component."""
    load_level(draw(".... ....", ".... .L..", {"L": entry}), manager, **options)
    (thing,) = manager.objects
    return thing.components[0]


def test_an_object_knows_the_place_where_it_is_drawn_before_it_is_activated(
    game: Any, manager: SaveLoadManager, draw: Draw
) -> None:
    body = loaded(draw, manager, {"$type": "OrcSerializer", "hp": 5})
    assert body.pos == body.seen == game.Vec2(1.5, 1.5)
    assert body.hp == 5
    assert manager.object_of(body).transform.position == (1.5, 1.5, 0.0)


def test_it_respects_the_layer_the_axis_and_the_anchor(
    game: Any, manager: SaveLoadManager, draw: Draw
) -> None:
    entries = {"L": {"$type": "OrcSerializer"}}
    drawn = draw(".... ....", ".... .L..", entries, position=(10, 2, 5))
    load_level(drawn, manager, y_up=True, anchor="midbottom")
    (body,) = manager.find(game.Body)
    assert body.pos == game.Vec2(11.5, -4.0)


@pytest.mark.parametrize("prefab", ["Tree", "Oak", "Player", "OnGrid", "Chief", "Mark"])
def test_the_value_has_the_type_of_the_field(
    game: Any, manager: SaveLoadManager, draw: Draw, prefab: str
) -> None:
    import pygame

    loaded(draw, manager, {"$type": f"{prefab}Serializer"})
    (thing,) = manager.objects
    match prefab:
        case "Tree" | "Oak":  # a subclass inherits it
            (tree,) = thing.components
            assert tree.pos == pygame.Vector2(1.5, 1.5)
        case "Player":
            (hero,) = thing.components
            assert hero.rect.size == (2, 4) and hero.rect.center == (1, 1)
        case "OnGrid":  # rounded down, to the cell
            assert thing.part("cell").spot == game.Spot(1, 1)
            assert thing.part("body").pos == game.Vec2()
        case "Mark":  # a frozen class
            (mark,) = thing.components
            assert mark.pos == (1, 1.5, 0.0) and type(mark.pos[0]) is int
        case "Chief":  # a variant inherits it
            assert thing.part("body").pos == game.Vec2(1.5, 1.5)


def test_a_position_in_the_entry_wins(
    game: Any, manager: SaveLoadManager, draw: Draw
) -> None:
    entry = {"$type": "ChiefSerializer", "start": {"x": 8.0, "y": 9.0}}
    body = loaded(draw, manager, entry)
    assert body.pos == body.seen == game.Vec2(8.0, 9.0)
    assert manager.object_of(body).transform.position == (1.5, 1.5, 0.0)


def test_a_rectangle_in_the_entry_has_its_size_and_the_place_where_it_is_drawn(
    manager: SaveLoadManager, draw: Draw
) -> None:
    rect = {"left": 50, "top": 50, "width": 10, "height": 20}
    hero = loaded(draw, manager, {"$type": "PlayerSerializer", "rect": rect})
    assert hero.rect.size == (10, 20) and hero.rect.center == (1, 1)


def test_a_rectangle_in_pixels_is_placed_in_pixels(
    manager: SaveLoadManager, draw: Draw
) -> None:
    hero = loaded(draw, manager, {"$type": "PlayerSerializer"}, unit=32)
    assert hero.rect.center == (48, 48)


def test_a_setter_that_raises_is_an_error_of_its_entry(
    manager: SaveLoadManager, draw: Draw
) -> None:
    drawn = draw("........", ".M...M..", {"M": {"$type": "MuleSerializer"}})
    with pytest.raises(LevelError, match="MuleSerializer.*too far to the right"):
        load_level(drawn, manager)
    assert not manager.objects


@pytest.mark.parametrize("form", [tuple, list, "Vec2", "Vector2", complex])
def test_a_spawned_object_gets_its_place_from_any_two_numbers(
    game: Any, manager: SaveLoadManager, form: Any
) -> None:
    forms: dict[Any, Any] = {
        "Vec2": lambda it: game.Vec2(*it),
        "Vector2": game.pygame.Vector2,
        complex: lambda it: complex(*it),
    }
    position = forms.get(form, form)([4.0, 5.0])
    orc = manager.spawn(game.PrefabType.ORC, position=position, hp=1)
    body = orc.part("body")
    assert body.pos == body.seen == game.Vec2(4.0, 5.0) and body.hp == 1
    assert orc.transform.position == (4.0, 5.0, 0.0)


def test_a_position_among_the_parameters_of_spawn_wins(
    game: Any, manager: SaveLoadManager
) -> None:
    place = game.Vec2(8.0, 9.0)
    orc = manager.spawn(game.PrefabType.ORC, position=(1, 2, 3), pos=place)
    assert orc.part("body").pos == place
    assert orc.transform.position == (1, 2, 3)


@pytest.mark.parametrize("position", ["12", (1,), (1, "2"), (1, 2, 3, 4), 5, (True, 1)])
def test_a_position_that_is_none_is_refused(
    game: Any, manager: SaveLoadManager, position: Any
) -> None:
    with pytest.raises(SaveError, match="a position is two or three numbers, not"):
        manager.spawn(game.PrefabType.ORC, position=position)
    assert not manager.objects


def test_an_object_from_a_pool_gets_a_new_place(
    game: Any, manager: SaveLoadManager
) -> None:
    kind = game.PrefabType.ORC
    manager.pool(kind)
    orc = manager.spawn(kind, position=(1, 2))
    manager.destroy(orc)
    assert manager.spawn(kind, position=(3, 4)) is orc
    assert orc.part("body").pos == game.Vec2(3, 4)
    manager.destroy(orc)
    assert manager.spawn(kind).part("body").pos == game.Vec2()


def test_a_load_brings_the_saved_position_back_not_the_drawn_one(
    game: Any, manager: SaveLoadManager, draw: Draw
) -> None:
    body = loaded(draw, manager, {"$type": "OrcSerializer"})
    body.pos = game.Vec2(3, 3)
    snapshot = manager.create_snapshot()
    manager.clear()
    again = loaded(draw, manager, {"$type": "OrcSerializer"})
    assert again.pos == game.Vec2(1.5, 1.5)
    manager.apply_snapshot(snapshot)
    (body,) = manager.find(game.Body)
    assert body.pos == game.Vec2(3, 3)


def test_the_template_has_no_position_and_the_schema_says_where_it_comes_from(
    folder: Path,
) -> None:
    output = folder / "field" / "_savegen"
    template = json.loads((output / "template.lvl").read_text("utf-8"))
    entries = {it["$type"]: it for it in template["sprites"].values()}
    assert entries["OrcSerializer"] == {
        **{"$type": "OrcSerializer", "hp": 3},
        "spot": {"column": 0, "row": 0},
    }
    assert "start" not in entries["ChiefSerializer"]
    assert "spot" not in entries["OnGridSerializer"]
    assert entries["MuleSerializer"] == {"$type": "MuleSerializer"}  # of the property
    assert entries["PlayerSerializer"] == {"$type": "PlayerSerializer"}
    schema = json.loads((output / "level.schema.json").read_text("utf-8"))
    orc = schema["$defs"]["OrcSerializer"]["properties"]
    assert orc["pos"]["description"].endswith("the place where the object is drawn")
    assert "default" not in orc["pos"]
    rect = schema["$defs"]["PlayerSerializer"]["properties"]["rect"]
    assert rect["description"] == "its center is the place where the object is drawn"


@pytest.mark.parametrize(
    ("position", "error"),
    [
        ("rect.centre", "no attribute 'centre'"),
        ("image.get_rect", "'NoneType' object has no attribute 'get_rect'"),
        ("rect.width", "TypeError: a position cannot be an int"),
    ],
)
def test_a_position_that_only_the_running_game_knows_is_checked_by_building_the_prefab(
    tmp_path: Path, position: str, error: str
) -> None:
    text = FILES["field/things.py"].replace("rect.center", position)
    Project(tmp_path, {**FILES, "field/things.py": text}).generated()
    said = savegen(tmp_path, "build", "--no-color", together=True)
    assert said.code == 1
    assert "error[SG411]: `Player` cannot be given a position: " in said.out
    assert error in said.out


def test_a_level_is_drawn_and_checked_without_any_position(
    folder: Path, tmp_path: Path
) -> None:
    said = savegen(folder, "level", "new", str(tmp_path / "meadow"), together=True)
    assert said.code == 0, said.out
    text = (tmp_path / "meadow" / "level.lvl").read_text("utf-8")
    on_grid = next(line for line in text.splitlines() if "OnGrid" in line)
    assert text.count('"pos"') == on_grid.count('"pos"') == 1
    said = savegen(folder, "level", "check", str(tmp_path / "meadow"), together=True)
    assert said.code == 0, said.out


def test_an_attribute_gets_a_value_of_the_form_that_it_has() -> None:
    import numpy as np
    import pygame
    import pyglet.math

    for old in (
        *((0, 0), [0.0, 0.0, 0.0], 0j, pygame.Vector3(), np.zeros(2, np.float32)),
        *(pyglet.math.Vec2(0, 0), _Spot(9, 9)),
    ):
        owner = _Holder(old)
        set_place(owner, "value", 1.5, 2.0, 3.0)
        value: Any = owner.value
        is_complex = isinstance(value, complex)
        numbers = [value.real, value.imag] if is_complex else [*value]
        assert type(value) is type(old) and value is not old
        assert numbers == [1.5, 2.0, 3.0][: len(numbers)] and len(numbers) >= 2
    for wrong in (None, 3, "ab", {1: 2, 3: 4}, (1,), [1, 2, 3, 4]):
        with pytest.raises(TypeError, match="a position cannot be an? "):
            set_place(_Holder(wrong), "value", 1.5, 2.0, 3.0)


@dataclass
class _Holder:
    value: object


class _Spot(NamedTuple):
    x: float
    y: float
