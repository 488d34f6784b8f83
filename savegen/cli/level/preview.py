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
    read,
    rules_of,
    print_findings,
)
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.levels.layout import Layout

_SIGNATURE = (
    b"savegen level preview"  # in every preview; other pictures are not overwritten
)
_HEAD = 256  # bytes of a file that contain it
_MOST = 16_000  # pixels of a side


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
    rules = rules_of(console, schema)
    found = read(level, rules)
    path = target or f"{found.folder.name}.png"
    _refuse_other_files(path, level)
    if print_findings(console, [found]) or found.layout is None:
        return 1
    layout = _only(found.layout, names)
    new = _drawn(layout, scale)
    if disk.exists(path) and disk.read(path) == new:
        console.status("up to date")
        return 0
    disk.write(path, new)
    console.status(f"wrote {path}")
    console.note(f"{level}: {counts(layout)}")
    return 0


def _refuse_other_files(path: str, level: str) -> None:
    """Raise `SavegenError` if a path is not that of a preview, or is in the level folder."""
    if not path.endswith(".png"):
        raise SavegenError(f"-o needs a file name that ends in .png, not {path}")
    inside = disk.relative(disk.resolve(path), disk.resolve(level))
    if not inside.startswith(".."):
        raise SavegenError(f"{path} is inside the level folder: choose a file outside")
    if disk.exists(path) and _SIGNATURE not in disk.head(path, _HEAD):
        raise SavegenError(
            f"{path} was not drawn by savegen; move it, or choose another file"
        )


def _only(layout: Layout, names: tuple[str, ...]) -> Layout:
    """Return a layout with only the named layers; with all if no name is given."""
    from dataclasses import replace

    known = [layer.name for layer in layout.layers]
    for name in names:
        if name not in known:
            from savegen.runtime.errors import nearest

            raise SavegenError(f"the level has no layer {nearest(name, known)}")
    chosen = [layer for layer in layout.layers if not names or layer.name in names]
    return replace(layout, layers=tuple(chosen))


def _drawn(layout: Layout, scale: int | None) -> bytes:
    from PIL.PngImagePlugin import PngInfo

    from savegen.levels.drawing import draw
    from savegen.levels.drawing.map import scale_of

    chosen = scale_of(layout.layers)
    if scale and max(chosen.width, chosen.height) * scale > _MOST:
        most = _MOST // max(chosen.width, chosen.height)
        raise SavegenError(
            f"the picture would be larger than {_MOST} pixels: use --scale {most} or less"
        )
    info = PngInfo()
    info.add_text("Software", _SIGNATURE.decode())
    file = io.BytesIO()
    draw(layout, scale).save(file, "png", pnginfo=info)
    return file.getvalue()
