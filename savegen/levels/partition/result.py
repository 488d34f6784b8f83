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

    Without numpy its arrays are lists, of tuples and of lists.
    """

    # (n, 5): left, top, width, height, value; in reading order of (top, left)
    rectangles: NDArray[np.int64]
    lower_bound: int  # no partition has fewer, whatever their greatest size
    shape: tuple[int, int]  # of the cells: height, width

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
