"""`savegen level preview`: draw a level as a picture."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli.level._level import (
    counts,
    print_findings,
    read_levels,
)
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.levels.plan import LevelLayout

# Every preview contains this text, so that no other picture is overwritten.
_SIGNATURE = b"savegen level preview"
_HEAD = 256  # bytes at the start of a file that contain it
_MAX_SIDE = 16_000  # pixels


@click.command()
@click.argument("level", shell_complete=option.folders)
@click.option(
    "-o",
    "target",
    metavar="FILE.png",
    shell_complete=option.files,
    help="The file to write. Default: the name of the level, in the working folder.",
)
@click.option(
    "--layer",
    "names",
    multiple=True,
    metavar="NAME",
    help="Draw only this layer. Repeatable.",
)
@click.option(
    "--scale",
    type=option.between(1, 256),
    metavar="N",
    help="The width of one unit, in pixels. Default: chosen to fit the level.",
)
@option.schema
@option.all_findings
@option.common
@click.pass_obj
def command(
    console: Console,
    level: str,
    target: str | None,
    names: tuple[str, ...],
    scale: int | None,
    schema: str | None,
) -> int:
    """Draw LEVEL as a picture: tiles as rectangles, sprites with labels, and a legend.

    The picture shows the visuals in the background and a ruler in units at the border. Where
    there is no room for labels, the legend explains the colours.
    """
    (read,), _ = read_levels(console, [level], schema)
    path = target or f"{read.folder.name}.png"
    _refuse_other_files(path, level)
    if print_findings(console, [read]) or read.layout is None:
        return 1
    layout = _with_layers(read.layout, names)
    new = _png(layout, scale)
    if disk.exists(path) and disk.read(path) == new:
        console.status("up to date")
        return 0
    disk.write(path, new)
    console.status(f"wrote {path}")
    console.note(f"{level}: {counts(layout)}")
    return 0


def _refuse_other_files(path: str, level: str) -> None:
    """Raise `SavegenError` if `path` is in the level folder or is a file but no preview."""
    if not path.endswith(".png"):
        raise SavegenError(f"-o needs a file name that ends in .png, not {path}")
    inside = disk.relative(disk.resolve(path), disk.resolve(level))
    if not inside.startswith(".."):
        raise SavegenError(f"{path} is inside the level folder: choose a file outside")
    if disk.exists(path) and _SIGNATURE not in disk.head(path, _HEAD):
        raise SavegenError(
            f"{path} was not drawn by savegen; move it, or choose another file"
        )


def _with_layers(layout: LevelLayout, names: tuple[str, ...]) -> LevelLayout:
    """Return a layout with only the named layers; with all if no name is given."""
    from dataclasses import replace

    existing = [layer.name for layer in layout.layers]
    for name in names:
        if name not in existing:
            from savegen.runtime.errors import nearest

            raise SavegenError(f"the level has no layer {nearest(name, existing)}")
    chosen = [layer for layer in layout.layers if not names or layer.name in names]
    return replace(layout, layers=tuple(chosen))


def _png(layout: LevelLayout, scale: int | None) -> bytes:
    from PIL.PngImagePlugin import PngInfo

    from savegen.levels.drawing import draw
    from savegen.levels.drawing.map import scale_of

    default = scale_of(layout.layers)
    longer_side = max(default.width, default.height)
    if scale and longer_side * scale > _MAX_SIDE:
        raise SavegenError(
            f"a side of the picture would be longer than {_MAX_SIDE} pixels:"
            f" use --scale {_MAX_SIDE // longer_side} or less"
        )
    info = PngInfo()
    info.add_text("Software", _SIGNATURE.decode())
    file = io.BytesIO()
    draw(layout, scale).save(file, "png", pnginfo=info)
    return file.getvalue()
