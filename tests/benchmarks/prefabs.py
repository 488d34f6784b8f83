"""How long pass 2 takes, and reading what level authors write, beside their peers.

    python -m tests.benchmarks.prefabs [--prefabs 1000] [--entries 100000] [--repeat 5] [--json FILE]

Pass 2 runs after pass 1, as it always does, and its peer is libcst's parser over the files that
declare the prefabs; without what pass 1 has remembered it reads all marked files itself. A level file is decoded by the generated serializers, and by msgspec without
any types.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.benchmarks.build import PARSE, SAVEGEN, SEED, Row, Run, compare, run, table

CLASSES = 100
PER_FILE = 10
PARTS = 5

COMPONENTS = '''"""Components, ten to a file."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple

from savegen import Save, Saved, saveable

from game._savegen.components.components_{place} import (
{imports}
)


class Vec2(NamedTuple):
    x: float
    y: float


class Mood(Enum):
    CALM = 1
    ANGRY = 2
'''
COMPONENT = '''

@saveable
class {name}({name}SaveLoad):
    """A component of many prefabs."""

    {low}_position: Saved[Vec2] = Vec2(0, 0)
    {low}_hp: Annotated[int, Save(ge=0, le=99)] = 5
    {low}_mood: Saved[Mood] = Mood.CALM
    {low}_names: Saved[tuple[str, ...]] = ()
    {low}_hurt: Annotated[float, Save(editor=False)] = 0.0

    def __init__(self, position: Vec2, hp: int = 5) -> None:
        self.{low}_position = position
        self.{low}_hp = hp
'''
PREFAB = '''

@prefab
class {name}:
    """What number {number} in this game is made of."""

'''
DECODE = """
import sys, msgspec
data = open(sys.argv[1], "rb").read()
{decoder}
assert len(decoder.decode(data)) == {count}
"""
TYPED = """from game._savegen.prefabs import AnySerializer
decoder = msgspec.json.Decoder(list[AnySerializer])"""
UNTYPED = "decoder = msgspec.json.Decoder()"
# What both do before they decode: it is no part of the decoding.
WARM = "for _ in range(9): decoder.decode(data)"


class Game:
    """A generated game of prefabs in a folder of its own."""

    def __init__(self, folder: Path, prefabs: int) -> None:
        self.folder = folder
        self.random = Random(SEED)
        self.source = folder / "game"
        self.source.mkdir()
        (self.source / "__init__.py").touch()
        (folder / "pyproject.toml").write_text(
            '[tool.savegen]\nsource = "."\noutput = "game/_savegen"\n'
        )
        self.classes = [f"Part{place:03}" for place in range(CLASSES)]
        for place in range(0, CLASSES, PER_FILE):
            self._write(f"components_{place}.py", _components(place, self.classes))
        self.prefabs = [f"Thing{number}" for number in range(prefabs)]
        self.files = [self._declare(place) for place in range(0, prefabs, PER_FILE)]
        self._write("../declared.txt", "\n".join(map(str, self.files)))
        marked = [*self.files, *self.source.glob("components_*.py")]
        self._write("../marked.txt", "\n".join(map(str, marked)))

    def _write(self, name: str, text: str) -> Path:
        path = self.source / name
        path.write_text(text, encoding="utf-8")
        return path

    def _declare(self, place: int) -> Path:
        names = self.prefabs[place : place + PER_FILE]
        chosen = [self.random.sample(self.classes, PARTS) for _ in names]
        text = '"""Prefabs, ten to a file."""\n\nfrom savegen import part, prefab\n\n'
        text += "".join(_imports({cls for each in chosen for cls in each}))
        for name, classes in zip(names, chosen, strict=True):
            text += PREFAB.format(name=name, number=name.removeprefix("Thing"))
            for cls in classes:
                text += (
                    f"    {cls.lower()} = part({cls}, Vec2({len(text) % 9}, 1), hp=7)\n"
                )
        return self._write(f"prefabs_{place}.py", text)

    def pass_1(self) -> Run:
        return run([*SAVEGEN, "components"], self.folder)

    def pass_2(self) -> Run:
        """Run pass 2 as the first time: nothing of its own is there."""
        for name in ("prefabs.py", "prefab_info.py", "link_prefabs.py"):
            (self.source / "_savegen" / name).unlink(missing_ok=True)
        return run([*SAVEGEN, "prefabs"], self.folder)

    def again(self) -> Run:
        return run([*SAVEGEN, "prefabs"], self.folder)

    def from_nothing(self) -> Run:
        """Run pass 2 with nothing remembered of pass 1."""
        return run([*SAVEGEN, "prefabs", "--no-cache"], self.folder)

    def parse(self, files: str = "declared.txt") -> Run:
        return run([sys.executable, "-c", PARSE, files], self.folder)

    def write_level(self, count: int) -> None:
        entries = [self._entry() for _ in range(count)]
        (self.folder / "level.json").write_text(json.dumps(entries))

    def _entry(self) -> dict[str, object]:
        name = self.random.choice(self.prefabs)
        number = int(name.removeprefix("Thing"))
        lines = (
            self.files[number // PER_FILE].read_text().partition(f"class {name}:")[2]
        )
        low = lines.partition("    part")[2].partition(" ")[0]
        return {
            "$type": f"{name}Serializer",
            f"part{low}_position": {"x": self.random.random() * 99, "y": 3},
            f"part{low}_hp": self.random.randrange(99),
            f"part{low}_mood": self.random.choice(["CALM", "ANGRY"]),
            f"part{low}_names": ["left", "right"],
        }

    def decode(self, decoder: str, count: int) -> Run:
        """Decode the level; what is done before that is taken off by doing it alone, too."""
        script = DECODE.format(decoder=decoder, count=count)
        command = [sys.executable, "-c"]
        once = run([*command, script, "level.json"], self.folder)
        more = run([*command, script + WARM, "level.json"], self.folder)
        return Run((more.cpu - once.cpu) / 9, (more.wall - once.wall) / 9, more.peak)


def _components(place: int, classes: list[str]) -> str:
    names = classes[place : place + PER_FILE]
    imports = "\n".join(f"    {name}SaveLoad," for name in names)
    text = COMPONENTS.format(place=place, imports=imports)
    return text + "".join(COMPONENT.format(name=n, low=n.lower()) for n in names)


def _imports(classes: set[str]) -> Iterator[str]:
    modules: dict[int, list[str]] = {0: ["Vec2"]}
    for cls in sorted(classes):
        place = int(cls.removeprefix("Part")) // PER_FILE * PER_FILE
        modules.setdefault(place, []).append(cls)
    for place, names in sorted(modules.items()):
        lines = "".join(f"    {name},\n" for name in sorted(names))
        yield f"from game.components_{place} import (\n{lines})\n"


def rows(prefabs: int, entries: int, repeat: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        game = Game(Path(folder), prefabs)
        game.pass_1()
        game.pass_2()
        step = f"pass 2, {prefabs:,} prefabs of {PARTS} parts"
        yield compare(step, 1.4, game.pass_2, game.parse, repeat)
        yield compare(
            "… with nothing remembered of pass 1",
            1.6,
            game.from_nothing,
            lambda: game.parse("marked.txt"),
            repeat,
        )
        click = [sys.executable, "-c", "import click"]
        yield compare(
            "nothing changed", 1.6, game.again, lambda: run(click, game.folder), repeat
        )
        game.write_level(entries)
        yield compare(
            f"decoding {entries:,} entries of a level",
            1.5,
            lambda: game.decode(TYPED, entries),
            lambda: game.decode(UNTYPED, entries),
            repeat,
        )
        shutil.rmtree(game.source / "_savegen")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure prefabs.")
    parser.add_argument("--prefabs", type=int, default=1_000)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument(
        "--repeat", type=int, default=5, help="pairs of runs for a step"
    )
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, seed {SEED}, processor time")
    found = list(rows(options.prefabs, options.entries, options.repeat))
    print(table(found))
    if options.json:
        figures = [{**row._asdict(), "holds": row.holds} for row in found]
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
