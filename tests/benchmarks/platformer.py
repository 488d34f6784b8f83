"""What the sample game pays in its largest level: for saving, for rewinding, and for a frame.

    python -m tests.benchmarks.platformer [--only WORD] [--repeat 3] [--json FILE]

The bars are milliseconds of the main thread's processor time, at the median of some hundred frames
while the level is played by its recorded keys. Beside each figure is that of pickle, of the same
objects in a process of its own, and the ratio of the two; pickle restores neither groups nor the
identity of objects.
"""

from __future__ import annotations

import argparse
import copyreg
import json
import os
import pickle
import platform
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any, NamedTuple

import pygame

from sample_game.game import Game
from savegen.runtime import GameObject
from tests.game.scripts import keys_of, straight

LEVEL = "mountain"
BEFORE = 600  # frames: then all that is near has begun to move
FRAMES = 300  # that are measured
SECOND = 60
ROOT = Path(__file__).parents[2]


class Figure(NamedTuple):
    """What one step takes, in milliseconds, beside pickle."""

    step: str
    median: float
    worst: float
    bar: float | None
    pickle: float | None

    @property
    def ratio(self) -> float | None:
        return None if self.pickle is None else self.median / self.pickle

    @property
    def holds(self) -> bool:
        return self.bar is None or self.median <= self.bar


class Playing:
    """The game in the middle of its largest level."""

    def __init__(self, folder: Path) -> None:
        self.game = Game(folder, LEVEL)
        self._keys = iter(straight(keys_of(LEVEL)))
        for _ in range(BEFORE):
            self.game.step(next(self._keys))

    def go_on(self) -> None:
        """Play one frame, but record nothing."""
        self.game.world.step(next(self._keys))

    def objects(self) -> list[Any]:
        """Return what pickle can take: a `GameObject` refers to its manager."""
        return [
            (
                (each.transform.position, each.components)
                if isinstance(each, GameObject)
                else each
            )
            for each in self.game.manager.objects
        ]


# Each returns what is measured, after a frame that is not.
Make = Callable[[Playing], Callable[[], object]]


def apply(playing: Playing) -> Callable[[], object]:
    manager = playing.game.manager
    snapshot = manager.create_snapshot()
    return lambda: manager.apply_snapshot(snapshot)


def rewind(playing: Playing) -> Callable[[], object]:
    history = playing.game._history
    # What is taken back is the frame that was just played.
    return lambda: history.rewind(1)


def load(playing: Playing) -> Callable[[], object]:
    playing.game.save("file")
    return lambda: playing.game.load("file")


def quickload(playing: Playing) -> Callable[[], object]:
    playing.game.quicksave()
    return playing.game.quickload


def show(playing: Playing) -> Callable[[], object]:
    from sample_game.screen.window import Window

    window = Window(playing.game)
    screen = pygame.display.get_surface()
    assert screen is not None

    def frame() -> None:
        window.step()
        window.draw()
        pygame.transform.scale(window.art.canvas, screen.get_size(), screen)

    return frame


def loads(playing: Playing) -> Callable[[], object]:
    saved = dumps(playing)()
    return lambda: pickle.loads(saved)


def dumps(playing: Playing) -> Callable[[], bytes]:
    copyreg.pickle(weakref.ref, lambda each: (weakref.ref, (each(),)))
    return lambda: pickle.dumps(playing.objects(), protocol=5)


DUMPS, LOADS = "pickle.dumps", "pickle.loads"
STEPS: dict[str, tuple[Make, float | None, str | None]] = {
    "create_snapshot": (lambda p: p.game.manager.create_snapshot, 4, DUMPS),
    "apply_snapshot": (apply, 4, LOADS),
    "History.record": (lambda p: p.game._history.record, 4, DUMPS),
    "History.rewind(1)": (rewind, 8, LOADS),
    "F5: a quicksave": (lambda p: p.game.quicksave, 1000 / 60, DUMPS),
    "F9: a quickload": (quickload, 1000 / 60, LOADS),
    "F9 from a file": (load, None, LOADS),
    "Autosave.record_async": (lambda p: p.game._record, 4, DUMPS),
    "a step of the world": (lambda p: p.go_on, None, None),
    "update and draw": (show, 1000 / 60, None),
}
PICKLE: dict[str, Make] = {DUMPS: dumps, LOADS: loads}


def measure(name: str) -> dict[str, float]:
    """Return the milliseconds of a step: the median and the worst of some hundred frames."""
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        playing = Playing(Path(folder))
        make = PICKLE[name] if name in PICKLE else STEPS[name][0]
        step = make(playing)
        is_frame = name == "update and draw"
        times = []
        for _ in range(FRAMES):
            start = thread_time()
            if not is_frame:
                playing.go_on()
                if name == "History.rewind(1)":
                    playing.game._history.record()
                start = thread_time()
            step()
            times.append((thread_time() - start) * 1000)
        playing.game.close()
    return {"median": median(times), "worst": max(times)}


def run(name: str, repeat: int) -> dict[str, float]:
    """Measure in fresh processes: what pickle leaves behind slows whatever comes after it."""
    command = [sys.executable, "-m", __spec__.name, "--arm", name]
    quiet = {**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    done = [
        json.loads(subprocess.check_output(command, cwd=ROOT, env=quiet))
        for _ in range(repeat)
    ]
    return {key: median(each[key] for each in done) for key in done[0]}


def figures(only: str, repeat: int) -> Iterator[Figure]:
    for name, (_, bar, peer) in STEPS.items():
        if only in name:
            found = run(name, repeat)
            theirs = None if peer is None else run(peer, repeat)["median"]
            yield Figure(name, found["median"], found["worst"], bar, theirs)


def shown(figure: Figure) -> str:
    numbers = (figure.median, figure.worst, figure.bar, figure.pickle, figure.ratio)
    cells = ["" if each is None else f"{each:.3g}" for each in numbers]
    verdict = "" if figure.holds else "  above the bar"
    return f"{figure.step:24}" + "".join(f"{cell:>10}" for cell in cells) + verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--only", default="", help="steps with this in their names")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the results here, too")
    parser.add_argument("--arm", choices=[*STEPS, *PICKLE], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.arm:
        print(json.dumps(measure(options.arm)))
        return
    print(f"{LEVEL}, CPython {platform.python_version()}, ms of processor time")
    heads = ("median", "worst", "bar", "pickle", "ratio")
    print(f"{'step':24}" + "".join(f"{head:>10}" for head in heads), flush=True)
    found = []
    for figure in figures(options.only, options.repeat):
        found.append({**figure._asdict(), "ratio": figure.ratio, "holds": figure.holds})
        print(shown(figure), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
