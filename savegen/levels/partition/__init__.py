"""`partition`: cover a grid with the fewest rectangles of one value each.

    cells ─arrays→ greedy rectangles
    cells ─chords→ crossings ─minimum→ walls ─arrays→ the fewest rectangles, and a lower bound

numpy is imported at its first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from savegen.levels.partition import plain
from savegen.runtime.errors import SaveError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    AnyCells: TypeAlias = NDArray[Any] | Sequence[Sequence[int]]

__all__ = ["Partition", "partition"]


@dataclass(frozen=True, eq=False)
class Partition:
    """The result of `partition`: rectangles that cover each cell that is not empty exactly once.

    `rectangles` is an array (n, 5) of left, top, width, height and value, sorted by top, then by
    left. Lengths are in cells. No partition has fewer than `lower_bound` rectangles. `shape` is
    the height and width of the grid. Without numpy, arrays are lists.

    >>> from savegen.levels.partition import partition
    >>> result = partition([[5, 5], [5, 6]])
    >>> len(result.rectangles), result.lower_bound, result.shape
    (3, 3, (2, 2))
    """

    rectangles: NDArray[np.int64]
    lower_bound: int
    shape: tuple[int, int]

    @property
    def gap(self) -> int:
        """The number of rectangles above the lower bound; 0 proves that they are the fewest.

        >>> from savegen.levels.partition import partition
        >>> partition([[1, 1], [1, 2]]).gap, partition([[1, 1, 1]], max_size=1).gap
        (0, 2)
        """
        return len(self.rectangles) - self.lower_bound

    @cached_property
    def cell_to_rectangle(self) -> NDArray[np.int32]:
        """For each cell the index of its rectangle in `rectangles`; -1 if the cell is empty.

        >>> from savegen.levels.partition import partition
        >>> partition([[0, 5], [6, 5]], empty=0).cell_to_rectangle.tolist()
        [[-1, 0], [1, 0]]
        """
        if isinstance(self.rectangles, list):
            rows: Any = plain.cell_to_rectangle(self.rectangles, self.shape)
            return cast("NDArray[np.int32]", rows)
        from savegen.levels.partition import arrays

        return arrays.cell_to_rectangle(self.rectangles, self.shape)


def partition(
    cells: AnyCells,
    *,
    empty: int | None = None,
    minimum: bool = True,
    effort: int | None = None,
    max_size: int | tuple[int, int] | None = None,
) -> Partition:
    """Return rectangles, each of one value, that cover every cell except `empty` ones once.

    `cells` are rows of whole numbers, such as colours; an array is not changed. The result has
    the fewest rectangles possible, and no vertical seam ends inside a flat floor. The same cells
    give the same rectangles, on every machine.

    With `minimum=False`, runs of equal cells are only joined with the same run in the row above.
    That is several times faster and needs no numpy. With `effort`, the search for the fewest stops
    after that number of phases, and `gap` is the greatest possible number of superfluous
    rectangles; the time of a phase grows with the number of points where two cuts can cross.
    Rectangles larger than `max_size`, a number or (width, height), are cut into pieces of at most
    that size.

    Raises `ValueError` if rows differ in length or a number is too small, `TypeError` for
    values that are not whole numbers, and `SaveError` if numpy is needed and not installed.

    >>> result = partition([b"#..", b"###"], empty=ord("."))
    >>> result.rectangles.tolist()  # left, top, width, height, value
    [[0, 0, 1, 1, 35], [0, 1, 3, 1, 35]]
    >>> result.lower_bound
    2
    """
    empty = None if empty is None else index(empty)
    effort = None if effort is None else index(effort)
    _check(minimum, effort)
    size = plain.size_of(max_size)
    if find_spec("numpy") is None:
        return _without_numpy(cells, empty, minimum, size)
    from savegen.levels.partition import arrays
    from savegen.levels.partition.minimum import fewest

    array = arrays.checked(cells)
    if minimum:
        rectangles, bound = fewest(array, empty, effort)
    else:
        rectangles = arrays.rectangles_of(array, arrays.run_starts(array), empty)
        bound = min(1, len(rectangles))  # true for any grid
    return Partition(arrays.cut(rectangles, size), bound, array.shape)


def _check(minimum: bool, effort: int | None) -> None:
    if effort is not None and not minimum:
        raise ValueError("`effort` needs `minimum=True`")
    if effort is not None and effort < 0:
        raise ValueError(
            f"`effort` must be a number of phases, 0 or more, not {effort}"
        )


def _without_numpy(
    cells: AnyCells, empty: int | None, minimum: bool, size: tuple[int, int] | None
) -> Partition:
    if minimum:
        raise SaveError(
            'the fewest rectangles need numpy: run pip install "savegen[levels]",'
            " or pass minimum=False"
        )
    rows = plain.rows_of(cells)
    rectangles = plain.greedy(rows, empty)
    pieces: Any = plain.cut(rectangles, size)
    shape = len(rows), len(rows[0]) if rows else 0
    return Partition(pieces, min(1, len(rectangles)), shape)
