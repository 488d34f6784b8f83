"""A game with levels, imported into this process, and functions that draw levels for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from savegen.levels import load_level
from savegen.runtime import LevelError, SaveLoadManager
from tests.project import Project
from tests.runtime.worlds import assert_consistent

FILES = {
    "pyproject.toml": """
        [tool.savegen]
        source = ["cave"]
        """,
    "cave/__init__.py": "",
    "cave/things.py": '''
        """What a cave is furnished with."""

        from typing import Annotated, Protocol
        from weakref import ref

        from savegen import (
            Activation, Save, Saved, on_activate, on_deactivate, part, prefab, saveable
        )
        from savegen.runtime import GameObject

        from cave._savegen.components.things import (
            GateSaveLoad, LampSaveLoad, LeverSaveLoad, WatcherSaveLoad
        )

        LOG: list[tuple[str, Activation, int]] = []
        WORLD: list = []
        AWAKE: list[str] = []


        class Glows(Protocol):
            watts: float


        @saveable
        class Lamp(LampSaveLoad):
            def __init__(self) -> None:
                self._watts = 1.0

            @property
            def watts(self) -> Annotated[float, Save(setter=True, was="brightness")]:
                return self._watts

            @watts.setter
            def watts(self, value: float) -> None:
                if value < 0:
                    raise ZeroDivisionError("dark")
                self._watts = value


        @saveable
        class Gate(GateSaveLoad):
            is_open: Annotated[bool, Save("open")] = False
            marks: Saved[list[str]]

            def __init__(self) -> None:
                self.marks = []


        @saveable
        class Lever(LeverSaveLoad):
            gates: Saved[tuple[Gate, ...]] = ()
            lamp: Saved[ref[Lamp] | None] = None
            glow: Saved[Glows | None] = None
            target: Saved[GameObject | None] = None


        @saveable
        class Watcher(WatcherSaveLoad):
            name: Saved[str] = "nobody"
            fails: Saved[bool] = False

            @on_activate
            def wake(self, reason: Activation) -> None:
                AWAKE.append(self.name)
                if self.fails:
                    raise LookupError("no eyes")
                LOG.append((self.name, reason, sum(map(len, WORLD))))

            @on_deactivate
            def sleep(self) -> None:
                AWAKE.remove(self.name)


        @prefab
        class Rock:
            """Solid."""


        @prefab
        class LampPost:
            lamp = part(Lamp)


        @prefab
        class Portal:
            gate = part(Gate)


        @prefab
        class Handle:
            lever = part(Lever)


        @prefab
        class Guard:
            watcher = part(Watcher)
            light = part(Lamp).show(watts="light")
        ''',
}
ROCK = "#646464"
GUARD = {"$type": "GuardSerializer", "name": "Grub"}
LAMP = {"$type": "LampPostSerializer"}
PORTAL = {"$type": "PortalSerializer"}
MAP = "######## #......# #......# ########"
SPRITES = "........ .L....G. ........ ........"
FURNITURE = {"L": LAMP, "G": GUARD}


@contextmanager
def made(folder: Path) -> Iterator[Any]:
    """Import the module of the game's classes."""
    project = Project(folder, FILES).generated().prefabs()
    wanted = "cave.things", "cave._savegen.prefab_info", "cave._savegen.registry"
    with project.imported(*wanted) as (module, info, registry):
        module.PREFAB_INFO, module.REGISTRY = info.PREFAB_INFO, registry.REGISTRY
        yield module


Drawing = tuple[str, Mapping[str, Any], int]


def draw(
    folder: Path,
    geometry: str,
    sprites: str = "",
    entries: Mapping[str, Mapping[str, Any]] = {},
    *,
    position: tuple[float, float, float] = (0, 0, 0),
    layer: str = "layer1",
) -> Path:
    """Draw a level of one layer: `#` is rock, and a letter stands for the entry of this name."""
    colours = {letter: f"#{ord(letter):02x}ff00" for letter in entries}
    paint(folder / "geometry" / f"{layer}.png", rows(geometry), {"#": ROCK})
    if sprites:
        paint(folder / "sprites" / f"{layer}.png", rows(sprites), colours)
    x, y, z = position
    described = {
        "version": 1,
        "layer_names": [layer],
        "layer_params": [{"position": {"x": x, "y": y, "z": z}}],
        "tiles": {ROCK: {"$type": "RockSerializer"}},
        "sprites": {colours[letter]: entry for letter, entry in entries.items()},
    }
    (folder / "level.lvl").write_text(json.dumps(described), encoding="utf-8")
    return folder


def rows(text: str) -> list[str]:
    return [line.strip() for line in text.split()]


def paint(path: Path, lines: Iterable[str], colours: Mapping[str, str]) -> None:
    known = {letter: (*bytes.fromhex(c[1:]), 255) for letter, c in colours.items()}
    pixels = [[known.get(letter, (0, 0, 0, 0)) for letter in line] for line in lines]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.array(pixels, np.uint8)).save(path)


def placed(manager: SaveLoadManager) -> dict[str, tuple[float, ...]]:
    """Return x and y of all placed objects in the world by placement id."""
    records = map(manager.record_of, manager.objects)
    return {str(r.placement): r.object.transform.position[:2] for r in records}


def refused(folder: Path, manager: SaveLoadManager, **options: Any) -> LevelError:
    """Check that a level is refused and the world does not change; return the error."""
    before = manager.create_snapshot().digest()
    with pytest.raises(LevelError) as caught:
        load_level(folder, manager, **options)
    assert manager.create_snapshot().digest() == before
    assert_consistent(manager)
    return caught.value
