"""Many straight rows of points at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from savegen.levels.partition.runs import Ints

_MOST = 1 << 22  # points at once: some 100 MB


def along(first: Ints, count: Ints, step: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield whose they are, and points: of each row `first`, `first + step` and so on.

    In chunks, so that memory stays bounded however long the rows are together.

    >>> [(owner, point)] = along(np.array([0, 50]), np.array([3, 2]), 10)
    >>> owner.tolist(), point.tolist()
    ([0, 0, 0, 1, 1], [0, 10, 20, 50, 60])
    """
    total = np.cumsum(count)
    begin = 0
    while begin < len(first):
        before = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, before + _MOST, "right")))
        some = count[begin:end]
        owner = np.repeat(np.arange(begin, end), some)
        point = np.arange(0, len(owner) * step, step)
        skipped = (total[begin:end] - some - before) * step
        point += np.repeat(first[begin:end] - skipped, some)
        yield owner, point
        begin = end
