"""What a partition comes to: rectangles, and how many there must be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from savegen.levels.partition import plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
