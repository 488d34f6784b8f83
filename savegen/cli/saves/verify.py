"""`savegen saves verify`: whether saves are whole, and would load."""

from __future__ import annotations

from collections.abc import Iterator

import click

from savegen.cli import Console, common, files
from savegen.cli._timeout import timeout
from savegen.cli.saves._options import json_format, say_json
from savegen.source import Watchable

_MOST = 5  # faults of one save that are told


@click.command(short_help="Check saves for damage.")
@click.argument("paths", nargs=-1, required=True, shell_complete=files)
@click.option(
    "--game", is_flag=True, help="Also load each save into the classes of the game."
)
@timeout
@json_format
@common
@click.pass_obj
def command(
    console: Console, paths: tuple[str, ...], game: bool, seconds: int, form: str
) -> int:
    """Check all saves in PATHS for damage: files, slots, or folders of slots.

    savegen reads each save completely, compares the checksums, and checks that its content is
    consistent. With --game, the game's own Python also loads each save: this imports the
    game's modules and runs its migrations. The exit code is 1 if a save is broken.
    """
    from savegen.saves.opening import files_of

    every = [path for given in paths for path in files_of(given)]
    saves = Watchable()
    with console.watching(saves):
        reading = saves.watched("reading", every)
        found = {path: [*_faults(path)] for path in reading}
    if game:
        from savegen.cli.saves._game import faults_in_game

        whole = [path for path, faults in found.items() if not faults]
        for path, fault in faults_in_game(console, whole, seconds).items():
            found[path].append(fault)
    if form == "json":
        say_json(console, found)
    else:
        _say(console, found)
    return int(any(found.values()))


def _faults(path: str) -> Iterator[str]:
    from savegen.runtime.errors import SaveError
    from savegen.saves.checking import faults
    from savegen.saves.opening import opened

    try:
        yield from faults(opened(path).document)
    except SaveError as error:
        yield str(error)


def _say(console: Console, found: dict[str, list[str]]) -> None:
    for path, faults in found.items():
        if not faults:
            console.show(("ok      ", "help"), (path, ""))
        for fault in faults[:_MOST]:
            console.show(("broken  ", "error"), (f"{path}: {fault}", ""))
        if len(faults) > _MOST:
            console.note(f"{path}: {len(faults) - _MOST} more faults")
    broken = sum(map(bool, found.values()))
    plural = "s" if len(found) != 1 else ""
    console.note(f"{len(found)} save{plural}, {broken or 'none'} broken")
