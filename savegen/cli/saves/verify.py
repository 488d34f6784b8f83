"""`savegen saves verify`: check saves for damage."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import json_text
from savegen.build.source import ProgressReporter

_MAX_FAULTS = 5  # printed for one save
_HOOK = 4  # the exit code if saves fit, but a hook of the game raised


class _Result(NamedTuple):
    faults: list[str]
    notes: list[str]  # about the end of a journal that a crash has cut short
    is_newer: bool = (
        False  # it needs a newer savegen, or an extra that is not installed
    )


@click.command()
@click.argument("paths", nargs=-1, required=True, shell_complete=option.files)
@click.option(
    "--game", is_flag=True, help="Also load each save into a new world of the game."
)
@option.timeout
@option.text_or_json
@option.common
@click.pass_obj
def command(
    console: Console, paths: tuple[str, ...], game: bool, seconds: int, form: str
) -> int:
    """Check saves for damage. PATHS are save files, slots, or folders of slots.

    savegen reads each save and its journal completely, compares the checksums, and checks that
    the content is consistent.

    With --game, savegen also starts the game's Python (`python` in [tool.savegen], or else the
    Python that runs savegen). It imports the game's modules, runs the game's migrations, and
    loads each undamaged save into a new world, with its level and its hooks. `world` in
    [tool.savegen] names the function that makes the world; without it, the world has no levels.

    The exit code is 1 if a save is damaged or cannot be loaded, and 4 if only a hook of the game
    raised.
    """
    from savegen.saves.opening import files_of

    files, unlisted = list[str](), dict[str, str]()
    for path in paths:
        found, faulty = files_of(path)
        files += found
        unlisted |= faulty
    saves = ProgressReporter()
    with console.watching(saves):
        results = {file: _check(file) for file in saves.with_progress("reading", files)}
    results |= {folder: _Result([fault], []) for folder, fault in unlisted.items()}
    faults = {file: result.faults for file, result in results.items()}
    newer = (file for file, result in results.items() if result.is_newer)
    unloadable, hooks = {*newer}, frozenset[str]()
    if game:
        from savegen.cli.saves._in_game import load_faults

        undamaged = [file for file in faults if not faults[file]]
        by_game, hooks = load_faults(console, undamaged, seconds)
        for file, fault in by_game.items():
            faults[file].append(fault)
        unloadable.update(by_game)
    for file, result in results.items():
        for note in result.notes:
            console.note(f"{file}: {note}")
    if form == "json":
        console.print(json_text(faults))
    else:
        _print(console, faults, unloadable, hooks)
    if any(faults[file] for file in faults if file not in hooks):
        return 1
    return _HOOK if hooks else 0


def _check(path: str) -> _Result:
    from savegen.runtime.errors import SaveError, SaveVersionError
    from savegen.saves.consistency import faults
    from savegen.saves.file import read_header, thumbnail_fault
    from savegen.saves.opening import open_file
    from savegen.saves.stores.durable import system_message

    result = _Result([], [])
    try:
        save = open_file(path)
        thumbnail = thumbnail_fault(save.data, read_header(save.data))
        result.faults.extend(filter(None, [save.fault, thumbnail]))
        result.notes.extend(note for note in save.notes if note not in result.faults)
        result.faults.extend(faults(save.body, save.guard))
    except SaveVersionError as error:
        return _Result([str(error)], [], is_newer=True)
    except SaveError as error:
        result.faults.append(str(error))
    except OSError as error:
        result.faults.append(f"it cannot be read: {system_message(error)}")
    return result


def _print(
    console: Console,
    by_file: dict[str, list[str]],
    unloadable: Collection[str],
    hooks: Collection[str],
) -> None:
    for path, faults in by_file.items():
        if not faults:
            console.print_styled(("ok       ", "help"), (path, ""))
        label = "unloadable  " if path in unloadable else "damaged  "
        label = "hook     " if path in hooks else label
        for fault in faults[:_MAX_FAULTS]:
            console.print_styled((label, "error"), (f"{path}: {fault}", ""))
        if len(faults) > _MAX_FAULTS:
            console.note(f"{path}: {len(faults) - _MAX_FAULTS} more faults")
    damaged = sum(map(bool, by_file.values())) - len(unloadable)
    summary = f"{len(by_file)} save{'s' if len(by_file) != 1 else ''}"
    summary += f", {damaged or 'none'} damaged"
    if refused := len(unloadable) - len(hooks):
        summary += f", {refused} cannot be loaded"
    if hooks:
        summary += f", {len(hooks)} with a hook that raised"
    console.note(summary)
