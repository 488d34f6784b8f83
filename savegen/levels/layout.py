"""The objects of a valid level: their places in the images, and their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from savegen.findings import Finding, Severity, Span
from savegen.levels.checking import Entries, Placements
from savegen.levels.colours import unknown_colours
from savegen.levels.description import (
    Description,
    Entry,
    LayerInfo,
    read_description,
)
from savegen.levels.findings import CrowdedImage, NotJson, UnevenSize
from savegen.levels.images import Picture, decode
from savegen.levels.reader import KINDS, Folder, image_name
from savegen.levels.rules import Rules

if TYPE_CHECKING:
    from savegen.levels.partition import Partition

# Objects of a level: a small file can contain more of them than fit into memory.
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
    """One layer with its tiles and sprites."""

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
        """Tiles, then sprites."""
        yield from self.tiles
        yield from self.sprites


@dataclass(frozen=True)
class Layout:
    """A whole level: its layers in their order."""

    name: str
    layers: tuple[LayerLayout, ...]
    description: Description  # its entries have present names


def layout_of(folder: Folder, rules: Rules) -> tuple[Layout | None, list[Finding]]:
    """Return the objects of a level in their places, and all findings about its folder.

    The layout is `None` if any finding is an error. Raises `SaveError` without numpy or Pillow.

    >>> from savegen.levels.rules import SchemaRules
    >>> rules = SchemaRules({"$defs": {"any-prefab": {}}})
    >>> text = b'{"version": 1, "layer_names": ["a"]}'
    >>> layout, findings = layout_of(Folder("cavern", "cavern", text, {}), rules)
    >>> layout, [finding.message for finding in findings]
    (None, ['`geometry/a.png` is missing'])
    """
    layout, findings = _LayoutBuilder(folder, rules).layout()
    # For a value that is not JSON, other findings would be misleading.
    no_values = {each.span for each in findings if isinstance(each, NotJson)}
    return layout, [
        each
        for each in findings
        if isinstance(each, NotJson) or each.span not in no_values
    ]


class _LayoutBuilder:
    """Collects the layers and the findings of one level."""

    def __init__(self, folder: Folder, rules: Rules) -> None:
        self._folder = folder
        self._rules = rules
        self._findings: list[Finding] = [*folder.findings]
        self._is_whole = not folder.unread  # every image can be read
        self._room = MOST_PLACED

    def layout(self) -> tuple[Layout | None, list[Finding]]:
        description, found = read_description(self._folder)
        self._findings += found
        if description is None:
            self._check_images()
            return None, self._findings
        entries = Entries(description, self._rules)
        self._findings += entries.faults
        now = replace(description, sprites=entries.sprites, tiles=entries.tiles)
        layers = tuple(self._layer(info, now) for info in now.layers)
        placements = Placements(layers, now, self._is_whole)
        self._findings += placements.faults(entries, self._rules)
        if any(each.severity is Severity.ERROR for each in self._findings):
            return None, self._findings
        layers = tuple(map(_with_ids, layers))
        return Layout(self._folder.name, layers, now), self._findings

    def _check_images(self) -> None:
        """Check that images can be read, without `level.lvl`."""
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
        self._is_whole = False
        return None

    def _layer(self, info: LayerInfo, description: Description) -> LayerLayout:
        geometry = self._picture("geometry", info.name)
        size = geometry.size if geometry else (0, 0)
        partition = self._partition(geometry, description) if geometry else None
        scale, sprites = self._sprites(info.name, description, size)
        visual = self._picture("visuals", info.name)
        return LayerLayout(
            info.name,
            info.position,
            size,
            scale,
            partition,
            tuple(self._tiles(partition, info.name, description.tiles)),
            sprites,
            visual,
            self._pixels_per_unit(visual, size),
        )

    def _pixels_per_unit(self, picture: Picture | None, units: tuple[int, int]) -> int:
        """Return the pixels of a unit; 1 if they cannot be computed."""
        if picture is None or units == (0, 0):
            return 1
        (wide, left), (high, over) = map(divmod, picture.size, units)
        if wide == high and wide and not left and not over:
            return wide
        span = Span(self._folder.where(picture.name))
        self._findings.append(UnevenSize(span, picture.name, picture.size, units))
        return 1

    def _unknown_colours(
        self, picture: Picture, known: frozenset[int]
    ) -> list[Finding]:
        path = self._folder.where(picture.name)
        found = [*unknown_colours(picture, known, path)]
        self._findings += found
        return found

    def _partition(self, picture: Picture, description: Description) -> Partition:
        """Return the rectangles of a geometry; unknown colours are empty."""
        import numpy as np

        from savegen.levels.partition import partition

        colours, known = picture.colours, description.colours["tiles"]
        if self._unknown_colours(picture, known):
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
        """Return whether the level may place `count` more objects."""
        if count <= self._room:
            self._room -= count
            return True
        span = Span(self._folder.where(name))
        self._findings.append(CrowdedImage(span, name, count, MOST_PLACED))
        self._is_whole = False
        return False

    def _sprites(
        self, layer: str, description: Description, units: tuple[int, int]
    ) -> tuple[int, tuple[Placed, ...]]:
        """Return the pixels of a unit in a layer's image of sprites, and the sprites."""
        picture = self._picture("sprites", layer)
        if picture is None:
            return 1, ()
        return self._pixels_per_unit(picture, units), tuple(
            self._drawn(picture, layer, description)
        )

    def _drawn(
        self, picture: Picture, layer: str, description: Description
    ) -> Iterator[Placed]:
        xs, ys, colours = picture.drawn()
        if not self._has_room(len(colours), picture.name):
            return
        found, known = colours.tolist(), description.colours["sprites"]
        if not known.issuperset(found):
            self._unknown_colours(picture, known)
        for x, y, colour in zip(xs.tolist(), ys.tolist(), found):
            if colour in description.sprites:
                id = f"{self._folder.name}/{layer}/{x},{y}"
                yield Placed(id, description.sprites[colour], x, y)


def _with_ids(layer: LayerLayout) -> LayerLayout:
    """Return a layer in which `$id`s are the ids of their objects."""
    tiles, sprites = (
        tuple(each._replace(id=each.entry.id or each.id) for each in placed)
        for placed in (layer.tiles, layer.sprites)
    )
    return replace(layer, tiles=tiles, sprites=sprites)
