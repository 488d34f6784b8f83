"""`savegen saves migrate`: run the game's migrations on a save."""

from __future__ import annotations

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import opened, reporting_save_errors
from savegen.findings import SavegenError


@click.command()
@option.save
@click.option(
    "-o",
    "target",
    metavar="FILE",
    shell_complete=option.files,
    help="The file to write. Default: beside the save; 3.sav becomes 3.migrated.sav.",
)
@option.timeout
@option.common
@click.pass_obj
def command(console: Console, save: str, target: str | None, seconds: int) -> int:
    """Run the game's migrations on SAVE and write the result to a new file.

    SAVE is a save file or a slot; given a slot, savegen reads its newest undamaged save. The
    game's Python (`python` in [tool.savegen], or else the Python that runs savegen) runs the
    `@migration` functions, up to the current save version. SAVE does not change, and savegen
    does not overwrite any file.

    Only migrations run: converters, defaults and renames apply when the game loads the save.
    The game also migrates old saves by itself when it loads them. Use this command to look at
    what your migrations do.
    """
    from savegen.cli.saves._in_game import migrated
    from savegen.saves.opening import open_file

    content = opened(console, save)
    save, before = content.path, content.body.world.save_version
    if content.records:
        name = save.rpartition("/")[2]
        console.note(f"the changes in the journal of {name} are not migrated")
    new = target or f"{save.removesuffix('.sav')}.migrated.sav"
    if disk.exists(new):
        raise SavegenError(f"{new} already exists: choose another file with -o")
    with reporting_save_errors(console):
        if fault := migrated(console, save, new, seconds):
            console.error(f"{save}: {fault}")
            return 1
        after = open_file(new).body.world.save_version
    console.status(f"wrote {new}, version {before} to {after}")
    return 0
