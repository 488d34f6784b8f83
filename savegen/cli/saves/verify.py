"""`savegen saves verify`: check saves for damage."""

from __future__ import annotations

from typing import NamedTuple

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import print_json
from savegen.build.source import ProgressReporter

_MOST = 5  # faults printed for one save


class _Checked(NamedTuple):
    faults: list[str]
    notes: list[str]  # the unread rest of a journal that a crash cut short


@click.command()
@click.argument("paths", nargs=-1, required=True, shell_complete=option.files)
@click.option(
    "--game", is_flag=True, help="Also load each save into the classes of the game."
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
    loads each undamaged save.

    The exit code is 1 if a save is damaged or, with --game, cannot be loaded.
    """
    from savegen.saves.opening import files_of

    every = [path for given in paths for path in files_of(given)]
    saves = ProgressReporter()
    with console.watching(saves):
        reading = saves.with_progress("reading", every)
        checked = {path: _checked(path) for path in reading}
    found = {path: each.faults for path, each in checked.items()}
    unloadable: dict[str, str] = {}
    if game:
        from savegen.cli.saves._in_game import load_faults

        undamaged = [path for path, faults in found.items() if not faults]
        unloadable = load_faults(console, undamaged, seconds)
        for path, fault in unloadable.items():
            found[path].append(fault)
    for path, each in checked.items():
        for note in each.notes:
            console.note(f"{path}: {note}")
    if form == "json":
        print_json(console, found)
    else:
        _print(console, found, unloadable)
    return int(any(found.values()))


def _checked(path: str) -> _Checked:
    from savegen.runtime.errors import SaveError
    from savegen.saves.consistency import faults
    from savegen.saves.opening import open_file

    found = _Checked([], [])
    try:
        save = open_file(path)
        found.faults.extend(filter(None, [save.fault]))
        found.notes.extend(note for note in save.notes if note != save.fault)
        found.faults.extend(faults(save.body, save.guard))
    except SaveError as error:
        found.faults.append(str(error))
    return found


def _print(
    console: Console, found: dict[str, list[str]], unloadable: dict[str, str]
) -> None:
    for path, faults in found.items():
        if not faults:
            console.print_styled(("ok       ", "help"), (path, ""))
        label = "unloadable  " if path in unloadable else "damaged  "
        for fault in faults[:_MOST]:
            console.print_styled((label, "error"), (f"{path}: {fault}", ""))
        if len(faults) > _MOST:
            console.note(f"{path}: {len(faults) - _MOST} more faults")
    damaged = sum(map(bool, found.values())) - len(unloadable)
    plural = "s" if len(found) != 1 else ""
    rest = f", {len(unloadable)} cannot be loaded" if unloadable else ""
    console.note(f"{len(found)} save{plural}, {damaged or 'none'} damaged{rest}")
