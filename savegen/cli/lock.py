"""`savegen lock`: show, retire or reset the stable numbers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli._other_locks import released_locks
from savegen.cli._lock_file import LOCK_FILE, config_for_lock, read_lock
from savegen.cli.show import complete_name
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from savegen.build.config import Config
    from savegen.build.lock import Lock
    from savegen.build.lock.file import Category, LockedClass, LockedField
    from savegen.build.model import Model


@click.group()
def command() -> None:
    """Show, retire or reset the stable numbers that saves use for classes and fields.

    savegen.lock keeps a stable number for each class, field, prefab and part, and the names of
    enum members. Old saves refer to them, so commit the file.

    If you rename something, mark it with `was=...`: it keeps its number. If you remove it for
    good, retire it.

    savegen uses the savegen.lock of the project with [tool.savegen] in pyproject.toml. Without
    such a project, it uses the savegen.lock in the current folder or in the closest folder above
    it.
    """


@command.command(short_help="List the numbers in savegen.lock.")
@click.argument("name", required=False, shell_complete=complete_name)
@option.common
@click.pass_obj
def show(console: Console, name: str | None) -> int:
    """List the numbers in savegen.lock: all of them, or those of NAME.

    NAME is a class (`Enemy`), a field (`Enemy.mana`), a prefab (`Turret`), a part (`Turret.gun`),
    a record or an enum member (`Mood.ANGRY`). With a class, prefab or record, its fields or parts
    are listed too.
    """
    lock = read_lock(console.root(LOCK_FILE))
    rows = [row for row in _rows(lock) if name is None or _is_or_is_in(row[0], name)]
    if name is not None and not rows:
        raise SavegenError(
            f"{LOCK_FILE} has no class, prefab, record, field, part or enum member {name!r}"
        )
    widths = [max(len(row[i]) for row in rows) for i in range(4)] if rows else []
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        console.print("  ".join(cells).rstrip())
    return 0


_Row = tuple[str, str, str, str]


def _rows(lock: Lock) -> list[_Row]:
    from savegen.build.lock.file import CATEGORIES

    rows = [row for category in CATEGORIES for row in _of_category(lock, category)]
    for member, state in lock.members.items():
        rows.append((member, "", "enum member", "" if state == "alive" else state))
    return sorted(rows)


def _of_category(lock: Lock, category: Category) -> Iterator[_Row]:
    """Yield the rows of all classes or prefabs, with their fields or parts."""
    from savegen.build.lock.file import CLASSES, owner_of

    names = {**_unique_simple_names(lock, category), **lock.names(category)}
    noun, field_noun = "", ""
    if category is not CLASSES:
        noun, field_noun = f"{category.noun} ", f"{category.field_noun} "
    for birth, owner in lock.owners(category).items():
        full_name = noun + owner.location.replace(":", ".")
        yield names.get(birth, birth), str(owner.number), full_name, _state(owner)
    for entry in lock.fields_of(category).values():
        birth = owner_of(entry.birth)
        name = f"{names.get(birth, birth)}.{entry.name}"
        yield name, str(entry.number), field_noun + entry.kind, _state(entry)


def _unique_simple_names(lock: Lock, category: Category) -> dict[str, str]:
    """Return the simple names that only one entry has, by birth name; also of retired ones."""
    owners = lock.owners(category).values()
    counts = Counter(owner.simple_name for owner in owners)
    return {o.birth: o.simple_name for o in owners if counts[o.simple_name] == 1}


def _state(entry: LockedClass | LockedField) -> str:
    return "" if entry.state == "alive" else entry.state


def _is_or_is_in(row_name: str, name: str) -> bool:
    return row_name == name or row_name.startswith(f"{name}.")


@command.command(short_help="Mark names as no longer used.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_name)
@option.common
@click.pass_obj
def retire(console: Console, names: tuple[str, ...]) -> int:
    """Mark NAMES as no longer used.

    NAMES are declarations that you deleted from the code: classes (`Enemy`), fields (`Enemy.mana`),
    enum members (`Mood.ANGRY`), prefabs (`Turret`) or parts (`Turret.gun`). savegen never
    reuses their numbers. When the game loads an old save, it drops their data. But it cannot
    load a save that contains a retired enum member, unless a migration replaces the member.

    To undo this, restore the earlier savegen.lock from git.

    \b
    Example: savegen lock retire Enemy.mana Turret.gun
    """
    from savegen.build.lock.retire import retire as lock_with_retired
    from savegen.build.write import rewrite

    root = console.root(LOCK_FILE)
    with disk.BuildLock(root, "savegen lock retire"):
        lock = read_lock(root)
        config = config_for_lock(console, root)
        model = _model(config)
        for name in names:
            lock = lock_with_retired(lock, name, model)
        before = disk.read(disk.join(root, LOCK_FILE))
        rewrite(root, {LOCK_FILE: (before, lock.text().encode())})
    for name in names:
        console.print(f"retired {name}")
    sources = config.source if config and config.is_bare else ()
    paths = [console.path(root, path) for path in sources]
    console.note(f"next: run `{console.fix_command(paths, command='build')}`")
    return 0


def _model(config: Config | None) -> Model:
    """Return the model of the current source; an empty one without a configuration."""
    from savegen.cli._session import Session
    from savegen.build.model import Model

    return Session(config).generate().model if config else Model(())


@command.command(short_help="Delete all numbers and assign new ones.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@option.hidden_all_findings
@option.common
@click.pass_obj
def reset(console: Console, yes: bool) -> int:
    """Delete all numbers in savegen.lock and assign new ones.

    Afterwards, the game cannot load any earlier save. savegen asks for confirmation first. If
    the project contains a savegen.lock that `savegen release` copied, the command refuses to run.
    """
    root = console.root(LOCK_FILE)
    _refuse_if_released(console, root)
    if not (yes or _is_confirmed()):
        console.note("nothing was changed")
        return 1
    with disk.BuildLock(root, "savegen lock reset"):
        config = config_for_lock(console, root)
        if config is None:
            raise SavegenError(
                f"pyproject.toml has no [tool.savegen], and no file of a class in {LOCK_FILE}"
                " exists: restore the files, or run `savegen init` first"
            )
        return _renumber(console, config)


def _refuse_if_released(console: Console, root: str) -> None:
    if released := released_locks(root):
        paths = ", ".join(console.path(root, path) for path in released)
        raise SavegenError(
            f"a release was made with the numbers in {paths}; a reset breaks its saves."
            f" If they do not matter, delete {paths} first"
        )


def _is_confirmed() -> bool:
    import sys

    if sys.stdin is None or not sys.stdin.isatty():
        raise SavegenError(
            "a reset needs a confirmation, but there is no terminal to ask in: add --yes"
        )
    question = "delete all numbers and assign new ones? no earlier save can be loaded afterwards"
    return click.confirm(question, err=True)


def _renumber(console: Console, config: Config) -> int:
    from savegen.cli._session import Session
    from savegen.cli._results import report_written

    session = Session(config, use_cache=False)
    generated = session.generate(ignore_lock=True)
    if not session.report.failed:
        session.add_prefabs(generated)
    console.findings(session.findings, session.project)
    if session.failed:
        return 1
    report_written(console, session, session.apply(session.plan(generated, passes=2)))
    return 0
