"""`savegen saves list`: list the slots of a folder with their newest saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._formatting import duration, file_size, local_time, print_table
from savegen.cli.saves._printing import json_text, reporting_save_errors
from savegen.findings import SavegenError

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
    reads and checks only the headers of the saves. The exit code is 1 if a slot has no undamaged
    save.

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
        infos = SaveSlots(folder).list(verify=verify)
    if form == "json":
        console.print(json_text([*map(_data, infos)]))
    elif not infos:
        console.note(f"there is no save in {folder}")
    else:
        print_table(console, _HEADS, [*map(_row, infos)])
        for note in (
            n for info in infos for n in info.notes or filter(None, [info.fault])
        ):
            console.note(f"skipped: {note}")
    return int(any(info.fault for info in infos))


def _row(info: SaveInfo) -> tuple[str, ...]:
    metadata = info.metadata
    return (
        info.slot,
        metadata.title,
        local_time(metadata.time),
        duration(metadata.playtime) if metadata.playtime else "",
        metadata.game_version,
        metadata.level or "",
        file_size(info.size),
        str(len(info.generations)),
        ", ".join(_warnings(info)),
    )


def _warnings(info: SaveInfo) -> list[str]:
    warnings = {
        "damaged": bool(info.fault),
        "newer saves damaged": not info.is_newest and not info.fault,
        "diverged": info.diverged,
    }
    return [text for text, applies in warnings.items() if applies]


def _data(info: SaveInfo) -> dict[str, Any]:
    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(info)
    return data | {"bytes": data.pop("size"), "fault": info.fault or None}
