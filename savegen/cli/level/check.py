"""`savegen level check`: list errors in levels, and differences from an older version."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._formatting import print_table
from savegen.cli.level._level import (
    ReadLevel,
    counts,
    print_findings,
    read_levels,
)

if TYPE_CHECKING:
    from savegen.levels.comparing import PlacementChange
    from savegen.levels.places import ObjectPosition

_HEADS = ("", "placement", "prefab", "at", "")
_SIGNS = {"added": "+", "removed": "-"}


@click.command()
@option.levels
@click.option(
    "--against",
    metavar="OLD",
    shell_complete=option.folders,
    help="Also list the differences from the older level folder OLD.",
)
@option.schema
@option.strict
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console, levels: tuple[str, ...], against: str | None, schema: str | None
) -> int:
    """List all errors in LEVELS: in level.lvl by line, in images by pixel.

    The exit code is 1 if a level has errors: the game would not load it. With --strict, warnings
    count too.

    With --against, name only one level. savegen then also lists the objects that were added,
    removed or moved, compared with the older level folder OLD. A save identifies an object by
    its `$id` or, without one, by its layer and the pixel where it is drawn (for a tile, the
    first pixel). If its `$id` or this position changes, old saves no longer match the object.

    \b
    Examples:
      savegen level check levels/cavern
      savegen level check levels/cavern --against old/cavern
    """
    if against is not None and len(levels) > 1:
        raise click.UsageError("--against needs exactly one level")
    paths = (against, *levels) if against is not None else levels
    read, _ = read_levels(console, paths, schema)
    failed = print_findings(console, read)
    for path, level in zip(levels, read[-len(levels) :]):
        if level.layout is not None:
            console.status(f"{path}: {counts(level.layout)}")
    if against is not None:
        _print_changes(console, *read)
    return int(failed)


def _print_changes(console: Console, old: ReadLevel, new: ReadLevel) -> None:
    if old.layout is None or new.layout is None:
        return  # the errors are printed already
    from savegen.levels.comparing import placement_changes

    changes = placement_changes(old.layout, new.layout)
    if console.output_format != "text":
        for change in changes:
            console.report(" ".join(filter(None, _row(change))))
    elif changes:
        print_table(console, _HEADS, [*map(_row, changes)])
    console.report(_summary(changes))
    # Ids with two slashes are positions: the level author gave the object no `$id`.
    if any(c.kind == "removed" and c.id.count("/") >= 2 for c in changes):
        console.note(
            'if an object only moved, write `"$id"` in its entry, so that saves find it again'
        )


def _row(change: PlacementChange) -> tuple[str, ...]:
    shown = change.new or change.old
    assert shown is not None
    sign, prefab = _SIGNS.get(change.kind, " "), shown.placed.entry.type_name
    return sign, change.id, prefab, _at(shown), _difference(change)


def _difference(change: PlacementChange) -> str:
    _, _, old, new = change
    if old is None or new is None:
        return ""
    if change.kind == "replaced":
        return f"was {old.placed.entry.type_name}"
    if change.kind == "resized" and old.scale and new.scale:
        return f"{_size(new)}, was {_size(old)}"
    return f"was at {_at(old)}"


def _at(shown: ObjectPosition) -> str:
    x, y, _ = shown.position
    return f"{round(x, 2):g}, {round(y, 2):g}"


def _size(shown: ObjectPosition) -> str:
    return f"{shown.placed.width} x {shown.placed.height}"


def _summary(changes: list[PlacementChange]) -> str:
    if not changes:
        return "no placement changed"
    counts = Counter(change.kind for change in changes)
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
