"""`savegen lock`: the numbers that old saves rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.cli import Console, common
from savegen.cli._session import LOCK_FILE, config_by, read_lock
from savegen.report import SavegenError

if TYPE_CHECKING:
    from savegen.config import Config
    from savegen.lock import Lock
    from savegen.model import Model


@click.group(short_help="Show or retire stable numbers.")
def command() -> None:
    """Show the numbers that old saves rely on, or retire what will not come back.

    Without a pyproject.toml that has [tool.savegen], the lock is the nearest savegen.lock
    from the working folder upwards.
    """


@command.command()
@click.argument("name", required=False)
@common
@click.pass_obj
def show(console: Console, name: str | None) -> int:
    """List what savegen.lock knows, of everything or of the class NAME."""
    lock = read_lock(console.root(LOCK_FILE))
    rows = [row for row in _rows(lock) if name is None or _is_of(row[0], name)]
    if name is not None and not rows:
        raise SavegenError(f"{LOCK_FILE} knows no class {name!r}")
    widths = [max(len(row[i]) for row in rows) for i in range(4)] if rows else []
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        console.say("  ".join(cells).rstrip())
    return 0


def _rows(lock: Lock) -> list[tuple[str, str, str, str]]:
    called = lock.names()
    rows = [
        (
            called.get(entry.birth, entry.birth),
            str(entry.number),
            entry.home.replace(":", "."),
            _gone(entry.state),
        )
        for entry in lock.classes.values()
    ]
    for entry in lock.fields.values():
        birth = entry.birth.rpartition(".")[0]
        owner = called.get(birth, birth)
        row = (
            f"{owner}.{entry.name}",
            str(entry.number),
            entry.kind,
            _gone(entry.state),
        )
        rows.append(row)
    rows += [
        (member, "", "enum member", _gone(s)) for member, s in lock.members.items()
    ]
    return sorted(rows)


def _gone(state: str) -> str:
    return "" if state in ("class", "field", "member") else state


def _is_of(shown: str, name: str) -> bool:
    return shown == name or shown.startswith(f"{name}.")


@command.command()
@click.argument("names", nargs=-1, required=True)
@common
@click.pass_obj
def retire(console: Console, names: tuple[str, ...]) -> int:
    """Say that NAMES will not come back: `Enemy`, `Enemy.mana`, `Mood.ANGRY`.

    Their numbers are never used again, and what old saves hold under them is dropped.
    """
    from savegen.lock import LockError
    from savegen.lock.retire import retire as retired
    from savegen.write import rewrite

    root = console.root(LOCK_FILE)
    with disk.Lock(root, "savegen lock retire"):
        lock = read_lock(root)
        model = _model(console.settings() or config_by(root, lock))
        try:
            for name in names:
                lock = retired(lock, name, model)
        except LockError as error:
            raise SavegenError(str(error)) from None
        before = disk.read(disk.join(root, LOCK_FILE))
        rewrite(root, {LOCK_FILE: (before, lock.text().encode())})
    for name in names:
        console.say(f"retired {name}")
    return 0


def _model(config: Config | None) -> Model:
    """Return what is in the source now; nothing where there is none."""
    from savegen.cli._session import Session
    from savegen.model import Model

    return Session(config).generate().model if config else Model(())
