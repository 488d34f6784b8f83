"""`savegen level pack`: compress the images of levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli.level._level import (
    ReadLevel,
    folder_at,
    print_findings,
    replace_file,
    require_image_packages,
)
from savegen.findings import Finding, Report, Severity
from savegen.cli._formatting import file_size

if TYPE_CHECKING:
    from savegen.levels.reader import Folder


class _Image(NamedTuple):
    """An image of a level, before and after compression."""

    path: str
    old: bytes
    new: bytes


@click.command()
@option.levels
@option.dry_run
@option.hidden_all_findings
@option.common
@click.pass_obj
def command(console: Console, levels: tuple[str, ...], dry_run: bool) -> int:
    """Compress the images of LEVELS without changing a visible pixel.

    savegen stores each image with a palette of its colours, and verifies every pixel before it
    replaces the file. It skips animations, images with 16 bits per channel, and files that
    would not get smaller.
    """
    require_image_packages()
    packed = [_packed(folder_at(level)) for level in levels]
    if print_findings(console, [level for level, _ in packed]):
        return 1
    images = [image for _, images in packed for image in images]
    smaller = [image for image in images if image.new != image.old]
    for image in smaller:
        _write(console, image, dry_run)
    if not smaller:
        console.status("up to date")
    saved = sum(len(image.old) - len(image.new) for image in smaller)
    count = f"{len(smaller)} of {len(images)} image{'s' if len(images) != 1 else ''}"
    console.note(f"{count} smaller, {file_size(saved)} saved")
    return 0


def _packed(folder: Folder) -> tuple[ReadLevel, list[_Image]]:
    """Return the images of a level, and findings for those that cannot be read."""
    from savegen.levels.writing import packed
    from savegen.levels.reader import image_name

    images: list[_Image] = []
    report = Report(f for f in folder.findings if _is_image_error(folder, f))
    for kind, layers in folder.images.items():
        for layer, old in layers.items():
            path = _image_path(folder, kind, layer)
            new = packed(old, image_name(kind, layer), path)
            if isinstance(new, Finding):
                report.add(new)
            else:
                images.append(_Image(path, old, new))
    return ReadLevel(folder, None, report), images


def _is_image_error(folder: Folder, finding: Finding) -> bool:
    from savegen.levels.reader import DESCRIPTION

    is_error = finding.severity is Severity.ERROR
    return is_error and finding.span.path != folder.path_of(DESCRIPTION)


def _image_path(folder: Folder, kind: str, layer: str) -> str:
    """Return the path of an image, whose suffix may be in capital letters."""
    names = disk.files_in(disk.join(folder.path, kind))
    name = next((n for n in sorted(names) if n[:-4] == layer), f"{layer}.png")
    return folder.path_of(f"{kind}/{name}")


def _write(console: Console, image: _Image, dry_run: bool) -> None:
    if not dry_run:
        replace_file(image.path, image.old, image.new)
    sizes = f"{file_size(len(image.old))} to {file_size(len(image.new))}"
    if dry_run:
        console.report(f"would write {image.path}, {sizes}")
    else:
        console.status(f"wrote {image.path}, {sizes}")
