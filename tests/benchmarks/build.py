"""How long savegen takes to build, beside what it cannot be faster than, in the same run.

    python -m tests.benchmarks.build [--sizes 100,1000,10000] [--repeat 5] [--json FILE]

Savegen and its peer run in turn, each in a process of its own; a ratio is the median of the
ratios of neighbours, by processor time, which other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks import game

SEED = 1
SAVEGEN = [sys.executable, "-m", "savegen"]
PARSE = """
import sys, libcst
for line in open(sys.argv[1]):
    with open(line.rstrip(), encoding="utf-8") as file:
        libcst.parse_module(file.read())
"""


class Run(NamedTuple):
    """What one process took."""

    cpu: float  # seconds of the processor
    wall: float  # seconds
    peak: float  # MB


class Row(NamedTuple):
    """One line of the table."""

    step: str
    savegen: Run
    peer: Run | None
    ratio: float
    bar: float
    unit: str = "×"

    @property
    def holds(self) -> bool:
        return self.ratio <= self.bar


class Project:
    """A generated game in a folder of its own."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.count = count
        for path, text in game.files(count, SEED):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        marked = [str(folder / game.marked_path(place)) for place in range(count)]
        (folder / "marked.txt").write_text("\n".join(marked))

    def run(self, command: str = "components") -> Run:
        return run([*SAVEGEN, command], self.folder)

    def parse(self) -> Run:
        return run([sys.executable, "-c", PARSE, "marked.txt"], self.folder)

    def forget(self) -> None:
        """Make the next build a first one."""
        for name in (".savegen_cache", "game/_savegen"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / "savegen.lock").unlink(missing_ok=True)

    def edit(self, change: Callable[[str], str]) -> None:
        """Change the source of one marked file."""
        path = self.folder / game.marked_path(self.count // 2)
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def run(command: list[str], folder: Path) -> Run:
    """Run a command to its end. Raises `RuntimeError` if it fails."""
    # A bytecode cache is what users have, so a setting against it does not count here.
    environment = {
        k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
    }
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    before = os.times().elapsed
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=output
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"{command} failed:\n{output.read().decode()[-2000:]}")
    wall = os.times().elapsed - before
    return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def compare(
    step: str,
    bar: float,
    savegen: Callable[[], Run],
    peer: Callable[[], Run],
    repeat: int,
) -> Row:
    """Run both in turn and return the median of their ratios."""
    pairs = [(savegen(), peer()) for _ in range(repeat)]
    ratio = median(mine.cpu / theirs.cpu for mine, theirs in pairs)
    mine, theirs = (_median(list(runs)) for runs in zip(*pairs, strict=True))
    return Row(step, mine, theirs, ratio, bar)


def _median(runs: list[Run]) -> Run:
    return Run(*(median(values) for values in zip(*runs, strict=True)))


def rows(sizes: list[int], repeat: int) -> Iterator[Row]:
    """Measure everything, one row after the other."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder), size)
            yield from _cold(project, repeat if size <= 1000 else 2)
            if size == 1000:
                yield from _warm(project, repeat)


def _cold(project: Project, repeat: int) -> Iterator[Row]:
    def first() -> Run:
        project.forget()
        return project.run()

    first()  # compiles what there is to compile
    row = compare(
        f"cold, {project.count:,} marked files", 1.7, first, project.parse, repeat
    )
    yield row
    if project.count == 10_000:
        yield Row(
            "peak memory, 10,000 marked files",
            row.savegen,
            None,
            row.savegen.peak,
            300,
            "MB",
        )


def _warm(project: Project, repeat: int) -> Iterator[Row]:
    def importing(modules: str) -> Callable[[], Run]:
        return lambda: run([sys.executable, "-c", f"import {modules}"], project.folder)

    def after(change: Callable[[str], str], command: str) -> Callable[[], Run]:
        def edit_and_run() -> Run:
            project.edit(change)
            return project.run(command)

        return edit_and_run

    repeat *= 3  # these are short
    project.run()
    yield compare(
        "nothing changed of 1,000", 1.6, project.run, importing("click"), repeat
    )
    tools = importing("click, libcst, jinja2")
    for step, change in EDITS.items():
        bar = 1.8 if "field" in step else 1.4
        run_after = after(change, "components")
        yield compare(f"{step}, 1 of 1,000", bar, run_after, tools, repeat)
        if "field" not in step:
            run_after = after(change, "build")
            yield compare(f"{step}, `build`", bar, run_after, tools, repeat)


_numbers = iter(range(1_000_000))
EDITS: dict[str, Callable[[str], str]] = {
    "a comment changed": lambda text: text + f"# {next(_numbers)}\n",
    "a method changed": lambda text: (
        text.replace(" -> ", f"  -> ", 1)
        if next(_numbers) % 2
        else text.replace("  -> ", " -> ", 1)
    ),
    "a field added": lambda text: text.replace(
        "\n    def ", f"\n    extra_{next(_numbers)}: Saved[int] = 1\n\n    def ", 1
    ),
}


def table(found: list[Row]) -> str:
    """Return the rows as people read them."""
    lines = [f"{'step':36} {'savegen':>9} {'peer':>9} {'ratio':>9} {'bar':>7}"]
    for row in found:
        peer = f"{row.peer.cpu:8.2f}s" if row.peer else " " * 9
        ratio, bar = f"{row.ratio:.2f} {row.unit}", f"{row.bar:g} {row.unit}"
        verdict = "" if row.holds else "   over the bar"
        lines.append(
            f"{row.step:36} {row.savegen.cpu:8.2f}s {peer} {ratio:>9} {bar:>7}{verdict}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure savegen's builds.")
    parser.add_argument("--sizes", default="100,1000,10000", help="marked files")
    parser.add_argument(
        "--repeat", type=int, default=5, help="pairs of runs for a step"
    )
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    print(f"Python {platform.python_version()}, seed {SEED}, processor time")
    found = []
    for row in rows(sizes, options.repeat):
        found.append(row)
        print(f"  measured: {row.step}", file=sys.stderr)
    print(table(found))
    if options.json:
        figures = [{**row._asdict(), "holds": row.holds} for row in found]
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
