"""A game with a prefab, for the tests of the passes after the first."""

from __future__ import annotations

from tests.cli.games import TABLE, Game

ORC = """\
from savegen import Saved, saveable

from {package}_savegen.components.orc import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 3

    def __init__(self, hp: int = 3) -> None:
        self.hp = hp
"""
CAMP = """\
from savegen import part, prefab

from {package}orc import Orc


@prefab
class Camp:
    \"\"\"Where orcs live.\"\"\"

    orc = part(Orc, 5)
"""
PASS_2 = ["link_prefabs.py", "prefab_info.py", "prefabs.py"]
PASS_3 = ["level.schema.json", "prefab_info.json", "prefab_sources.txt", "template.lvl"]


def prefabricated(game: Game, folder: str = "game", package: str = "game.") -> Game:
    """Write a class and a prefab of it into a folder; nothing is generated yet."""
    game.write(f"{folder}/__init__.py", "")
    game.write(f"{folder}/orc.py", ORC.format(package=package))
    game.write(f"{folder}/camp.py", CAMP.format(package=package))
    if folder == "game":
        game.write("pyproject.toml", TABLE)
    return game


def another(game: Game, name: str, init: str, top: str = "") -> None:
    """Write one more prefab, of a class of its own that is built by `init`."""
    low = name.lower()
    game.write(
        f"game/{low}.py",
        f"""\
from savegen import Saved, part, prefab, saveable

from game._savegen.components.{low} import {name}SaveLoad
{top}

@saveable
class {name}({name}SaveLoad):
    hp: Saved[int] = 3

    def __init__(self) -> None:
        self.hp = 7
        {init}


@prefab
class {name}s:
    one = part({name}).show(hp="{low}_hp")
""",
    )
