"""`savegen clean`: remove the generated files and the cache."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.build import cache, memory
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.config import Config
    from savegen.build.write import Change

_REMEMBERED = (*cache.FILES, *memory.FILES)
# Removed if nothing else is left. The lock is last, because it is held until then.
_FRAME = (disk.IGNORE, disk.BUILD_LOCK)


@click.command()
@option.paths
@option.common
@click.pass_obj
def command(console: Console, paths: tuple[str, ...]) -> int:
    """Remove the generated files and the cache.

    savegen never removes savegen.lock or a file that you wrote. `savegen build` writes the
    same files again, because savegen.lock keeps the numbers.

    If the project has no [tool.savegen] in pyproject.toml, name the files of the game as
    PATHS. In a project with [tool.savegen], savegen removes all generated files and does
    not accept PATHS.
    """
    config = _config(console, paths)
    place = disk.join(config.root, disk.CACHE)
    had_cache = disk.exists(place)
    with disk.BuildLock(config.root, "savegen clean"):
        changes = _remove_outputs(config)
        kept = _clear(place)
    for change in changes:
        console.status(f"removed {console.path(config.root, change.path)}")
    if kept:
        shown = console.path(config.root, disk.CACHE)
        console.note(f"{shown} stays: it holds generated files that you edited by hand")
    elif had_cache:
        console.status(f"removed {console.path(config.root, disk.CACHE)}")
    _sum_up(console, paths, changes, had_cache and not kept)
    return 0


def _config(console: Console, paths: tuple[str, ...]) -> Config:
    if paths and console.settings(paths):
        raise SavegenError(
            "a project with a pyproject.toml takes no PATHS here: all its generated files"
            " are removed; run `savegen clean` without them"
        )
    return console.config(paths)


def _remove_outputs(config: Config) -> list[Change]:
    """Remove the generated files; copies of hand-edited ones stay in the cache."""
    from savegen.build import write

    known = cache.load(config.root, "").outputs
    remembered = {path: digest for path, (_, digest) in known.items() if digest}
    plan = write.plan(config.root, config.output, {}, remembered)
    mine = [step for step in plan.steps if not step.path.endswith(".lock")]
    return write.apply(plan._replace(steps=tuple(mine)))


def _clear(place: str) -> bool:
    """Empty the cache; return whether files of the user are left in it."""
    for name in _REMEMBERED:
        with suppress(FileNotFoundError):
            disk.remove(disk.join(place, name))
    if disk.names_in(place) - {*_FRAME}:
        return True
    for name in _FRAME:
        with suppress(FileNotFoundError, PermissionError):  # Windows keeps open files
            disk.remove(disk.join(place, name))
    with suppress(OSError):  # another process is waiting in it
        disk.remove_folder(place)
    return False


def _sum_up(
    console: Console, paths: tuple[str, ...], changes: list[Change], cleared: bool
) -> None:
    from savegen.cli.components import summary

    if changes:
        console.status(summary(changes))
        console.note(
            f"run `{console.fix_command(paths, verb='build')}` to write them again"
        )
    elif not cleared:
        console.status("nothing to remove")
