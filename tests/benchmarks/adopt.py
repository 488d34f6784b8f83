"""How long `savegen adopt` takes on a game without marks, beside parsing it with libcst.

    python -m tests.benchmarks.adopt [--classes 600] [--repeat 5]

600 classes have 70,000 lines, most of them in methods that assign no attribute. All classes
have attributes of the same names, which is the hardest case.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.benchmarks import build, game

BAR = 1.5
PER_FILE = 10

HEAD = """import math
import random
{imports}

"""
CLASS = '''
class {name}:
    """One of many."""

    def __init__(self, world, place, level=1):
        self.world = world
        self.place = place
        self.level = level
        self.speed = 0.5 * level
        self.names = []
        self.counts = {{}}
        self.friend = None
        self.path = [(0, 0)]
        self.dice = random.Random(level)

    @property
    def x(self):
        return self.place[0]

    def meet(self):
        self.friend = {other}(self.world, (3, 4))
        self.friend.level += 1
        self.names.append(str(self.friend.level))
        self.counts[self.names[0]] = len(self.names)

    def walk(self):
        x, y = self.place
        self.place = (x + 1, y)
        self.path.append(self.place)
        if self.dice.random() < self.speed:
            self.path = []
'''


def files(classes: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield path and text of a game in which each class leads to two others."""
    random = Random(seed)
    yield "pyproject.toml", game.PYPROJECT
    yield "game/__init__.py", ""
    count = classes // PER_FILE
    for number in range(count):
        other = (number + 1) % count
        imports = f"from game.part{other:03} import Kind{other:03}x0"
        bodies = [_class(number, place, count, random) for place in range(PER_FILE)]
        yield f"game/part{number:03}.py", HEAD.format(imports=imports) + "\n".join(
            bodies
        )


def _class(number: int, place: int, count: int, random: Random) -> str:
    following = f"Kind{number:03}x{place + 1}"
    other = following if place + 1 < PER_FILE else f"Kind{(number + 1) % count:03}x0"
    methods = [
        method.format(
            verb=f"{verb}{index}", noun=random.choice(game._NOUNS), number=index + 2
        )
        for index in range(3)
        for method, verb in zip(game._METHODS, game._VERBS)
    ]
    text = CLASS.format(name=f"Kind{number:03}x{place}", other=other)
    return text + "".join(methods)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure `savegen adopt`.")
    parser.add_argument("--classes", type=int, default=600)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, lines, paths = Path(name), 0, []
        for path, text in files(options.classes, build.SEED):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
            lines += text.count("\n")
            if path.endswith(".py"):
                paths.append(str(folder / path))
        (folder / "marked.txt").write_text("\n".join(paths))
        adopt = [*build.SAVEGEN, "adopt", "Kind000x0", "-q"]
        parse = [sys.executable, "-c", build.PARSE, "marked.txt"]
        row = build.compare(
            f"adopt, {options.classes} classes",
            BAR,
            lambda: build.run(adopt, folder),
            lambda: build.run(parse, folder),
            options.repeat,
        )
    print(f"Python {platform.python_version()}, {lines:,} lines, processor time")
    print(build.table([row]))


if __name__ == "__main__":
    main()
