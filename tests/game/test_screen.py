"""The screen of the sample game: what is drawn where, and what its menu does at which key."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest
from PIL import Image

from sample_game._savegen.registry import REGISTRY
from sample_game.art import draw_font, draw_sprites
from sample_game.game import Game
from sample_game.keys import Keys
from sample_game.screen import window as windows
from sample_game.screen.menu import KeysPage, Levels, Pause, SettingsPage, Slots, Title
from sample_game.screen.pages import Message
from sample_game.screen.painter import CANVAS, UNIT
from sample_game.screen.particles import BURSTS
from sample_game.screen.window import Window
from sample_game.settings import Action
from savegen.saves import SaveSlots
from savegen.saves.stores import files

ROOT = Path(__file__).parents[2]
UP, DOWN, LEFT, RIGHT = pygame.K_UP, pygame.K_DOWN, pygame.K_LEFT, pygame.K_RIGHT
ENTER, ESC, R, X = pygame.K_RETURN, pygame.K_ESCAPE, pygame.K_r, pygame.K_x
STONE, HERO = (107, 99, 88, 255), (0, 255, 255, 255)
WIDE, HIGH = 90, 60  # units: more than the canvas shows


@pytest.fixture(autouse=True)
def no_display(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    yield
    pygame.quit()


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    game = Game(tmp_path / "saves", "cellar")
    yield game
    game.slots.wait()


@pytest.fixture
def window(game: Game) -> Window:
    return Window(game)


def press(window: Window, *keys: int) -> None:
    """Press keys one after the other, a frame for each."""
    for key in keys:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key))
        window.handle(pygame.event.Event(pygame.KEYUP, key=key))
        window.step()
        window.draw()


def hold(window: Window, *keys: int, frames: int) -> None:
    for key in keys:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key))
    for _ in range(frames):
        window.step()
        window.draw()
    for key in keys:
        window.handle(pygame.event.Event(pygame.KEYUP, key=key))


def choose(window: Window, text: str) -> None:
    """Go to a row of a menu with the arrows, or to an action of a picker, and press Enter."""
    page = window.page
    if isinstance(page, (Slots, Levels)):
        texts = [action.text for action in page.entries[page.at].actions]
        press(window, *[RIGHT] * texts.index(text), ENTER)
    else:
        texts = [row.text for row in page.rows()]  # type: ignore[union-attr]
        steps = (texts.index(text) - page.at) % len(texts)  # type: ignore[union-attr]
        press(window, *[DOWN] * steps, ENTER)


def entry(window: Window, slot: str) -> Any:
    """Go to the entry of a slot or level with the arrows, and return it."""
    page = window.page
    assert isinstance(page, (Slots, Levels))
    for _ in page.entries:
        found = page.entries[page.at]
        if found.below.endswith(slot) or found.head == slot:
            return found
        press(window, DOWN)
    raise AssertionError([found.head for found in page.entries])


# Where things are drawn


class Drawing:
    """A level, layer by layer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._layers: dict[str, object] = {}

    def layer(
        self,
        name: str,
        visual: Image.Image | None,
        *,
        place: tuple[float, float, float] = (0, 0, 0),
        tile: tuple[int, int, int, int] = (0, 45, WIDE, 46),
        hero: tuple[int, int] | None = None,
    ) -> None:
        geometry, sprites = (Image.new("RGBA", (WIDE, HIGH)) for _ in range(2))
        geometry.paste(STONE, tile)
        if hero:
            sprites.putpixel(hero, HERO)
        self._layers[name] = {"position": dict(zip("xyz", place, strict=True))}
        images = {"geometry": geometry, "sprites": sprites, "visuals": visual}
        for kind, image in images.items():
            if image is not None:
                (self.folder / kind).mkdir(parents=True, exist_ok=True)
                image.save(self.folder / kind / f"{name}.png")
        content = {
            "version": 1,
            "layer_names": [*self._layers],
            "layer_params": [*self._layers.values()],
            "tiles": {"#6b6358": {"$type": "StoneSerializer"}},
            "sprites": {"#00ffff": {"$type": "HeroSerializer"}},
        }
        (self.folder / "level.lvl").write_text(json.dumps(content))


@pytest.fixture
def drawing(tmp_path: Path) -> Drawing:
    return Drawing(tmp_path / "drawn")


@pytest.fixture
def seen(
    drawing: Drawing, tmp_path: Path
) -> Callable[[], Callable[[float, float], Any]]:
    """Start the drawn level, and return a function that tells the colour at a place of it."""

    def look() -> Callable[[float, float], Any]:
        window = Window(Game(tmp_path / "saves", drawing.folder))
        hold(window, frames=22)  # a level comes out of the dark
        left, top = window._camera.corner

        def at(x: float, y: float) -> tuple[int, int, int]:
            place = round(x * UNIT) - left, round(y * UNIT) - top
            assert CANVAS.collidepoint(place), place
            red, green, blue, _ = window.art.canvas.get_at(place)
            return red, green, blue

        return at

    return look


def pattern(scale: int, blue: int) -> Image.Image:
    """Return a picture in which each pixel has a different colour."""
    rows, columns = np.mgrid[0 : HIGH * scale, 0 : WIDE * scale]
    image = np.empty((*rows.shape, 4), np.uint8)
    image[..., 0], image[..., 1], image[..., 2] = columns % 251, rows % 251, blue
    image[..., 3] = 255
    return Image.fromarray(image)


@pytest.mark.parametrize("scale", [1, 2, 5, 16])
def test_each_pixel_of_a_picture_is_at_the_right_place(
    scale: int, drawing: Drawing, seen: Callable[[], Callable[[float, float], Any]]
) -> None:
    drawing.layer("wall", pattern(scale, blue=9), hero=(40, 44))
    at = seen()
    for x, y in ((34, 41), (45, 40.5), (56.25, 47), (31.9375, 36), (48, 48)):
        column, row = int((x + 1 / 64) * scale), int((y + 1 / 64) * scale)
        assert at(x, y) == (column % 251, row % 251, 9)


def test_low_layers_are_drawn_first_and_shifted_ones_where_they_are(
    drawing: Drawing, seen: Callable[[], Callable[[float, float], Any]]
) -> None:
    near = pattern(2, blue=200)
    near.paste((0, 0, 0, 0), (0, 0, WIDE * 2, 80))  # clear down to row 40
    drawing.layer("near", near, place=(0, 0, 3), hero=(40, 44))
    drawing.layer("far", pattern(4, blue=100), place=(-10, 0, -1))
    at = seen()
    assert at(43.5, 39.5) == (53.5 * 4, 39.5 * 4, 100)
    assert at(43.5, 40.5) == (43.5 * 2, 40.5 * 2, 200)


def test_ground_that_no_picture_shows_is_seen_as_boxes(
    drawing: Drawing, seen: Callable[[], Callable[[float, float], Any]]
) -> None:
    visual = pattern(2, blue=7)
    visual.paste((0, 0, 0, 0), (88, 90, 90, 92))  # one unit
    drawing.layer("wall", visual, hero=(40, 44))
    drawing.layer("bare", None, place=(2, 1, 1), tile=(46, 40, 48, 41))
    at = seen()
    assert at(44.5, 45.5) == at(48.5, 41.5) == STONE[:3]
    assert at(45.5, 45.5) == (91, 91, 7)


def test_a_level_without_any_picture_can_be_played(
    drawing: Drawing, seen: Callable[[], Callable[[float, float], Any]]
) -> None:
    drawing.layer("wall", None, hero=(40, 44))
    assert seen()(42.5, 45.5) == STONE[:3]


# Playing


def test_drawing_changes_nothing_in_the_world(tmp_path: Path) -> None:
    keys = [Keys.RIGHT] * 60 + [Keys.RIGHT | Keys.JUMP] * 40 + [Keys.FIRE] * 20
    keys += [Keys.REWIND] * 20 + [Keys.RIGHT | Keys.FIRE] * 100
    seen, unseen = (Game(tmp_path / name, "cavern") for name in ("seen", "unseen"))
    window = Window(seen)
    for key in keys:
        unseen.step(key)
        window._play(key)
        window.draw()
    assert seen.digest() == unseen.digest()


def test_a_key_that_is_let_go_within_a_frame_counts(window: Window) -> None:
    press(window, X)
    hold(window, RIGHT, X, frames=2)
    window.handle(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    press(window, pygame.K_F5)
    none = Keys.RIGHT | Keys.FIRE
    assert window.played == [Keys.FIRE, none, none, Keys.QUICKSAVE]


def test_while_r_is_held_time_runs_back_and_the_strip_forgets_what_came_later(
    window: Window, game: Game
) -> None:
    hold(window, RIGHT, frames=150)
    strip = window._overlay.strip
    assert game.steps == 150 and "coin" in [kind for _, kind in strip._marks]
    hold(window, R, frames=70)
    assert game.steps == 10 and window._rewinds and not strip._marks
    hold(window, R, frames=70)
    assert game.steps == 0 and not window._rewinds
    hold(window, RIGHT, frames=1)
    assert game.steps == 1


def test_a_slow_computer_plays_slowly_and_never_falls_behind(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(0, 1000, 7))  # seconds: a frame every seven
    monkeypatch.setattr(windows, "perf_counter", lambda: next(times))
    frames = iter(range(5))
    monkeypatch.setattr(pygame.display, "flip", lambda: next(frames, None))
    draw = window.draw

    def draw_and_stop() -> None:
        draw()
        window.is_open = next(frames, None) is not None

    monkeypatch.setattr(window, "draw", draw_and_stop)
    window.run()
    assert 0 < len(window.played) <= 5 * windows.MOST


def test_a_frame_opens_no_file(tmp_path: Path) -> None:
    """Not even one in which the game saves by itself, or a level is seen for the first time."""
    code = """
import sys, threading
from pathlib import Path
from sample_game.game import Game
from sample_game.keys import Keys
from sample_game.screen.window import Window

window = Window(Game(Path(sys.argv[1]), "mountain"))
window.step(), window.draw()
opened = []

def audit(event, arguments):
    if event == "open" and threading.current_thread() is threading.main_thread():
        opened.append(arguments[0])

sys.addaudithook(audit)
for frame in range(200):
    window._play(Keys.RIGHT if frame < 150 else Keys.REWIND)
    window.draw()
print(opened)
"""
    assert run(code, str(tmp_path)) == "[]\n"


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        env=os.environ | {"PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_end_is_seen_and_time_runs_back_from_it(window: Window, game: Game) -> None:
    hold(window, RIGHT, frames=20)
    game.finished = True
    hold(window, RIGHT, frames=5)
    assert window.page is window._end and game.steps == 20
    hold(window, R, frames=5)
    assert window.page is None and game.steps == 10
    game.finished = True
    press(window, ENTER)
    assert isinstance(window.page, Title)


# Pages


def test_every_page_can_be_drawn_without_a_display(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from sample_game.game import Game
from sample_game.screen import menu
from sample_game.screen.window import Window

window = Window(Game(Path(sys.argv[1]), "hall"))
for page in (menu.Title, menu.Pause, menu.Slots, menu.Levels, menu.SettingsPage,
             menu.KeysPage, lambda it: menu.Slots(it, saving=True), menu.End):
    window.open(page(window))
    window.draw()
    seen = window.art.canvas
    print(len({tuple(seen.get_at((x, y))) for x in range(0, 640, 7) for y in range(0, 360, 7)}) > 9)
"""
    assert run(code, str(tmp_path)).split() == ["True"] * 8


def test_the_arrows_enter_and_esc_reach_everything(window: Window) -> None:
    press(window, ESC)
    assert isinstance(window.page, Pause)
    for text, kind in (("load", Slots), ("levels", Levels), ("settings", SettingsPage)):
        window.resume()
        press(window, ESC)
        choose(window, text)
        assert isinstance(window.page, kind)
        press(window, ESC)
        assert isinstance(window.page, Pause)
    press(window, ESC)
    assert window.page is None
    press(window, ESC)
    choose(window, "quit")
    assert not window.is_open


def test_a_save_of_the_menu_is_loaded_by_the_menu(window: Window, game: Game) -> None:
    hold(window, RIGHT, frames=40)
    there = game.player.position
    press(window, ESC)
    choose(window, "save")
    choose(window, "save here")
    assert window.page is None
    hold(window, RIGHT, frames=20)
    press(window, ESC)
    choose(window, "load")
    saved = entry(window, "slot-1")
    assert saved.picture.get_size() == (256, 144) and "cellar   0:00" in saved.below
    choose(window, "load")
    assert game.player.position.x == pytest.approx(there.x, abs=0.2)
    assert window.page is None


def damage(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-20] ^= 1
    file.write_bytes(data)


def test_a_damaged_save_is_seen_as_such_and_the_older_one_is_used(
    window: Window, game: Game, tmp_path: Path
) -> None:
    game.player.coins = 7
    game.save("slot-1")
    game.player.coins = 8
    game.save("slot-1")
    damage(tmp_path / "saves/slot-1/2.sav")
    window.open(Slots(window))
    found = entry(window, "slot-1")
    assert found.icon == "icon.damaged"
    assert any("damaged" in text for text, _ in found.details)
    choose(window, "use the older one")
    assert game.player.coins == 7
    damage(tmp_path / "saves/slot-1/1.sav")
    window.open(Slots(window))
    found = entry(window, "slot-1")
    assert "damaged" in found.below
    assert [action.text for action in found.actions] == ["delete"]
    choose(window, "delete")
    assert not window.page.entries  # type: ignore[union-attr]
    assert [info.slot for info in game.slots.trash()] == ["slot-1"]


def unlist(monkeypatch: pytest.MonkeyPatch, slot: str) -> None:
    """Let the system refuse to list the folder of a slot."""

    class Refusing(files.FileSystem):
        def list(self, path: str) -> list[tuple[str, bool]]:
            if Path(path).name == slot:
                raise PermissionError(13, "Permission denied", path)
            return super().list(path)

    monkeypatch.setattr(files, "SYSTEM", Refusing())


def test_a_slot_that_cannot_be_listed_is_seen_as_damaged_between_the_others(
    window: Window, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slot in ("slot-1", "slot-2"):
        game.save(slot)
    unlist(monkeypatch, "slot-1")
    window.open(Slots(window))
    assert entry(window, "slot-2").icon != "icon.damaged"
    found = entry(window, "slot-1")
    assert (found.icon, found.below) == ("icon.damaged", "damaged   slot-1")
    words = [text for text, _ in found.details]
    assert "slot-1 cannot be listed: Permission denied" in words
    choose(window, "delete")
    assert entry(window, "slot-1").icon == "icon.damaged"
    assert game.save("slot-2") is not None


def test_a_game_whose_autosave_cannot_be_listed_says_so_and_saves_beside_it(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game.close()
    unlist(monkeypatch, "auto")
    other = Game(tmp_path / "saves")
    assert other.notice == (
        "a new game begins: auto cannot be listed: Permission denied"
    )
    other.player.coins = 9
    other.close()
    again = Game(tmp_path / "saves")
    assert again.player.coins == 9
    again.close()


def test_a_save_of_a_newer_game_is_named_and_not_loaded(
    window: Window, game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = SaveSlots(tmp_path / "saves", game_version="0.9")
    with monkeypatch.context() as tomorrow:
        tomorrow.setattr(REGISTRY, "save_version", REGISTRY.save_version + 1)
        newer.save("slot-1", game.manager)
    window.open(Slots(window))
    found = entry(window, "slot-1")
    assert found.icon == "icon.lock" and "version 0.9" in found.below
    assert [action.text for action in found.actions] == ["delete"]


def test_whatever_a_save_says_of_itself_the_list_shows_it(
    window: Window, game: Game
) -> None:
    bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\0\xff\xff" * 2 + b"\x08\2\0\0\0"
    odd: list[dict[str, Any]] = [
        {"title": "\N{SNOWMAN}\n\t" * 90, "level": "no" * 90, "playtime": 1e300},
        {"thumbnail": b"no picture", "level": "../..", "playtime": -5},
        {"thumbnail": bomb, "level": None},
    ]
    for number, options in enumerate(odd):
        game.slots.save(f"odd-{number}", game.manager, **options)
    window.open(Slots(window))
    for number in range(len(odd)):
        entry(window, f"odd-{number}")
    before = game.digest()
    entry(window, "odd-1")
    choose(window, "load")
    assert isinstance(window.page, Message) and window.page.title == "Not loaded"
    assert game.digest() == before


def test_an_old_save_is_loaded_before_the_players_eyes(
    window: Window, game: Game, tmp_path: Path
) -> None:
    game.slots.import_(ROOT / "tests/golden/0.3/world.sav", "old")
    window.open(Slots(window))
    entry(window, "old")
    choose(window, "load")
    page = window.page
    assert isinstance(page, Message) and page.title == "A save of version 0.3"
    said = "\n".join(page._lines)
    for words in ("fog", "explored", "percent", "New in Player:"):
        assert words in said
    press(window, DOWN, DOWN, ENTER)
    assert window.page is None and game.level_name == "hall"
    hold(window, RIGHT, frames=60)


def test_a_broken_level_tells_what_is_wrong_with_it(
    window: Window, game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = Drawing(tmp_path / "good"), Drawing(tmp_path / "bad")
    good.layer("wall", None, hero=(40, 44))
    bad.layer("wall", None, hero=(40, 44))
    (bad.folder / "sprites/wall.png").write_bytes(b"no picture")
    levels = [(str(drawn.folder), drawn.folder.name) for drawn in (good, bad)]
    monkeypatch.setattr(Game, "levels", levels)
    before = game.digest()
    press(window, ESC)
    choose(window, "levels")
    hold(window, frames=3)
    assert entry(window, "good").picture is not None
    found = entry(window, "bad")
    assert found.icon == "icon.damaged"
    assert any("sprites/wall.png" in text for text, _ in found.details)
    choose(window, "what is wrong")
    assert isinstance(window.page, Message)
    press(window, ENTER)
    assert game.digest() == before
    entry(window, "good")
    choose(window, "play")
    assert game.level_name == "good" and window.page is None


def test_a_new_game_begins_from_the_title(window: Window, game: Game) -> None:
    hold(window, RIGHT, frames=100)
    window.open(Title(window))
    choose(window, "new game")
    assert window.page is None and game.steps == 1 and game.player.coins == 0
    window.open(Title(window))
    press(window, ESC)
    choose(window, "continue")
    assert window.page is None


def test_settings_survive_the_game(window: Window, game: Game, tmp_path: Path) -> None:
    press(window, ESC)
    choose(window, "settings")
    press(window, RIGHT, DOWN, LEFT, LEFT, DOWN, RIGHT)
    assert pygame.display.get_window_size() == (1920, 1080)
    choose(window, "keys")
    press(window, DOWN, DOWN, DOWN, DOWN, ENTER)  # jump
    assert isinstance(window.page, KeysPage)
    press(window, pygame.K_j)
    game.close()
    again = Window(Game(tmp_path / "saves", "cellar"))
    settings = again.game.settings
    assert (settings.sounds, settings.volume, settings.scale) == (False, 60, 3)
    assert "j" in settings.keys[Action.JUMP]
    press(again, pygame.K_j)
    assert again.played == [Keys.JUMP]


def test_keys_that_do_not_exist_are_no_keys(game: Game) -> None:
    game.settings.keys[Action.FIRE] = ["no such key", "", "x"]
    window = Window(game)
    press(window, X)
    assert window.played == [Keys.FIRE]


# The art


def test_the_pictures_are_what_their_scripts_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for script in draw_sprites, draw_font:
        art = script.FOLDER
        monkeypatch.setattr(script, "FOLDER", tmp_path)
        script.main()
        for file in tmp_path.iterdir():
            if file.suffix == ".png":
                drawn, kept = Image.open(file), Image.open(art / file.name)
                assert drawn.tobytes() == kept.tobytes()
            else:
                assert file.read_text("utf-8") == (art / file.name).read_text("utf-8")


def test_whatever_happens_is_heard(window: Window) -> None:
    code = "".join(file.read_text() for file in (ROOT / "sample_game").glob("*.py"))
    kinds = set(re.findall(r'tell\(\s*"(.+?)"', code))
    assert "coin" in kinds and kinds <= window._sounds._sounds.keys()
    assert kinds - {"goblin"} == BURSTS.keys()


def test_there_is_a_picture_for_whatever_somebody_does(window: Window) -> None:
    poses = {
        "pip": "stand run jump fall climb hurt shoot land cheer",
        "goblin": "stand walk hunt hurt",
        "bat": "fly hang hurt",
        **dict.fromkeys(("chief1", "chief2", "chief3"), "stand walk strike tired"),
    }
    for who, words in poses.items():
        for pose in words.split():
            for left in (False, True):
                assert window.art.frame(f"{who}.{pose}", 0, left).get_width()


@pytest.mark.skipif(sys.platform != "linux", reason="others always have a display")
@pytest.mark.parametrize("driver", [None, "", "x11"])
def test_without_a_display_the_game_says_so_and_stops(
    driver: str | None, tmp_path: Path
) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    env = {name: text for name, text in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-m", "sample_game", "--saves", str(tmp_path / "saves")],
        env=env if driver is None else env | {"SDL_VIDEODRIVER": driver},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    line = done.stderr.splitlines()[-1]  # SDL may say something before it
    assert done.returncode == 2
    assert line.startswith("This game needs a display to open its window: ")
