"""Games without marks become games that save: `init`, `adopt`, a few answers, `build`."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.project import Project
from tests.cli.games import Game

HERE = Path(__file__).parent
DRIVER = (HERE / "driver.py").read_text("utf-8")

Patch = Mapping[str, list[tuple[str, str]]]  # path → old and new text


class Port(NamedTuple):
    """A game, the questions that adopt asks about it, and what a person changes."""

    name: str
    roots: tuple[str, ...]
    questions: list[str]
    answers: Patch
    turns: tuple[int, int]  # before the save, and after it
    second_version: Patch
    # What the loads of both versions report: objects with a new field, and without a class
    defaulted: Mapping[str, int]
    preserved: Mapping[str, int]


ROGUE = Port(
    name="rogue",
    roots=(),
    questions=[
        "rogue/engine.py: Engine.options: the type is unknown",
        "rogue/engine.py: Engine.last_event: only None is assigned to it",
    ],
    answers={
        "rogue/engine.py": [
            ("    deaths: Saved[int]\n", "    deaths: Saved[int]\n    options: Saved[dict[str, int]]\n"),
            ("@saveable\n", '@saveable(transient=("last_event",))\n'),
        ],
        # The game sorts what it takes from the set.
        "rogue/game_map.py": [("set(entities)\n", "set(entities)  # savegen: ignore[SG209]\n")],
    },
    turns=(800, 500),
    second_version={
        # A field is renamed,
        "rogue/components.py": [
            ("    base_power: Saved[int]", '    power: Annotated[int, Save(was="base_power")]'),
            ("self.base_power = base_power", "self.power = base_power"),
        ],
        "rogue/ai.py": [(".base_power", ".power")],
        "rogue/entity.py": [
            # another is new,
            ("    speed: Saved[int]\n", "    speed: Saved[int]\n    morale: Saved[int] = 5\n"),
            # and a class is gone.
            ("\n\n@saveable\nclass Altar(", "\n\n'''@saveable\nclass Altar("),
            ("        self.visits = {}\n", "        self.visits = {}\n'''\n"),
            ("    AltarSaveLoad,\n", ""),
        ],
        "rogue/generate.py": [
            ("from .entity import Altar\n", ""),
            ("    altar = Altar(engine.rng.randint(1, 9))\n", ""),
            ("    altar.place(*rooms[2].center, dungeon)\n", ""),
            ("    altar.visits[player.name] = floor\n", ""),
        ],
    },
    defaulted={"Actor.morale": 13},
    preserved={"Altar": 1, "GameMap.entities": 1},
)  # fmt: skip

COLONY = Port(
    name="colony",
    roots=("Colony",),
    questions=[
        "colony/colony.py: Colony.places: savegen has no codec for `weakref.WeakKeyDictionary`",
        "colony/colony.py: Colony.records: `dict` does not say what it contains",
    ],
    answers={
        "colony/colony.py": [
            ("    records: dict =", "    records: Saved[dict[str, float]] ="),
            ('transient=("on_day",)', 'transient=("on_day", "places")'),
            ("from savegen import ", "from savegen import Activation, on_activate, "),
            (
                "    def index(self) -> None:\n",
                "    @on_activate\n"
                "    def index(self, reason: Activation | None = None) -> None:\n",
            ),
        ]
    },
    turns=(200, 500),
    second_version={
        "colony/agents.py": [
            ("from typing import ", "from typing import Annotated, "),
            ("from savegen import ", "from savegen import Save, "),
            ("    depth: Saved[int]", '    dug: Annotated[int, Save(was="depth")]'),
            ("self.depth", "self.dug"),
            ("    energy: Saved[float] = 1.0\n", "    energy: Saved[float] = 1.0\n    mood: Saved[int] = 3\n"),
        ],
        "colony/colony.py": [
            ("\n\n@saveable\n@dataclass\nclass Rumour", "\n\n'''@saveable\n@dataclass\nclass Rumour"),
            ("    text: Saved[str]\n    age: Saved[int] = 0\n", "    text: Saved[str]\n    age: Saved[int] = 0\n'''\n"),
            ("    RumourSaveLoad,\n", ""),
            ("    rumours: Saved[list[Rumour]] = field(default_factory=list)\n", ""),
            ("            self.rumours.append(Rumour(f\"day {self.day}\"))\n", ""),
            ("        for rumour in self.rumours:\n            rumour.age += 1\n", ""),
            ("        self.rumours = [rumour for rumour in self.rumours if rumour.age < 9]\n", ""),
        ],
    },
    defaulted={"Digger.mood": 800, "Scout.mood": 400},
    preserved={"Rumour": 4, "Colony.rumours": 1},
)  # fmt: skip

PORTS = (ROGUE, COLONY)


def change(game: Game, patch: Patch) -> None:
    for path, changes in patch.items():
        for old, new in changes:
            game.replace(path, old, new)


def play(game: Game, name: str, verb: str, *turns: int) -> list[list[Any]]:
    """Run the game in a process of its own; return what it prints."""
    words = ("driver.py", name, verb, *map(str, turns))
    printed = Project(game.folder, {}).run(*words)
    return [json.loads(line) for line in printed.splitlines()]


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.name)
def test_a_ported_game_goes_on_like_one_that_never_stopped(
    port: Port, tmp_path: Path
) -> None:
    game = Game(tmp_path)
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HERE / port.name, tmp_path / port.name, ignore=unwanted)
    game.write("driver.py", DRIVER)
    (never_stopped,) = play(game, port.name, "straight", *port.turns)

    adopt(game, port)
    (saved,) = play(game, port.name, "save", port.turns[0])
    loaded, (total, *report) = play(game, port.name, "load", port.turns[1])
    assert saved == never_stopped[:1]
    assert loaded == never_stopped
    assert report == [{}, {}]

    # The second version loads the save of the first.
    change(game, port.second_version)
    succeed(game, "build", "--strict")
    _, report = play(game, port.name, "load", 50)
    assert total > 0
    assert report == [total, port.defaulted, port.preserved]


def adopt(game: Game, port: Port) -> None:
    """Mark a game as its author would."""
    succeed(game, "init")
    proposed = succeed(game, "adopt", *port.roots, "--apply")
    asked = re.findall(r"^\d+\. (.*?):\d+(: .*)$", proposed, re.M)
    assert [path + rest for path, rest in asked] == port.questions
    change(game, port.answers)
    succeed(game, "build", "--strict")


def succeed(game: Game, *words: str) -> str:
    done = game.run(*words)
    assert done.code == 0, f"{done.out}\n{done.err}"
    return done.out
