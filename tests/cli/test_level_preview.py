"""`savegen level preview`: a level as a picture, and what in it may not overlap."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from savegen.levels.description import Entry
from savegen.levels.drawing.style import PAPER
from savegen.levels.drawing.labels import Label, groups_of, labels_of
from savegen.levels.drawing.legend import LegendItem, fitting, in_columns, size_of
from savegen.levels.drawing.map import Marker, pixels_per_unit_for, step_of
from tests.cli.drawn import FRIENDLY, MAP, draw, png
from tests.cli.games import Game
from tests.project import Said
from tests.soaking import examples

MARGIN = 62, 126  # where the map begins in the picture


@pytest.fixture
def game(drawn_game: Game) -> Game:
    return drawn_game


def seen(game: Game, path: str) -> Any:
    """Return the pixels of a picture."""
    return np.asarray(Image.open(game.folder / path).convert("RGB"))


def at(pixels: Any, x: float, y: float, scale: int = 56) -> tuple[int, ...]:
    """Return the colour of a place in units."""
    left, top = MARGIN
    return tuple(pixels[top + int(y * scale), left + int(x * scale)].tolist())


# the command


def test_a_level_is_drawn_with_its_tiles_and_sprites(game: Game) -> None:
    draw(game)
    said = game.run("level", "preview", "levels/cave", "-o", "cave.png")
    counted = "levels/cave: 1 layer, 4 rectangles, 2 sprites\n"
    assert said == Said(0, "wrote cave.png\n", counted)
    pixels = seen(game, "cave.png")
    assert at(pixels, 0.4, 0.4) == (90, 80, 70)  # a wall
    assert at(pixels, 1.5, 1.5) == (255, 0, 0)  # an orc
    assert at(pixels, 2.5, 1.5) == (255, 215, 0)  # a coin
    assert at(pixels, 1.1, 1.1) == (255, 255, 255)  # nothing
    assert sum(at(pixels, 0.01, 0.4)) < 90 + 80 + 70  # the outline
    assert tuple(pixels[2, 2].tolist()) == PAPER[:3]


def test_the_same_level_gives_the_same_picture(game: Game) -> None:
    draw(game)
    assert game.run("level", "preview", "levels/cave").out == "wrote cave.png\n"
    assert game.run("level", "preview", "levels/cave").out == "up to date\n"
    draw(game, sprites=["....", "..c.", "...."])
    assert game.run("level", "preview", "levels/cave").out == "wrote cave.png\n"


def test_visuals_lie_below(game: Game) -> None:
    draw(game)
    Image.new("RGB", (16, 12), (0, 0, 200)).save(
        game.folder / "levels/cave/visuals/layer1.png"
    )
    game.run("level", "preview", "levels/cave")
    pixels = seen(game, "cave.png")
    assert at(pixels, 1.1, 1.1) == (0, 0, 200)
    red, _, blue = at(pixels, 0.4, 0.4)
    assert 0 < red < 90 and 70 < blue < 200  # the wall, seen through


def test_layers_are_shifted_and_can_be_drawn_alone(game: Game) -> None:
    told = {**FRIENDLY, "layer_names": ["layer1", "sky"]}
    told["layer_params"] = [{}, {"position": {"x": -2, "y": 1}}]
    draw(game, told=told)
    game.write("levels/cave/geometry/sky.png", png(MAP))
    game.write("levels/cave/sprites/sky.png", png(["....", "..c.", "...."]))
    assert "2 layers, 8 rectangles" in game.run("level", "preview", "levels/cave").err
    both = seen(game, "cave.png")
    assert at(both, 2.4, 0.4) == (90, 80, 70)  # what was at 0, 0 is two units in
    assert at(both, 0.4, 0.4) == (255, 255, 255)
    game.run("level", "preview", "levels/cave", "--layer", "sky")
    assert at(seen(game, "cave.png"), 0.4, 0.4) == (90, 80, 70)
    said = game.run("level", "preview", "levels/cave", "--layer", "skye")
    assert said.code == 2 and "did you mean 'sky'?" in said.err


def test_a_unit_has_the_pixels_that_are_asked_for(game: Game) -> None:
    draw(game)
    game.run("level", "preview", "levels/cave", "--scale", "10")
    assert at(seen(game, "cave.png"), 1.5, 1.5, 10) == (255, 0, 0)
    draw(game, geometry=["#" * 100], sprites=["." * 100])
    said = game.run("level", "preview", "levels/cave", "--scale", "200")
    assert said.code == 2 and "--scale 160" in said.err


def test_other_files_are_not_overwritten(game: Game) -> None:
    draw(game)
    art = (game.folder / "levels/cave/geometry/layer1.png").read_bytes()
    game.write("art.png", art)
    before = game.files()
    for target, reason in {
        "art.png": "art.png was not drawn by savegen; move it, or choose another file",
        "levels/cave/visuals/layer1.png": "is inside the level folder",
        "cave.jpg": "-o needs a file name that ends in .png",
    }.items():
        said = game.run("level", "preview", "levels/cave", "-o", target)
        assert said.code == 2 and reason in said.err
    assert game.files() == before


def test_a_level_with_errors_is_not_drawn(game: Game) -> None:
    draw(game, geometry=["###?", *MAP[1:]])
    said = game.run("level", "preview", "levels/cave")
    assert said.code == 1 and "1 pixel, at 3,0" in said.out
    assert not (game.folder / "cave.png").exists()


@pytest.mark.parametrize("width, height", [(1, 1), (1, 300), (400, 1), (1000, 1000)])
def test_every_size_is_drawn_in_a_sane_one(game: Game, width: int, height: int) -> None:
    folder = draw(game, told=json.dumps(FRIENDLY))
    for kind in ("geometry", "sprites"):
        Image.new("RGBA", (width, height), 0).save(
            game.folder / folder / kind / "layer1.png"
        )
    assert game.run("level", "preview", folder).code == 0
    found = Image.open(game.folder / "cave.png")
    assert max(found.size) <= 2600 and min(found.size) >= 100


def test_a_level_without_layers_is_an_empty_page(game: Game) -> None:
    game.write("levels/void/level.lvl", '{"version": 1, "layer_names": []}')
    for kind in ("geometry", "sprites", "visuals"):
        (game.folder / "levels/void" / kind).mkdir()
    assert game.run("level", "preview", "levels/void").code == 0


# its parts

ENTRIES = [
    Entry(0xFF0000FF, "OrcSerializer", None, {}, ()),
    Entry(0x00FF00FF, "TreasureChestSerializer", None, {}, ()),
    Entry(0x0000FFFF, "GateSerializer", "the green gate", {}, ()),
]
PLACES = st.tuples(st.sampled_from(ENTRIES), st.integers(0, 400), st.integers(0, 300))


def overlap(one: Label, other: Label) -> bool:
    (a, b, c, d), (e, f, g, h) = one.box, other.box
    return a < g and e < c and b < h and f < d


@given(st.lists(PLACES, max_size=60))
@settings(max_examples=examples(60))
def test_no_label_covers_another_or_a_marker(
    found: list[tuple[Entry, int, int]],
) -> None:
    markers = [Marker(*each) for each in found]
    labels = labels_of(groups_of(markers, 24), markers, 6, (400, 300))
    assert not any(overlap(*pair) for pair in combinations(labels, 2))
    for left, top, right, bottom in (label.box for label in labels):
        assert 0 <= left < right <= 400 and 0 <= top < bottom <= 300
        for marker in markers:
            assert not (left < marker.x < right and top < marker.y < bottom)


@given(st.lists(PLACES, min_size=1, max_size=60), st.integers(1, 50))
@settings(max_examples=examples(60))
def test_every_sprite_is_in_one_group_with_its_like(
    found: list[tuple[Entry, int, int]], reach: int
) -> None:
    markers = [Marker(*each) for each in found]
    groups = groups_of(markers, reach)
    assert sum(group.size for group in groups) == len(markers)
    at = {(marker.entry.colour, marker.x, marker.y) for marker in markers}
    assert all((g.entry.colour, *place) in at for g in groups for place in g.points)


def test_what_has_a_name_of_its_own_is_labelled_first() -> None:
    orcs = [
        Marker(ENTRIES[0], x, y) for x in range(9, 300, 40) for y in range(9, 200, 40)
    ]
    markers = [*orcs, Marker(ENTRIES[2], 100, 115)]
    labels = labels_of(groups_of(markers, 5), markers, 6, (300, 200))
    assert labels[0].text == "the green gate" and len(labels) < len(markers)


def test_numbers_at_the_border_are_round_and_have_room() -> None:
    for units in (1, 7, 10, 64, 100, 333, 1000, 4096, 20_000):
        pixels_per_unit = pixels_per_unit_for(units)
        step = step_of(pixels_per_unit, 40)
        assert step * pixels_per_unit >= 40 and str(step).rstrip("0") in ("1", "2", "5")


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(100, 2000))
@settings(max_examples=examples(60))
def test_a_legend_tells_everything_in_its_room(heads: list[bool], room: int) -> None:
    items = [LegendItem("Orcs", "", None if head else ENTRIES[0]) for head in heads]
    for columns in (in_columns(items, room), fitting(items, room)):
        told = [item for column in columns for item in column if item.title]
        assert told == items
    assert size_of(in_columns(items, room))[1] <= room
    assert size_of(fitting(items, room))[0] <= room
