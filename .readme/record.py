"""Makes the pictures of the sample game in the documentation, from the running game.

    python .readme/record.py

`docs/images/rewind.gif` shows a fight, and how time runs back; `menu.png` the list of saves, and `cavern.png` a level.
The game plays the keys below, so a change of the level `cavern` may need others.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path

os.environ |= {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}

import pygame
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sample_game.game import Game
from sample_game.keys import parse_script
from sample_game.screen.menu import Slots
from sample_game.screen.window import Window

IMAGES = ROOT / "docs" / "images"
LARGEST = 2_000_000  # bytes
# Pip fights a goblin, raises a flag, waits too long on a platform that crumbles, and falls.
FIGHT = """
    96 RIGHT
    12 RIGHT+JUMP
    10 RIGHT
    14 RIGHT+JUMP
    6 RIGHT
    14 RIGHT+JUMP
    34 RIGHT
    1 FIRE
    18
    1 FIRE
    30
    66 RIGHT
    14 RIGHT+JUMP
    28 RIGHT
    14 RIGHT+JUMP
    16 RIGHT
    84
    60 RIGHT
    24
"""
REWIND = "153 REWIND"
OTHERWISE = """
    66 RIGHT
    14 RIGHT+JUMP
    28 RIGHT
    14 RIGHT+JUMP
    16 RIGHT
    6
    14 RIGHT+JUMP
    24 RIGHT
    6
    14 RIGHT+JUMP
    30 RIGHT
"""
FIRST = 150  # the frame of the fight with which the picture begins
EVERY = 2  # frames of the game for one of the picture
NEEDED = {"goblin-dead", "flag", "hurt"}  # events without which the scene shows nothing


class Still:
    """A camera that does not move, so that little changes from frame to frame."""

    corner = (192, 72)

    def follow(self, *_: object) -> None: ...

    def shake(self, _: int) -> None: ...


def image_of(window: Window) -> Image.Image:
    window.draw()
    canvas = window.art.canvas
    return Image.frombytes(
        "RGB", canvas.get_size(), pygame.image.tobytes(canvas, "RGB")
    )


def record(folder: Path) -> list[Image.Image]:
    """Play the scene, and return its frames."""
    window = Window(Game(folder, "cavern"))
    window.draw()
    frames, events = [], set()
    lines = [*FIGHT.splitlines(), REWIND, *OTHERWISE.splitlines()]
    for number, keys in enumerate(parse_script(lines, "the scene")):
        window._camera = Still()  # type: ignore[assignment]
        window.time += 1
        window._play(keys)
        events |= {event.kind for event in window.game.events}
        image = image_of(window)
        if number >= FIRST and number % EVERY == 0:
            frames.append(image)
    window.game.slots.wait()
    if missing := NEEDED - events:
        sys.exit(f"the scene needs other keys: there is no {', '.join(missing)}")
    return frames


def write_animation(frames: list[Image.Image], file: Path) -> None:
    """Write frames that share a palette of 256 colours."""
    width, height = frames[0].size
    some = frames[:: len(frames) // 16]
    sheet = Image.new("RGB", (width, height * len(some)))
    for number, frame in enumerate(some):
        sheet.paste(frame, (0, number * height))
    palette = sheet.quantize(256)
    small = [
        frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames
    ]
    time = 1000 * EVERY // 60
    small[0].save(file, save_all=True, append_images=small[1:], duration=time, loop=0)
    if file.stat().st_size > LARGEST:
        sys.exit(f"{file} is too large: {file.stat().st_size:,} bytes")


def write_menu(folder: Path, file: Path) -> None:
    """Write the list of saves, with one that is damaged, and one of an old version."""
    walk = ["200 RIGHT", "1", "1 RIGHT"]
    fight = FIGHT.splitlines()[:14]
    for slot, level, script in (
        ("slot-1", "cellar", walk),
        ("slot-2", "mountain", walk),
        ("slot-3", "cavern", fight),
    ):
        window = Window(Game(folder, level))
        for keys in parse_script(script, "the scene"):
            window._play(keys)
        picture = io.BytesIO()
        pygame.image.save(window.picture(), picture, "picture.png")
        for _ in range(2):
            window.game.save(slot, picture.getvalue())
    window.game.slots.wait()
    for info in window.game.slots.list():
        if info.slot.startswith("auto"):
            window.game.slots.delete(info.slot)
    window.game.slots.import_(ROOT / "tests/golden/0.3/world.sav", "from-0.3")
    newest = folder / "slot-2" / "2.sav"
    newest.write_bytes(newest.read_bytes()[:-9])
    window.open(Slots(window))
    for _ in range(20):
        page = window.page
        assert isinstance(page, Slots)
        if "slot-2" in page.entries[page.at].below:
            break
        page.press(pygame.K_DOWN)
    save(image_of(window), file)


def save(picture: Image.Image, file: Path) -> None:
    """Write a picture twice as large, as the window shows it."""
    large = picture.resize(
        (picture.width * 2, picture.height * 2), Image.Resampling.NEAREST
    )
    large.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        frames = record(Path(folder))
    write_animation(frames, IMAGES / "rewind.gif")
    save(frames[30], IMAGES / "cavern.png")
    with tempfile.TemporaryDirectory() as folder:
        write_menu(Path(folder), IMAGES / "menu.png")


if __name__ == "__main__":
    main()
