"""What stops things that move: the rectangles of a level, closed doors, and platforms.

All numbers are floats that are added, subtracted, multiplied and divided: every computer gets the
same ones, so that a replay is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from sample_game.shapes import Vec2

SECONDS = 1 / 60  # of one step
GRAVITY = 40.0
FASTEST_FALL = 22.0
SKIN = 1 / 1024  # so much overlap is none: places are rounded


class Matter(Enum):
    """What a rectangle of a level is made of."""

    ROCK = "rock"
    LEDGE = "ledge"  # stops only what falls on it
    LADDER = "ladder"
    SPIKES = "spikes"


class Area(NamedTuple):
    """An upright rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, centre: Vec2, size: Vec2) -> Area:
        half_width, half_height = size.x / 2, size.y / 2
        return cls(
            centre.x - half_width,
            centre.y - half_height,
            centre.x + half_width,
            centre.y + half_height,
        )

    @classmethod
    def at(cls, left: float, top: float, width: float, height: float) -> Area:
        return cls(left, top, left + width, top + height)

    def meets(self, other: Area) -> bool:
        """Return whether the two overlap by more than a skin."""
        return (
            self.left + SKIN < other.right
            and other.left + SKIN < self.right
            and self.top + SKIN < other.bottom
            and other.top + SKIN < self.bottom
        )

    def moved(self, x: float, y: float) -> Area:
        return Area(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def swept(self, x: float, y: float) -> Area:
        """Return the area that is passed on the way."""
        return Area(
            self.left + min(x, 0.0),
            self.top + min(y, 0.0),
            self.right + max(x, 0.0),
            self.bottom + max(y, 0.0),
        )


T = TypeVar("T")


class Grid(Generic[T]):
    """Things by the cells that they cover."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[T]] = {}

    def put(self, area: Area, thing: T) -> None:
        for cell in cells_of(area):
            self._cells.setdefault(cell, []).append(thing)

    def near(self, area: Area) -> Iterator[T]:
        """Yield what is in the cells that the area touches; some of it twice."""
        for cell in cells_of(area):
            yield from self._cells.get(cell, ())


class Tile(NamedTuple):
    """A rectangle of a level."""

    area: Area
    matter: Matter


class Ground(Grid[Tile]):
    """The rectangles of a level."""

    def __init__(self, tiles: Iterable[Tile], bounds: Area) -> None:
        super().__init__()
        self.bounds = bounds
        for tile in tiles:
            self.put(tile.area, tile)

    def touched(self, area: Area, matter: Matter) -> Tile | None:
        """Return a tile of a matter that overlaps the area."""
        for tile in self.near(area):
            if tile.matter is matter and tile.area.meets(area):
                return tile
        return None

    def sees(self, one: Vec2, other: Vec2) -> bool:
        """Return whether there is no rock between two points."""
        way = other - one
        steps = int(way.length * 2) + 1
        for step in range(1, steps):
            point = one + way * (step / steps)
            for tile in self._cells.get((int(point.x // 1), int(point.y // 1)), ()):
                if tile.matter is Matter.ROCK:
                    return False
        return True


class Contact(NamedTuple):
    """Where a move ended, and what it met."""

    position: Vec2
    wall: bool = False
    floor: bool = False
    ceiling: bool = False


def move(
    position: Vec2,
    size: Vec2,
    by: Vec2,
    ground: Ground,
    others: Iterable[Area] = (),
    through_ledges: bool = False,
) -> Contact:
    """Move as far as nothing is in the way: first sideways, then up or down.

    `others` are solid, too. What overlaps at the beginning does not stop a thing.
    """
    area = Area.around(position, size)
    way = area.swept(by.x, by.y)
    rocks, ledges = [other for other in others if other.meets(way)], []
    for tile in ground.near(way):
        if tile.matter is Matter.ROCK:
            rocks.append(tile.area)
        elif tile.matter in (Matter.LEDGE, Matter.LADDER):
            ledges.append(tile.area)
    x = _along(area.left, area.right, by.x, _spans(rocks, area))
    x = max(ground.bounds.left - area.left, min(x, ground.bounds.right - area.right))
    area = area.moved(x, 0.0)
    if by.y > 0 and not through_ledges:
        rocks += ledges
    y = _along(area.top, area.bottom, by.y, _heights(rocks, area))
    return Contact(
        Vec2(position.x + x, position.y + y),
        wall=x != by.x,
        floor=by.y > 0 and y != by.y,
        ceiling=by.y < 0 and y != by.y,
    )


def _spans(areas: list[Area], mover: Area) -> Iterator[tuple[float, float]]:
    for area in areas:
        if area.top + SKIN < mover.bottom and mover.top + SKIN < area.bottom:
            yield area.left, area.right


def _heights(areas: list[Area], mover: Area) -> Iterator[tuple[float, float]]:
    for area in areas:
        if area.left + SKIN < mover.right and mover.left + SKIN < area.right:
            yield area.top, area.bottom


def _along(
    low: float, high: float, by: float, spans: Iterator[tuple[float, float]]
) -> float:
    """Return how much of a way along one axis is free."""
    for begin, end in spans:
        if by > 0 and begin >= high - SKIN:
            by = min(by, max(begin - high, 0.0))
        elif by < 0 and end <= low + SKIN:
            by = max(by, min(end - low, 0.0))
    return by


def cells_of(area: Area) -> Iterator[tuple[int, int]]:
    """Yield the cells of the grid that an area touches."""
    left, right = int(area.left // 1), int((area.right - SKIN) // 1)
    top, bottom = int(area.top // 1), int((area.bottom - SKIN) // 1)
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            yield x, y
