"""Turn a level folder into a layout: the tiles and sprites of each layer, with their ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from savegen.findings import Finding, Severity, Span
from savegen.levels.checking import EntryChecker, PlacementChecker
from savegen.levels.colours import unknown_colours
from savegen.levels.description import (
    Description,
    LayerInfo,
    read_description,
)
from savegen.levels.findings import NotJson, SizeNotMultiple, TooManyObjects
from savegen.levels.images import Picture, decode
from savegen.levels.plan import LayerLayout, LevelLayout, PlacedObject
from savegen.levels.reader import KINDS, Folder, image_name
from savegen.levels.rules import SchemaRules

# In one level: a small image file can contain more objects than fit into memory.
MAX_OBJECTS = 1 << 20


def layout_of(
    folder: Folder, rules: SchemaRules
) -> tuple[LevelLayout | None, list[Finding]]:
    """Return the layout of a level folder, and all findings about it.

    The layout is `None` if any finding is an error. Raises `SaveError` without numpy or Pillow.

    >>> from savegen.levels.rules import SchemaRules
    >>> rules = SchemaRules({"$defs": {"any-prefab": {}}})
    >>> text = b'{"version": 1, "layer_names": ["a"]}'
    >>> layout, findings = layout_of(Folder("cavern", "cavern", text, {}), rules)
    >>> layout, [finding.message for finding in findings]
    (None, ['`geometry/a.png` is missing'])
    """
    layout, findings = _LayoutBuilder(folder, rules).layout()
    # Where the JSON is not valid, other findings would be misleading.
    invalid = {finding.span for finding in findings if isinstance(finding, NotJson)}
    return layout, [
        finding
        for finding in findings
        if isinstance(finding, NotJson) or finding.span not in invalid
    ]


class _LayoutBuilder:
    """Collects the layers and the findings of one level."""

    def __init__(self, folder: Folder, rules: SchemaRules) -> None:
        self._folder = folder
        self._rules = rules
        self._findings: list[Finding] = [*folder.findings]
        self._is_complete = not folder.unread  # every image could be read
        self._objects_left = MAX_OBJECTS

    def layout(self) -> tuple[LevelLayout | None, list[Finding]]:
        description, findings = read_description(self._folder)
        self._findings += findings
        if description is None:
            self._check_images()
            return None, self._findings
        entries = EntryChecker(description, self._rules)
        self._findings += entries.findings
        description = entries.description
        layers = tuple(self._layer(info, description) for info in description.layers)
        placements = PlacementChecker(layers, entries, self._is_complete)
        self._findings += placements.findings()
        if any(finding.severity is Severity.ERROR for finding in self._findings):
            return None, self._findings
        static = self._rules.static
        return (
            LevelLayout(self._folder.name, layers, description, static),
            self._findings,
        )

    def _check_images(self) -> None:
        """Add the findings of all images; used if `level.lvl` cannot be read."""
        for kind in KINDS:
            for layer in self._folder.images.get(kind, {}):
                self._picture(kind, layer)

    def _picture(self, kind: str, layer: str) -> Picture | None:
        data = self._folder.images.get(kind, {}).get(layer)
        if data is None:
            return None
        name = image_name(kind, layer)
        picture = decode(data, name, self._folder.path_of(name))
        if isinstance(picture, Picture):
            return picture
        self._findings.append(picture)
        self._is_complete = False
        return None

    def _layer(self, info: LayerInfo, description: Description) -> LayerLayout:
        geometry = self._picture("geometry", info.name)
        size = geometry.size if geometry else (0, 0)
        tiles = self._tiles(geometry, info.name, description) if geometry else ()
        sprites = self._picture("sprites", info.name)
        scale = self._pixels_per_unit(sprites, size)
        placed = self._sprites(sprites, info.name, description) if sprites else ()
        visual = self._picture("visuals", info.name)
        return LayerLayout(
            info.name,
            info.position,
            size,
            scale,
            tuple(tiles),
            tuple(placed),
            geometry,
            visual,
            self._pixels_per_unit(visual, size),
        )

    def _pixels_per_unit(self, picture: Picture | None, units: tuple[int, int]) -> int:
        """Return the pixels per unit of an image of `units`; 1 without a valid image."""
        if picture is None or units == (0, 0):
            return 1
        (across, x_left), (down, y_left) = map(divmod, picture.size, units)
        if across == down and across and not x_left and not y_left:
            return across
        span = Span(self._folder.path_of(picture.name))
        self._findings.append(SizeNotMultiple(span, picture.name, picture.size, units))
        return 1

    def _has_unknown_colours(self, picture: Picture, known: frozenset[int]) -> bool:
        path = self._folder.path_of(picture.name)
        findings = [*unknown_colours(picture, known, path)]
        self._findings += findings
        return bool(findings)

    def _tiles(
        self, picture: Picture, layer: str, description: Description
    ) -> Iterator[PlacedObject]:
        """Yield the rectangles of a geometry image; unknown colours count as empty."""
        import numpy as np

        from savegen.levels.partition import partition

        colours, known = picture.colours, description.colours["tiles"]
        if self._has_unknown_colours(picture, known):
            colours = np.where(np.isin(colours, [*known]), colours, np.uint32(0))
        rectangles: Any = partition(colours, empty=0).rectangles
        if not self._may_place(len(rectangles), picture.name):
            return
        for left, top, width, height, colour in rectangles.tolist():
            if entry := description.tiles.get(colour):
                id = entry.id or f"{self._folder.name}/{layer}/tile/{left},{top}"
                yield PlacedObject(id, entry, left, top, width, height)

    def _sprites(
        self, picture: Picture, layer: str, description: Description
    ) -> Iterator[PlacedObject]:
        xs, ys, colours = picture.drawn()
        if not self._may_place(len(colours), picture.name):
            return
        drawn, known = colours.tolist(), description.colours["sprites"]
        if not known.issuperset(drawn):
            self._has_unknown_colours(picture, known)
        for x, y, colour in zip(xs.tolist(), ys.tolist(), drawn):
            if entry := description.sprites.get(colour):
                id = entry.id or f"{self._folder.name}/{layer}/{x},{y}"
                yield PlacedObject(id, entry, x, y)

    def _may_place(self, count: int, name: str) -> bool:
        """Return whether the level may place the `count` objects of an image; count them."""
        if count <= self._objects_left:
            self._objects_left -= count
            return True
        span = Span(self._folder.path_of(name))
        self._findings.append(TooManyObjects(span, name, count, MAX_OBJECTS))
        self._is_complete = False
        return False
