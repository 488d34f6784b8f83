"""`savegen level new`: create a level folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.level._level import (
    SCHEMA,
    TEMPLATE,
    generated_file,
    require_image_packages,
)
from savegen.findings import SavegenError

_MAX_SIDE = 8192  # units or pixels


def _size(
    context: click.Context, option: click.Parameter, value: str
) -> tuple[int, int]:
    """Return the numbers in a text such as 32x18."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", value)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(0 < side <= _MAX_SIDE for side in size):
        raise click.BadParameter(
            f"write a size like 32x18, with sides from 1 to {_MAX_SIDE}, not {value}"
        )
    return size


@click.command()
@click.argument("name", shell_complete=option.folders)
@click.option(
    "--size",
    callback=_size,
    default="32x18",
    show_default=True,
    metavar="WIDTHxHEIGHT",
    help="The size of the level, in units.",
)
@click.option(
    "--pixels-per-unit",
    type=option.between(1, 256),
    default=16,
    show_default=True,
    metavar="N",
    help="The width of one unit in `sprites` and `visuals`, in pixels.",
)
@option.common
@click.pass_obj
def command(
    console: Console, name: str, size: tuple[int, int], pixels_per_unit: int
) -> int:
    """Create the level folder NAME: a level.lvl with a colour for each prefab, and empty images.

    Then draw in the images. Levels are measured in units. In `geometry`, one pixel is one
    unit of ground or wall. In `sprites` and `visuals`, one unit is N pixels wide
    (--pixels-per-unit); each pixel that you draw in `sprites` places one object at that point.

    In level.lvl, all prefabs are under the key `sprites`. If you draw a prefab in the images of
    the folder `geometry`, move its entry to the key `tiles`.

    \b
    Example: savegen level new levels/cavern --size 64x32
    """
    require_image_packages()
    _check_size(size, pixels_per_unit)
    folder = _new_folder(name)
    from savegen.levels.writing import new_level

    template = disk.read(generated_file(console, TEMPLATE))
    schema = disk.relative(generated_file(console, SCHEMA), folder)
    files = new_level(template, size, pixels_per_unit, schema)
    _write_all_or_nothing(folder, files)
    for path in files:
        console.status(f"wrote {name.rstrip('/')}/{path}")
    return 0


def _check_size(size: tuple[int, int], pixels_per_unit: int) -> None:
    """Raise `SavegenError` if images would be too large."""
    if max(size) * pixels_per_unit > _MAX_SIDE:
        raise SavegenError(
            f"{max(size)} units of {pixels_per_unit} pixels are more than {_MAX_SIDE} pixels:"
            " choose a lower --pixels-per-unit"
        )


def _new_folder(name: str) -> str:
    """Return the path of a new level. Raises `SavegenError` if it exists or has a bad name."""
    if not name:
        raise SavegenError("a level needs a name, such as `levels/cavern`")
    folder = disk.resolve(name)
    if disk.status(name) is not None or disk.status(folder) is not None:
        raise SavegenError(f"{name} already exists: choose another folder")
    _check_names(_missing_folders(folder))
    return folder


def _check_names(missing: Sequence[str]) -> None:
    """Raise `SavegenError` if new folders have names that some systems do not allow."""
    from savegen.levels.description import is_safe
    from savegen.runtime.values.basics.filenames import comparable_name

    for path in missing:
        if not is_safe(disk.name_of(path)):
            name = disk.name_of(path)
            raise SavegenError(
                f"{name!r} is not a valid folder name on all operating systems:"
                " choose another name"
            )
    first = disk.name_of(missing[0])
    for other in sorted(disk.names_in(disk.parent(missing[0]))):
        if comparable_name(other) == comparable_name(first):
            raise SavegenError(
                f"{other!r} and {first!r} are the same file name on Windows or macOS:"
                " choose another name"
            )


def _write_all_or_nothing(folder: str, files: Mapping[str, bytes]) -> None:
    """Create a folder with files, or nothing if an error occurs."""
    created: list[str] = []
    temp = disk.temporary(disk.parent(folder))
    inner = dict.fromkeys(filter(None, map(disk.parent, files)))
    parents = _missing_folders(disk.parent(folder))
    try:
        for path in (*parents, temp, *(disk.join(temp, name) for name in inner)):
            disk.make_folder(path)
            created.append(path)
        for name, data in files.items():
            created.append(disk.join(temp, name))
            disk.create(created[-1], data)
        disk.replace(temp, folder)
    except BaseException as error:
        for path in reversed(created):
            if status := disk.status(path):
                (disk.remove_folder if status.kind == "folder" else disk.remove)(path)
        if isinstance(error, OSError):  # name the folder that the user asked for
            error.filename = str(error.filename).replace(temp, folder)
            error.filename2 = None
        raise


def _missing_folders(folder: str) -> list[str]:
    """Return a folder and those of its parents that do not exist, the outermost first."""
    missing: list[str] = []
    while folder and not disk.exists(folder):
        missing.insert(0, folder)
        folder = disk.parent(folder)
    return missing
