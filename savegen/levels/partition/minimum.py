"""The fewest rectangles: chosen chords that stand become walls, and the greedy does the rest.

Each concave corner needs a cut that ends there, and a cut that joins two corners, a chord, saves
one; chords that meet exclude each other. So without chords there are as many rectangles as
regions, less holes, and corners, and the greatest set of chords no two of which meet gives the
minimum. T. Ohtsuki, "Minimum dissection of rectilinear regions", ISCAS 1982; L. Ferrari,
P. V. Sankar and J. Sklansky, "Minimal rectangular partitions of digitized blobs", CVGIP 28, 1984;
W. Lipski, "Finding a Manhattan path and related problems", Networks 13, 1983, and "An O(n log n)
Manhattan path algorithm", IPL 19, 1984; D. Eppstein, "Graph-theoretic solutions to computational
geometry problems", WG 2009 (2010).

The greedy cuts onward from every corner, lying, unless a wall begins there: all lying chords that
no wall crosses come of themselves, and no cut that stands ends but in corners.
"""

from __future__ import annotations

from savegen.levels.partition.chords import Chords, chords, outline
from savegen.levels.partition.crossings import crossings
from savegen.levels.partition.matching import choose
from savegen.levels.partition.runs import (
    Cells,
    Flags,
    Ints,
    along,
    rectangles_of,
    run_starts,
)


def fewest(cells: Cells, empty: int | None, effort: int | None) -> tuple[Ints, int]:
    """Return the fewest rectangles (n, 5), in reading order, and how few there may be at least.

    Both agree unless `effort` has stopped the search; see `partition`.

    >>> import numpy as np
    >>> cells = np.array([[1, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> found, bound = fewest(cells, 0, None)
    >>> found.tolist(), bound
    ([[0, 0, 1, 3, 1], [2, 0, 1, 3, 1], [1, 1, 1, 1, 1]], 3)
    """
    starts = run_starts(cells)
    without, lying, standing = chords(outline(cells, starts, empty))
    bound = without - len(lying.line)
    if len(standing.line):
        choice = choose(crossings(lying, standing, cells.shape), effort)
        bound -= choice.most
        _wall(starts, standing.where(choice.stays))
    return rectangles_of(cells, starts, empty), bound


def _wall(starts: Flags, standing: Chords) -> None:
    """Let runs begin to the right of chords, too."""
    columns = starts.shape[1]
    begin = (standing.first + 1) * columns + standing.line + 1
    for _, cell in along(begin, standing.last - standing.first, columns):
        starts.reshape(-1)[cell] = True
