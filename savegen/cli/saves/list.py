"""`savegen saves list`: list the slots of a folder with their newest saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._table import print_table
from savegen.cli.saves._printing import print_json, reporting_save_errors
from savegen.findings import SavegenError
from savegen.cli._units import duration, local_time, size

if TYPE_CHECKING:
    from savegen.saves import SaveInfo

_HEADS = ("slot", "title", "saved", "played", "version", "level", "size", "saves", "")


@click.command()
@click.argument("folder", shell_complete=option.folders)
@click.option(
    "--verify", is_flag=True, help="Read each save completely and check it for damage."
)
@option.text_or_json
@option.common
@click.pass_obj
def command(console: Console, folder: str, verify: bool, form: str) -> int:
    """List the save slots in FOLDER, each with its newest undamaged save.

    A slot is a folder with the numbered saves of one playthrough. Without --verify, savegen
    reads only the headers, and counts a save as undamaged if its header is. The exit code is 1 if
    a slot has no undamaged save.

    \b
    Example: savegen saves list saves
    """
    status = disk.status(folder)
    if status is None or status.kind != "folder":
        raise SavegenError(f"{folder} is not a folder")
    from savegen.saves import SaveSlots
    from savegen.saves.opening import is_slot

    if is_slot(folder):
        raise SavegenError(
            f"{folder} is a slot: list the folder that contains it, or use `savegen saves show`"
        )

    with reporting_save_errors(console):
        found = SaveSlots(folder).list(verify=verify)
    if form == "json":
        print_json(console, [*map(_data, found)])
    elif not found:
        console.note(f"there is no save in {folder}")
    else:
        print_table(console, _HEADS, [*map(_row, found)])
        _print_notes(console, found)
    return int(any(info.fault for info in found))


def _row(info: SaveInfo) -> tuple[str, ...]:
    about = info.metadata
    return (
        info.slot,
        about.title,
        local_time(about.time),
        duration(about.playtime) if about.playtime else "",
        about.game_version,
        about.level or "",
        size(info.size),
        str(len(info.generations)),
        ", ".join(_marks(info)),
    )


def _marks(info: SaveInfo) -> list[str]:
    marks = {
        "damaged": bool(info.fault),
        "newer saves damaged": not info.is_newest and not info.fault,
        "diverged": info.diverged,
    }
    return [mark for mark, is_so in marks.items() if is_so]


def _print_notes(console: Console, found: list[SaveInfo]) -> None:
    for info in found:
        for note in info.notes or filter(None, [info.fault]):
            console.note(f"skipped: {note}")


def _data(info: SaveInfo) -> dict[str, Any]:
    import msgspec

    about: dict[str, Any] = msgspec.to_builtins(info.metadata)
    return {
        "slot": info.slot,
        "generation": info.generation,
        "generations": [*info.generations],
        "bytes": info.size,
        "digest": info.digest,
        "is_newest": info.is_newest,
        "diverged": info.diverged,
        "fault": info.fault or None,
        "notes": [*info.notes],
        "metadata": about,
    }
