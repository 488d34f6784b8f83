"""The window of the sample game draws levels at the right place, size and depth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pygame
import pytest
from PIL import Image

from sample_game import level as levels
from sample_game.items import Coin
from sample_game.level import FOLDER
from sample_game.session import SLOT, Session
from sample_game.shapes import Vec2
from sample_game.window import Window, begin, main

STONE, HERO = (107, 99, 88, 255), (0, 255, 255, 255)
WIDE, HIGH = 90, 60  # units: more than the window shows
UNIT = 32


def pattern(pixels: int, blue: int) -> Image.Image:
    """Return a picture in which each pixel has a different colour."""
    rows, columns = np.mgrid[0 : HIGH * pixels, 0 : WIDE * pixels]
    image = np.empty((*rows.shape, 4), np.uint8)
    image[..., 0], image[..., 1], image[..., 2] = columns % 251, rows % 251, blue
    image[..., 3] = 255
    return Image.fromarray(image)


class Drawing:
    """A level of the sample game, layer by layer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: list[str] = []
        self._params: list[object] = []

    def layer(
        self,
        name: str,
        visual: Image.Image | None,
        *,
        place: tuple[float, float, float] = (0, 0, 0),
        tile: tuple[int, int, int, int] | None = None,
        hero: tuple[int, int] | None = None,
    ) -> None:
        geometry, sprites = (Image.new("RGBA", (WIDE, HIGH)) for _ in range(2))
        if tile:
            geometry.paste(STONE, tile)
        if hero:
            sprites.putpixel(hero, HERO)
        self._names.append(name)
        self._params.append({"position": dict(zip("xyz", place, strict=True))})
        images = {"geometry": geometry, "sprites": sprites, "visuals": visual}
        for kind, image in images.items():
            if image is not None:
                (self._folder / kind).mkdir(parents=True, exist_ok=True)
                image.save(self._folder / kind / f"{name}.png")
        content = {
            "version": 1,
            "layer_names": self._names,
            "layer_params": self._params,
            "tiles": {"#6b6358": {"$type": "StoneSerializer"}},
            "sprites": {"#00ffff": {"$type": "HeroSerializer"}},
        }
        (self._folder / "level.lvl").write_text(json.dumps(content))


@pytest.fixture
def drawing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drawing:
    monkeypatch.setattr(levels, "FOLDER", tmp_path)
    return Drawing(tmp_path / "drawn")


@pytest.fixture
def screenless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.quit()


@pytest.fixture
def session(drawing: Drawing, tmp_path: Path) -> Callable[[], Session]:
    return lambda: Session(tmp_path / "saves", "drawn")


def seen(session: Session) -> pygame.Surface:
    return drawn(Window(session))


def drawn(window: Window) -> pygame.Surface:
    window.draw()
    screen = pygame.display.get_surface()
    assert screen is not None
    return screen


def pixels_of(window: Window) -> bytes:
    return pygame.image.tobytes(drawn(window), "RGB")


def at(screen: pygame.Surface, session: Session, place: Vec2) -> tuple[int, int, int]:
    """Return the colour at a place of the level, with the player in the middle of the screen."""
    way = place - session.player.position
    x, y = (round(side) for side in (560 + way.x * UNIT, 280 + way.y * UNIT))
    red, green, blue, _ = screen.get_at((x, y))
    return red, green, blue


pytestmark = pytest.mark.usefixtures("screenless")


@pytest.mark.parametrize("pixels", [1, 2, 5, 16])
def test_each_pixel_of_a_picture_is_at_the_right_place_wherever_the_player_is(
    pixels: int, drawing: Drawing, session: Callable[[], Session]
) -> None:
    drawing.layer("wall", pattern(pixels, blue=9), hero=(30, 20))
    game = session()
    for player in (Vec2(30.5, 20.5), Vec2(40, 25), Vec2(45.4375, 31.71875)):
        game.player.position = player
        screen = seen(game)
        for way in (Vec2(-6, 3), Vec2(5, -6), Vec2(16, 8), Vec2(1.25, 1.25)):
            place = player + way + Vec2(1 / 64, 1 / 64)
            column, row = int(place.x * pixels), int(place.y * pixels)
            assert at(screen, game, place) == (column % 251, row % 251, 9)


def test_low_layers_are_drawn_first_whatever_their_order_is_in_the_file(
    drawing: Drawing, session: Callable[[], Session]
) -> None:
    near = pattern(2, blue=200)
    near.paste((0, 0, 0, 0), (0, 0, WIDE * 2, 50))  # clear down to row 25
    drawing.layer("near", near, place=(0, 0, 3), hero=(40, 25))
    drawing.layer("far", pattern(4, blue=100), place=(0, 0, -2))
    game = session()
    screen = seen(game)
    assert at(screen, game, Vec2(43.6, 22.6)) == (174, 90, 100)
    assert at(screen, game, Vec2(43.6, 27.6)) == (87, 55, 200)


def test_a_layer_that_is_shifted_is_drawn_there(
    drawing: Drawing, session: Callable[[], Session]
) -> None:
    drawing.layer("wall", pattern(4, blue=7), place=(-200, 10.5, 0), hero=(40, 25))
    game = session()
    assert game.player.position == Vec2(-159.5, 36)
    assert at(seen(game), game, Vec2(-156.4, 34.1)) == (174, 94, 7)


def test_figures_are_drawn_over_all_layers(
    drawing: Drawing, session: Callable[[], Session]
) -> None:
    drawing.layer("wall", pattern(1, blue=7), place=(0, 0, 99), hero=(40, 25))
    game = session()
    body = pygame.Color("deepskyblue")
    assert at(seen(game), game, game.player.position) == (body.r, body.g, body.b)


def test_tiles_without_a_picture_are_boxes_until_they_are_destroyed(
    drawing: Drawing, session: Callable[[], Session]
) -> None:
    drawing.layer("wall", pattern(1, blue=7), tile=(30, 20, 35, 30))
    drawing.layer("bare", None, place=(2, 0, 1), tile=(40, 20, 45, 30), hero=(36, 25))
    game = session()
    window = Window(game)
    screen = drawn(window)
    grey = pygame.Color("dimgray")
    box, gone = (grey.r, grey.g, grey.b), (44, 22, 7)
    assert at(screen, game, Vec2(31.5, 22.5)) == (31, 22, 7)  # under its picture
    assert at(screen, game, Vec2(41.9, 22.5)) == (41, 22, 7)
    for x in (42.1, 46.9):
        assert at(screen, game, Vec2(x, 22.5)) == box
    assert game.level is not None
    _, (bare,) = game.level.tiles
    game.manager.destroy(bare)
    assert at(drawn(window), game, Vec2(44.5, 22.5)) == gone


def test_ground_outside_its_picture_is_a_box(
    drawing: Drawing, session: Callable[[], Session]
) -> None:
    visual = pattern(2, blue=7)
    visual.paste((0, 0, 0, 0), (88, 40, 90, 42))  # one unit
    drawing.layer("wall", visual, tile=(44, 20, 46, 30), hero=(40, 25))
    game = session()
    screen = seen(game)
    assert at(screen, game, Vec2(44.5, 20.5)) == (105, 105, 105)
    assert at(screen, game, Vec2(45.1, 21.1)) == (90, 42, 7)


def test_the_view_stops_at_the_edge_and_shows_a_player_beyond_it(
    drawing: Drawing, session: Callable[[], Session]
) -> None:
    drawing.layer("wall", pattern(1, blue=7), hero=(40, 25))
    game = session()
    window = Window(game)
    for there, corner, shown in (
        (Vec2(88, 58), (1119, 559), (89, 59, 7)),
        (Vec2(88, 2), (1119, 0), (89, 0, 7)),
        (Vec2(2, 58), (0, 559), (0, 59, 7)),
    ):
        game.player.position = there
        assert drawn(window).get_at(corner)[:3] == shown
    game.player.position = Vec2(3000, 30)
    assert drawn(window).get_at((1119 - UNIT, 280))[:3] == (0, 191, 255)


def test_a_load_shows_the_loaded_state_of_the_level(
    drawing: Drawing, session: Callable[[], Session], tmp_path: Path
) -> None:
    drawing.layer("wall", pattern(4, blue=7), hero=(40, 25))
    game = session()
    window = Window(game)
    game.save()
    game.player.position = Vec2(50, 30)
    assert at(drawn(window), game, Vec2(54.1, 31.1)) == (216, 124, 7)
    pattern(2, blue=80).save(tmp_path / "drawn/visuals/wall.png")
    game.load()
    assert game.player.position == Vec2(40.5, 25.5)
    assert at(drawn(window), game, Vec2(44.1, 31.1)) == (88, 62, 80)


def test_a_save_can_be_loaded_into_a_redrawn_level(
    drawing: Drawing, session: Callable[[], Session], tmp_path: Path
) -> None:
    drawing.layer("wall", None, tile=(30, 20, 35, 30), hero=(40, 25))
    game = session()
    game.player.position += Vec2(1, 0)
    game.save()
    geometry = Image.new("RGBA", (WIDE, HIGH))
    geometry.paste(STONE, (44, 20, 46, 22))
    geometry.save(tmp_path / "drawn/geometry/wall.png")
    game.load()
    assert game.level is not None and game.player.position == Vec2(41.5, 25.5)
    ((tile,),) = game.level.tiles
    assert levels.place_of(tile) == Vec2(45, 21)


def test_a_level_that_cannot_start_prints_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cellar/auto").mkdir(parents=True)
    (tmp_path / "cellar/auto/1.sav").write_bytes(b"torn")
    monkeypatch.setattr("sys.argv", ["window", "cellar", str(tmp_path)])
    with pytest.raises(SystemExit, match="auto/1.sav"):
        main()


@pytest.mark.skipif(sys.platform != "linux", reason="others always have a display")
@pytest.mark.parametrize("driver", [None, "", "x11"])
def test_without_a_display_the_game_says_so_and_stops(
    driver: str | None, tmp_path: Path
) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    env = {name: text for name, text in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-m", "sample_game.window", "cellar", str(tmp_path / "saves")],
        env=env if driver is None else env | {"SDL_VIDEODRIVER": driver},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 2
    assert last.startswith("This game needs a display to open its window: ")
    assert not (tmp_path / "saves").exists()


@pytest.mark.parametrize("name", ["cavern", "cellar", "mountain"])
def test_a_level_is_the_same_after_a_quickload_and_in_the_next_run(
    name: str, tmp_path: Path
) -> None:
    game = begin(name, str(tmp_path))
    window = Window(game)
    game.manager.destroy(game.manager.object_of(next(game.manager.find(Coin))))
    game.player.position += Vec2(1.3, 0.7)
    game.save()
    before = pixels_of(window)
    game.steer(-1, -1)
    game.tick(1.0)
    assert pixels_of(window) != before
    game.load()
    assert pixels_of(window) == before
    again = begin(name, str(tmp_path))
    again.load()
    assert pixels_of(Window(again)) == before


def test_each_level_and_the_room_have_separate_saves(tmp_path: Path) -> None:
    for name in ("cellar", "room"):
        begin(name, str(tmp_path)).save()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cellar", "room"]
    assert begin("room", str(tmp_path)).level is None
    default = begin(folder=str(tmp_path))
    assert default.load().slot == SLOT and default.level is not None


@pytest.mark.parametrize("name", ["cavern", "cellar", "mountain"])
def test_all_ground_of_a_level_is_drawn(name: str) -> None:
    layers = [*(FOLDER / name / "geometry").iterdir()]
    assert layers
    for path in layers:
        solid = np.asarray(Image.open(path).convert("RGBA"))[..., 3] > 0
        picture = Image.open(FOLDER / name / "visuals" / path.name).convert("RGBA")
        scale = picture.width // solid.shape[1]
        solid_too = np.asarray(picture)[..., 3] == 255
        assert solid_too[np.kron(solid, np.ones((scale, scale), bool))].all()
        assert len(picture.getcolors(1 << 24) or ()) >= 8


def test_the_levels_stay_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*.*")) < 600_000
