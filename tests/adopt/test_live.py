"""A run of the game records all objects that are alive, whatever holds them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from savegen.build.adopt import live
from savegen.build.adopt.observed import OBSERVED_CONTAINERS

ACTOR = """
import collections, math, types

class Actor:
    def __init__(self, world=None):
        self.turned = 0
        if world is not None:
            world.append(self)

    def update(self):
        self.turned = math.pi

class World:
    def __init__(self):
        self.hero = Actor()
        self.turns = 0

    def tick(self):
        self.turns += 1

def run():
    world = World()
    world.tick()
    world.hero.update()
    return world
"""


def seen(folder: Path, script: str, game: str = ACTOR) -> dict[str, dict[str, Any]]:
    """Return the names of the types that attributes have while a script runs."""
    (folder / "game.py").write_text(game)
    (folder / "script.py").write_text(script)
    result = folder / "result.json"
    request = {
        "script": str(folder / "script.py"),
        "arguments": [],
        "module": "script",
        "classes": ["game.Actor", "game.World"],
        "containers": OBSERVED_CONTAINERS,
        "result": str(result),
    }
    command = [sys.executable, "-m", live.__name__, json.dumps(request)]
    subprocess.run(command, check=True)
    found = json.loads(result.read_text())["seen"]
    return {
        name: {key: sorted(shape for shape, _ in shapes) for key, shapes in own.items()}
        for name, own in found.items()
    }


@pytest.mark.parametrize(
    "holder",
    [
        "types.SimpleNamespace(a=Actor())",
        "type('Group', (), {'__init__': lambda self: setattr(self, 'a', Actor())})()",
        "type('Items', (collections.OrderedDict,), {})(a=Actor())",
        "type('Queue', (collections.deque,), {})([Actor()])",
        "iter([Actor()])",
        "(lambda a=Actor(): a)",
    ],
)
def test_objects_that_only_a_library_holds_are_recorded(
    tmp_path: Path, holder: str
) -> None:
    script = f"from game import *\nhidden = {holder}\nimport gc\n"
    script += "for o in gc.get_objects():\n    if type(o) is Actor: o.update()\n"
    script += "hero = Actor()\n"
    assert seen(tmp_path, script) == {"game.Actor": {"turned": ["float", "int"]}}


@pytest.mark.parametrize(
    "script",
    [
        "import game\ngame.run()\n",
        "import game\ndef main():\n    game.run()\nmain()\n",
        "import game, sys\ngame.run()\nsys.exit(0)\n",
    ],
)
def test_objects_that_a_function_drops_when_it_returns_are_recorded(
    tmp_path: Path, script: str
) -> None:
    assert seen(tmp_path, script) == {
        "game.World": {"hero": ["game.Actor"], "turns": ["int"]},
        "game.Actor": {"turned": ["float"]},
    }


def test_odd_objects_do_not_stop_a_run(tmp_path: Path) -> None:
    script = """
import weakref
from game import *

class Meta(type):
    __hash__ = None
    def __eq__(self, other): raise ValueError
    def __getattribute__(self, name): raise ValueError(name)

class Lying:
    @property
    def __class__(self): raise ValueError
    def __eq__(self, other): raise ValueError
    __hash__ = None

class Odd(metaclass=Meta): pass

things = [Lying(), Odd(), weakref.proxy(Lying())]
hero = Actor()
"""
    assert seen(tmp_path, script) == {"game.Actor": {"turned": ["int"]}}
