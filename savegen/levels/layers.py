"""The layers of a level: their names, their order and their images."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from savegen.levels.findings import AbsentImage, UnknownLayer, UnreadableFile
from savegen.levels.reader import KINDS, Folder, image_name
from savegen.findings import Finding, Span
from savegen.runtime.errors import nearest
from savegen.runtime.filenames import is_device

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^\.|[. ]$|^ |[\ud800-\udfff]')
_MOST_LETTERS = 200


def is_safe(name: str) -> bool:
    """Tell whether files can have a name on every system, and are where they seem to be.

    >>> is_safe("layer 1"), is_safe("../layer1"), is_safe("nul"), is_safe("C:\\\\x")
    (True, False, False, False)
    """
    return (
        0 < len(name) <= _MOST_LETTERS
        and _UNSAFE.search(name) is None
        and not is_device(name)
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in natural order: numbers in them count as numbers.

    >>> in_order(["layer10", "layer2", "Attic"])
    ['Attic', 'layer2', 'layer10']
    """
    return sorted(names, key=_parts)


def _parts(name: str) -> tuple[list[tuple[int, str]], str]:
    parts = re.split("([0-9]+)", name.casefold())  # every second one is a number
    digits = [part.lstrip("0") for part in parts]
    key = [
        (len(number), number) if place % 2 else (0, part)
        for place, (part, number) in enumerate(zip(parts, digits))
    ]
    return key, name


def of_images(folder: Folder) -> list[str]:
    """Return the layers that have images, in natural order."""
    found = {name for images in folder.images.values() for name in images}
    return in_order(name for name in found if is_safe(name))


def faults(folder: Folder, layers: Sequence[str]) -> Iterator[Finding]:
    """Yield images that layers lack, and images that belong to none of them."""
    known = frozenset(layers)
    for kind in KINDS:
        for layer in layers:
            yield from _missing(folder, kind, layer)
        for stem in folder.images.get(kind, {}):
            if stem not in known:
                name = image_name(kind, stem)
                span = Span(folder.where(name))
                yield UnknownLayer(span, name, nearest(stem, layers))


def _missing(folder: Folder, kind: str, layer: str) -> Iterator[Finding]:
    images, name = folder.images.get(kind, {}), image_name(kind, layer)
    if layer in images or folder.unread & {kind, f"{kind}/{layer}"}:
        return
    span = Span(folder.where(name))
    if kind == "geometry":
        yield UnreadableFile(span, name, "is missing")
    elif images:
        yield AbsentImage(span, name)
