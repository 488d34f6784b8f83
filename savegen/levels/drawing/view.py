"""Scale the units of a level to pixels of its preview."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

from savegen.levels.layout import LayerLayout

_LONGEST = 1920  # pixels of the map's longer side, as far as whole units go into it
_FINEST = 56  # pixels of a unit at most
_MOST = 4000  # pixels of the longer side, where a unit is less than one


@dataclass(frozen=True)
class View:
    """The stretch of units that is drawn, and how large."""

    left: int  # units at the corner of the map
    top: int
    width: int  # in units
    height: int
    scale: float  # pixels of a unit

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the map in pixels."""
        return self.x(self.left + self.width), self.y(self.top + self.height)

    def x(self, units: float) -> int:
        """Return where something is in the map, in pixels.

        >>> View(-2, 0, 10, 10, 8.0).x(1.5)
        28
        """
        return round((units - self.left) * self.scale)

    def y(self, units: float) -> int:
        return round((units - self.top) * self.scale)


def view_of(layers: Iterable[LayerLayout]) -> View:
    """Return a view of all that layers hold, large enough to be looked at."""
    boxes = [
        (x, y, x + layer.size[0], y + layer.size[1])
        for layer in layers
        for x, y, _ in [layer.position]
    ]
    if not boxes:
        return View(0, 0, 1, 1, _FINEST)
    left, top = (floor(min(box[axis] for box in boxes)) for axis in (0, 1))
    right, bottom = (ceil(max(box[axis] for box in boxes)) for axis in (2, 3))
    width, height = max(right - left, 1), max(bottom - top, 1)
    return View(left, top, width, height, scale_of(max(width, height)))


def scale_of(units: int) -> float:
    """Return how many pixels a unit gets if the longer side has so many units.

    >>> scale_of(10), scale_of(100), scale_of(1000), scale_of(8000)
    (56, 19, 2, 0.5)
    """
    if units > _MOST:
        return _MOST / units
    return min(max(round(_LONGEST / units), 1), _FINEST)


def step_of(scale: float, pixels: int) -> int:
    """Return the least round number of units, 1, 2, 5, 10 and so on, that are so many pixels.

    >>> step_of(56, 40), step_of(19, 40), step_of(2, 40), step_of(0.5, 40)
    (1, 5, 20, 100)
    """
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power * scale >= pixels:
                return digit * power
        power *= 10
