"""`savegen clean`: remove the generated files and the cache."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.build import cache, memory
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._results import summary
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.build.config import Config
    from savegen.build.write import FileChange

_CACHE_FILES = (*cache.FILES, *memory.FILES)
# Removed if no other file is left. The lock is last, because this command holds it.
_LAST_FILES = (disk.IGNORE, disk.BUILD_LOCK)


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
    cache_folder = disk.join(config.root, disk.CACHE)
    had_cache = disk.exists(cache_folder)
    with disk.BuildLock(config.root, "savegen clean"):
        changes = _remove_outputs(config)
        has_user_files = _clear(cache_folder)
    for change in changes:
        console.status(f"removed {console.path(config.root, change.path)}")
    shown_folder = console.path(config.root, disk.CACHE)
    if has_user_files:
        console.note(
            f"{shown_folder} stays: it holds generated files that you edited by hand"
        )
    elif had_cache:
        console.status(f"removed {shown_folder}")
    if changes:
        console.status(summary(changes))
        fix_command = console.fix_command(paths, command="build")
        console.note(f"run `{fix_command}` to write them again")
    elif has_user_files or not had_cache:
        console.status("nothing to remove")
    return 0


def _config(console: Console, paths: tuple[str, ...]) -> Config:
    if paths and console.config_or_none(paths):
        raise SavegenError(
            "`savegen clean` takes no PATHS in a project with [tool.savegen], because it"
            " removes all its generated files; run it without PATHS"
        )
    return console.config(paths)


def _remove_outputs(config: Config) -> list[FileChange]:
    """Remove the generated files, but first copy those edited by hand into the cache folder."""
    from savegen.build import write

    outputs = cache.load(config.root, "").outputs
    digests = {path: digest for path, (_, digest) in outputs.items() if digest}
    plan = write.plan(config.root, config.output, {}, digests)
    steps = tuple(s for s in plan.steps if not s.path.endswith(".lock"))
    return write.apply(plan._replace(steps=steps))


def _clear(folder: str) -> bool:
    """Empty the cache folder; return whether files of the user are left in it."""
    for name in _CACHE_FILES:
        with suppress(FileNotFoundError):
            disk.remove(disk.join(folder, name))
    if disk.names_in(folder) - {*_LAST_FILES}:
        return True
    for name in _LAST_FILES:
        with suppress(FileNotFoundError, PermissionError):  # Windows keeps open files
            disk.remove(disk.join(folder, name))
    with suppress(OSError):  # another process is waiting in it
        disk.remove_folder(folder)
    return False
