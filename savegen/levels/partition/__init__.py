"""Cells of one colour as rectangles: as few as can be, and the proof that there are no fewer.

    cells ─runs→ greedy rectangles
    cells ─chords→ crossings ─matching→ walls ─runs→ the fewest rectangles, and a lower bound

Nothing here loads numpy before it is used.
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
    """Rectangles that cover each cell that is not empty once; see `partition`.

    `rectangles` is an array (n, 5): left, top, width, height in cells, and value; in reading
    order of (top, left). No partition has fewer than `lower_bound`, whatever their greatest
    size. `shape` is that of the cells: height, width. Without numpy arrays are lists, of
    tuples and of lists.

    >>> from savegen.levels.partition import partition
    >>> found = partition([[5, 5], [5, 6]])
    >>> len(found.rectangles), found.lower_bound, found.shape
    (3, 3, (2, 2))
    """

    rectangles: NDArray[np.int64]
    lower_bound: int
    shape: tuple[int, int]

    @property
    def gap(self) -> int:
        """How many rectangles there are above the proven least count; 0 is proven the fewest.

        >>> from savegen.levels.partition import partition
        >>> partition([[1, 1], [1, 2]]).gap, partition([[1, 1, 1]], max_size=1).gap
        (0, 2)
        """
        return len(self.rectangles) - self.lower_bound

    @cached_property
    def cell_to_rectangle(self) -> NDArray[np.int32]:
        """For each cell its rectangle's place in `rectangles`; -1 where it is empty.

        >>> from savegen.levels.partition import partition
        >>> partition([[0, 5], [6, 5]], empty=0).cell_to_rectangle.tolist()
        [[-1, 0], [1, 0]]
        """
        if isinstance(self.rectangles, list):
            owners: Any = plain.cell_to_rectangle(self.rectangles, self.shape)
            return cast("NDArray[np.int32]", owners)
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
    """Return rectangles, each of one value, that cover every cell but those of `empty` once.

    `cells` are rows of whole numbers, colours say; an array is not changed, and may be a view.
    The result has the fewest rectangles possible, and no seam that stands ends inside a flat
    floor. The same cells give the same rectangles, on every machine.

    With `minimum=False` rows are only joined with the row above where they agree, which is
    several times faster and needs no numpy. With `effort` the search for the fewest stops
    after so many phases, each of which looks at every place where two cuts could cross a few
    times: `gap` tells how many rectangles too many there may be. Rectangles wider or higher
    than `max_size`, one number or (width, height), are cut into pieces of that size and what
    remains.

    Raises `ValueError` for cells that are no rectangle and for numbers below what makes
    sense, `TypeError` for what are no whole numbers, `SaveError` if numpy is needed and
    not installed.

    >>> found = partition([b"#..", b"###"], empty=ord("."))
    >>> found.rectangles.tolist()  # left, top, width, height, value
    [[0, 0, 1, 1, 35], [0, 1, 3, 1, 35]]
    >>> found.lower_bound
    2
    """
    empty, effort = _number(empty), _number(effort)
    _check(minimum, effort)
    size = plain.size_of(max_size)
    if find_spec("numpy") is None:
        return _without_numpy(cells, empty, minimum, size)
    from savegen.levels.partition import arrays, minimum as fewest, runs

    known = arrays.checked(cells)
    if minimum:
        found, bound = fewest.fewest(known, empty, effort)
    else:
        found = runs.rectangles_of(known, runs.run_starts(known), empty)
        bound = min(1, len(found))  # nothing is proven
    return Partition(arrays.cut(found, size), bound, known.shape)


def _number(number: int | None) -> int | None:
    return None if number is None else index(number)


def _check(minimum: bool, effort: int | None) -> None:
    if effort is not None and not minimum:
        raise ValueError("effort is spent on the minimum only")
    if effort is not None and effort < 0:
        raise ValueError(f"effort counts phases: {effort} is below 0")


def _without_numpy(
    cells: AnyCells, empty: int | None, minimum: bool, size: tuple[int, int] | None
) -> Partition:
    if minimum:
        raise SaveError(
            'the fewest rectangles need numpy: pip install "savegen[levels]";'
            " minimum=False does without"
        )
    rows = plain.rows_of(cells)
    found = plain.greedy(rows, empty)
    pieces: Any = plain.cut(found, size)
    return Partition(
        pieces, min(1, len(found)), (len(rows), len(rows[0]) if rows else 0)
    )
