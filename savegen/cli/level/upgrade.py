"""`savegen level upgrade`: convert level.lvl to the current format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._formatting import unified_diff
from savegen.cli.level._level import (
    ReadLevel,
    print_findings,
    read_levels,
    replace_file,
)

if TYPE_CHECKING:
    from savegen.levels.rules import SchemaRules


@click.command()
@option.levels
@option.diff
@option.schema
@option.all_findings
@option.common
@click.pass_obj
def command(
    console: Console, levels: tuple[str, ...], diff: bool, schema: str | None
) -> int:
    """Convert the level.lvl of LEVELS to the current file format.

    In the new format, each entry is listed under its colour, and renamed prefabs and parameters
    have their new names. The level stays the same: before savegen replaces the file, it verifies
    that every object keeps its place and its identity in saves.
    """
    read, rules = read_levels(console, levels, schema)
    if print_findings(console, read):
        return 1
    upgrades = [(level, _upgraded(level, rules)) for level in read]
    changed = [(lvl, new) for lvl, new in upgrades if new != lvl.folder.description]
    for level, new in changed:
        _write(console, level, new, diff)
    if not changed:
        console.status("up to date")
    elif diff:
        console.note(f"run `{_command_without_diff(levels, schema)}` to write this")
    return int(diff and bool(changed))


def _command_without_diff(levels: tuple[str, ...], schema: str | None) -> str:
    import shlex

    option = ("--schema", schema) if schema else ()
    return shlex.join(("savegen", "level", "upgrade", *option, *levels))


def _upgraded(level: ReadLevel, rules: SchemaRules) -> bytes:
    from savegen.levels.comparing import is_same
    from savegen.levels.layout import layout_of
    from savegen.levels.writing import upgraded

    folder, layout = level.folder, level.layout
    assert folder.description is not None and layout is not None
    new = upgraded(folder.description, rules)
    again, findings = layout_of(replace(folder, description=new), rules)
    messages = [finding.message for finding in findings]
    assert again is not None and is_same(layout, again), messages
    return new


def _write(console: Console, level: ReadLevel, new: bytes, diff: bool) -> None:
    from savegen.levels.reader import DESCRIPTION

    path, old = level.folder.path_of(DESCRIPTION), level.folder.description
    assert old is not None
    if diff:
        console.print(unified_diff(path, old, new))
        return
    replace_file(path, old, new)
    console.status(f"wrote {path}")
