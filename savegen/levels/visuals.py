"""The images of a level that are drawn unchanged."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from savegen.levels.images import Picture, channels_of
from savegen.levels.places import Region

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class UniqueTiles(NamedTuple):
    """A picture as slices of one unit, each kept once.

    `tiles` are (count, pixels_per_unit, pixels_per_unit, 4), in the order of their first
    places; `places`, (height, width) in units, tells which of them is where.
    """

    tiles: npt.NDArray[np.uint8]
    places: npt.NDArray[np.intp]


class Visual:
    """One picture, or what of it is in the region that was loaded.

    `left` and `top` are the cell of the level that its corner is at, `width` and `height` its
    size, all in units; a unit has `pixels_per_unit` pixels on each axis.

    >>> import io
    >>> from PIL import Image
    >>> from savegen.levels.images import decode
    >>> file = io.BytesIO()
    >>> Image.new("RGBA", (6, 4), "navy").save(file, "png")
    >>> visual = Visual(decode(file.getvalue(), "visuals/layer1.png"), 2, Region(1, 0, 9, 9))
    >>> visual.left, visual.width, visual.height, visual.image.shape
    (1, 2, 2, (4, 4, 4))
    >>> visual.unique_tiles().places.tolist()
    [[0, 0], [0, 0]]
    """

    def __init__(
        self, picture: Picture, pixels_per_unit: int, region: Region | None
    ) -> None:
        self.pixels_per_unit = pixels_per_unit
        self._picture = picture
        width, height = (side // pixels_per_unit for side in picture.size)
        whole = Region(0, 0, width, height)
        inside = whole if region is None else region.overlap(*whole)
        self.left, self.top, self.width, self.height = inside or Region(0, 0, 0, 0)

    @cached_property
    def image(self) -> npt.NDArray[np.uint8]:
        """The pixels: red, green, blue and alpha from 0 to 255, (height, width, 4).

        Where alpha is 0, so are the others.
        """
        size = self.pixels_per_unit
        rows = slice(self.top * size, (self.top + self.height) * size)
        columns = slice(self.left * size, (self.left + self.width) * size)
        return channels_of(self._picture.colours[rows, columns])

    def unique_tiles(self) -> UniqueTiles:
        """Return slices of one unit without duplicates, and which of them is where.

        A game that draws tile by tile needs no more textures than these. Time and memory are
        those of sorting all slices: pixels × log(units).
        """
        import numpy as np

        size = self.pixels_per_unit
        shape = (self.height, size, self.width, size, 4)
        slices = self.image.reshape(shape).swapaxes(1, 2).reshape(-1, size * size * 4)
        if not len(slices):
            return UniqueTiles(
                np.zeros((0, size, size, 4), np.uint8),
                np.zeros((self.height, self.width), np.intp),
            )
        keys = np.ascontiguousarray(slices).view(f"V{slices.shape[1]}").ravel()
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)  # of the tiles, by where they are first
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        tiles = slices[first[order]].reshape(-1, size, size, 4)
        return UniqueTiles(tiles, place[which].reshape(self.height, self.width))
