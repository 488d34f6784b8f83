"""A small game with prefabs, and a level of it drawn pixel by pixel, for the tests of `level`."""

from __future__ import annotations

import io
import json
from typing import Any

from PIL import Image

from tests.cli.games import Game

GAME = """\
from typing import Annotated

from savegen import Save, Saved, saveable


@saveable(prefab=True)
class Wall:
    solid: Saved[bool] = True


@saveable(prefab=True, was="Ogre")
class Orc:
    hp: Annotated[int, Save(ge=1, le=9, was="life")] = 3
    price: Saved[float] = 1.5


@saveable(prefab=True)
class Coin:
    worth: Saved[int] = 1
"""
TABLE = "[tool.savegen]\nsource = '.'\noutput = '_savegen'\nexclude = ['levels/*']\n"
INKS = {
    ".": (0, 0, 0, 0),
    "#": (90, 80, 70, 255),
    "o": (255, 0, 0, 255),
    "c": (255, 215, 0, 255),
    "?": (1, 2, 3, 255),
}
MAP = ["####", "#..#", "####"]
SPRITES = ["....", ".oc.", "...."]
FRIENDLY: dict[str, Any] = {
    "version": 1,
    "layer_names": ["layer1"],
    "sprites": {
        "#ff0000": {"$type": "OrcSerializer", "$id": "grub", "hp": 5},
        "#ffd700": {"$type": "CoinSerializer"},
    },
    "tiles": {"#5a5046": {"$type": "WallSerializer"}},
}


def built(game: Game) -> Game:
    """Write the game into a folder and generate its code, its schema and its template."""
    game.write("pyproject.toml", TABLE)
    game.write("game.py", GAME)
    for verb in ("wire", "build"):
        said = game.run(verb)
        assert said.code == 0, said
    return game


def png(rows: list[str], mode: str = "RGBA") -> bytes:
    """Return letters as an image, a pixel each."""
    image = Image.new("RGBA", (len(rows[0]), len(rows)))
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            image.putpixel((x, y), INKS[letter])
    file = io.BytesIO()
    image.convert(mode).save(file, "png")
    return file.getvalue()


def draw(
    game: Game,
    folder: str = "levels/cave",
    geometry: list[str] = MAP,
    sprites: list[str] = SPRITES,
    told: object = FRIENDLY,
) -> str:
    """Write a level folder; return its path."""
    text = told if isinstance(told, str) else json.dumps(told)
    game.write(f"{folder}/level.lvl", text)
    game.write(f"{folder}/geometry/layer1.png", png(geometry))
    game.write(f"{folder}/sprites/layer1.png", png(sprites))
    (game.folder / folder / "visuals").mkdir(exist_ok=True)
    return folder
