"""`savegen release`: copy the lock of a version that ships."""

from __future__ import annotations

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli._lock_file import LOCK_FILE, config_for_lock, read_lock
from savegen.cli._other_locks import PREFAB_INFO
from savegen.cli._session import Session
from savegen.build.config import Config
from savegen.findings import SavegenError


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=option.folders)
@click.option(
    "--force", is_flag=True, help="Replace the files that are already in DIR."
)
@option.hidden_all_findings
@option.common
@click.pass_obj
def command(console: Console, folder: str, force: bool) -> int:
    """Copy savegen.lock to DIR when you ship a version.

    `savegen breaking --against DIR` then checks later changes against this version.
    `savegen lock reset` refuses to run while the project contains such a copy.

    If the game has prefabs, savegen also copies prefab_info.json, which lists the parameters
    that levels can set. DIR must be inside the project. Commit it.

    \b
    Example: savegen release releases/1.0
    """
    root = console.root(LOCK_FILE)
    with disk.BuildLock(root, "savegen release"):
        config = config_for_lock(console, root)
        if config is None or not disk.exists(disk.join(root, LOCK_FILE)):
            raise SavegenError(f"there is no {LOCK_FILE} yet: run `savegen build`")
        path = _path_in_project(config, folder)
        if not _is_up_to_date(console, config):
            return 1
        return _copy(console, config, path, force)


def _path_in_project(config: Config, folder: str) -> str:
    """Return the path of a folder inside the project. Raises `SavegenError` if outside."""
    path = disk.relative(disk.resolve(folder), disk.resolve(config.root))
    if path == "." or path == ".." or path.startswith("../"):
        raise SavegenError(f"{folder} must be a separate folder inside the project")
    if f"{path}/".startswith(f"{config.output}/"):
        raise SavegenError(
            f"{folder} is inside the output folder: choose another folder"
        )
    if disk.is_skipped(path):
        raise SavegenError(f"savegen does not look in {folder}: choose another folder")
    return path


def _is_up_to_date(console: Console, config: Config) -> bool:
    session = Session(config)
    generated = session.generate()
    if session.report.failed or not session.add_prefabs(generated):
        console.findings(session.findings, session.project)
        return False
    if generated.lock == read_lock(config.root):
        return True
    fix_command = console.fix_command(command="build")
    console.error(f"{LOCK_FILE} is not up to date: run `{fix_command}` first")
    return False


def _copy(console: Console, config: Config, folder: str, force: bool) -> int:
    from savegen.build.write import rewrite

    released = read_lock(config.root).released(config.save_version)
    new = {f"{folder}/{LOCK_FILE}": released.encode()}
    info = _content(config, f"{config.output}/{PREFAB_INFO}")
    if info is not None:
        new[f"{folder}/{PREFAB_INFO}"] = info
    old = {path: _content(config, path) for path in new}
    changes = {p: (old[p], new[p]) for p in new if old[p] != new[p]}
    lock = f"{folder}/{LOCK_FILE}"
    if lock in changes and old[lock] is not None and not force:
        raise SavegenError(
            f"{console.path(config.root, lock)} already exists and differs:"
            " choose another folder, or replace it with --force"
        )
    rewrite(config.root, changes)
    for path in changes:
        console.status(f"wrote {console.path(config.root, path)}")
    if not changes:
        console.status("up to date")
    return 0


def _content(config: Config, path: str) -> bytes | None:
    place = disk.join(config.root, path)
    return disk.read(place) if disk.exists(place) else None
