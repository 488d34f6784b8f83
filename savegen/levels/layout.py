"""Lay out a valid level: what is placed where, under which id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from savegen.levels import palette
from savegen.levels.description import (
    Description,
    Entry,
    LayerInfo,
    read_description,
)
from savegen.levels.entries import Entries
from savegen.levels.findings import NotJson
from savegen.levels.image_findings import CrowdedImage, UnevenSize
from savegen.levels.images import Picture, decode
from savegen.levels.naming import by_own_names, naming_faults
from savegen.levels.reader import KINDS, Folder, image_name
from savegen.levels.validate import Rules
from savegen.findings import Finding, Severity, Span

if TYPE_CHECKING:
    from savegen.levels.partition import Partition

# Objects of a level: a small file can draw more than any memory holds.
MOST_PLACED = 1 << 20


class Placed(NamedTuple):
    """One tile or sprite of a layer."""

    id: str  # its placement id
    entry: Entry
    x: int  # tile: left, in units; sprite: its pixel
    y: int
    width: int = 1  # tile: in units
    height: int = 1


@dataclass(frozen=True)
class LayerLayout:
    """What is in one layer."""

    name: str
    position: tuple[float, float, float]
    size: tuple[int, int]  # in units; (0, 0) without geometry
    pixels_per_unit: int  # of the sprites' image; 1 if there is none
    partition: Partition | None  # the rectangles of the geometry
    tiles: tuple[Placed, ...]  # in the order of the partition's rectangles
    sprites: tuple[Placed, ...]  # row by row
    visual: Picture | None
    visual_pixels_per_unit: int = 1

    @property
    def placed(self) -> Iterator[Placed]:
        """Tiles, and then sprites."""
        yield from self.tiles
        yield from self.sprites


@dataclass(frozen=True)
class Layout:
    """A whole level: its layers in their order."""

    name: str
    layers: tuple[LayerLayout, ...]
    description: Description  # its entries are as the game names things today


def layout_of(folder: Folder, rules: Rules) -> tuple[Layout | None, list[Finding]]:
    """Return what a level folder says, and all that is wrong with it.

    There is no layout if any finding is an error. Raises `SaveError` without numpy or Pillow.

    >>> from savegen.levels.validate import SchemaRules
    >>> rules = SchemaRules({"$defs": {"any-prefab": {}}})
    >>> text = b'{"version": 1, "layer_names": ["a"]}'
    >>> layout, findings = layout_of(Folder("cavern", "cavern", text, {}), rules)
    >>> layout, [finding.message for finding in findings]
    (None, ['`geometry/a.png` is missing'])
    """
    layout, findings = _Laying(folder, rules).laid()
    return layout, [*_once(findings)]


def _once(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield findings but those of a value that is none, of which one says so already."""
    no_values = {each.span for each in findings if isinstance(each, NotJson)}
    for each in findings:
        if isinstance(each, NotJson) or each.span not in no_values:
            yield each


class _Laying:
    """One level on its way to a layout."""

    def __init__(self, folder: Folder, rules: Rules) -> None:
        self._folder = folder
        self._rules = rules
        self._findings: list[Finding] = [*folder.findings]
        self._is_blind = bool(folder.unread)  # some image may hold anything
        self._room = MOST_PLACED

    def laid(self) -> tuple[Layout | None, list[Finding]]:
        description, found = read_description(self._folder)
        self._findings += found
        if description is None:
            self._check_images()
            return None, self._findings
        entries = Entries(description, self._rules)
        self._findings += entries.faults
        now = replace(description, sprites=entries.sprites, tiles=entries.tiles)
        layers = tuple(self._layer(info, now) for info in now.layers)
        self._findings += naming_faults(
            layers, now, entries, self._rules, is_whole=not self._is_blind
        )
        if any(each.severity is Severity.ERROR for each in self._findings):
            return None, self._findings
        layers = tuple(map(by_own_names, layers))
        return Layout(self._folder.name, layers, now), self._findings

    def _check_images(self) -> None:
        """Look at images without knowing what they mean."""
        for kind in KINDS:
            for layer in self._folder.images.get(kind, {}):
                self._picture(kind, layer)

    def _picture(self, kind: str, layer: str) -> Picture | None:
        data = self._folder.images.get(kind, {}).get(layer)
        if data is None:
            return None
        name = image_name(kind, layer)
        path = self._folder.where(name)
        found = decode(data, name, path)
        if isinstance(found, Picture):
            return found
        self._findings.append(found)
        self._is_blind = True
        return None

    def _layer(self, info: LayerInfo, told: Description) -> LayerLayout:
        geometry = self._picture("geometry", info.name)
        size = geometry.size if geometry else (0, 0)
        partition = self._partition(geometry, told) if geometry else None
        scale, sprites = self._sprites(info.name, told, size)
        visual = self._picture("visuals", info.name)
        return LayerLayout(
            info.name,
            info.position,
            size,
            scale,
            partition,
            tuple(self._tiles(partition, info.name, told.tiles)),
            sprites,
            visual,
            self._scale(visual, size),
        )

    def _scale(self, picture: Picture | None, units: tuple[int, int]) -> int:
        """Return how many pixels a unit has; 1 if that is not known."""
        if picture is None or units == (0, 0):
            return 1
        (wide, left), (high, over) = map(divmod, picture.size, units)
        if wide == high and wide and not left and not over:
            return wide
        span = self._span(picture)
        self._findings.append(UnevenSize(span, picture.name, picture.size, units))
        return 1

    def _span(self, picture: Picture) -> Span:
        return Span(self._folder.where(picture.name))

    def _partition(self, picture: Picture, told: Description) -> Partition:
        """Return the rectangles of a geometry; colours that nothing is stay empty."""
        import numpy as np

        from savegen.levels.partition import partition

        colours, known = picture.colours, told.known["tiles"]
        faults = [*palette.faults(picture, known, self._span(picture))]
        self._findings += faults
        if faults:
            colours = np.where(np.isin(colours, [*known]), colours, np.uint32(0))
        return partition(colours, empty=0)

    def _tiles(
        self, partition: Partition | None, layer: str, tiles: Mapping[int, Entry]
    ) -> Iterator[Placed]:
        count = 0 if partition is None else len(partition.rectangles)
        name = image_name("geometry", layer)
        if partition is None or not self._has_room(count, name):
            return
        rows: Any = partition.rectangles.tolist()
        for left, top, width, height, colour in rows:
            if colour in tiles:
                id = f"{self._folder.name}/{layer}/tile/{left},{top}"
                yield Placed(id, tiles[colour], left, top, width, height)

    def _has_room(self, count: int, name: str) -> bool:
        """Tell whether so many objects more may be placed."""
        if count <= self._room:
            self._room -= count
            return True
        span = Span(self._folder.where(name))
        self._findings.append(CrowdedImage(span, name, count, MOST_PLACED))
        self._is_blind = True
        return False

    def _sprites(
        self, layer: str, told: Description, units: tuple[int, int]
    ) -> tuple[int, tuple[Placed, ...]]:
        """Return how many pixels a unit has, and what is drawn; the image is let go of."""
        picture = self._picture("sprites", layer)
        if picture is None:
            return 1, ()
        return self._scale(picture, units), tuple(self._drawn(picture, layer, told))

    def _drawn(
        self, picture: Picture, layer: str, told: Description
    ) -> Iterator[Placed]:
        xs, ys, colours = picture.drawn()
        if not self._has_room(len(colours), picture.name):
            return
        found, known = colours.tolist(), told.known["sprites"]
        if not known.issuperset(found):
            self._findings += palette.faults(picture, known, self._span(picture))
        for x, y, colour in zip(xs.tolist(), ys.tolist(), found):
            if colour in told.sprites:
                id = f"{self._folder.name}/{layer}/{x},{y}"
                yield Placed(id, told.sprites[colour], x, y)
