"""The fewest rectangles: chosen vertical chords become walls, and the greedy does the rest.

Each concave corner needs a cut that ends there. A chord serves two corners and so saves one cut;
chords that meet exclude each other. Without chords there are as many rectangles as regions,
less holes, plus corners; a greatest set of chords no two of which meet gives the minimum.
T. Ohtsuki, "Minimum dissection of rectilinear regions", ISCAS 1982; L. Ferrari, P. V. Sankar and
J. Sklansky, "Minimal rectangular partitions of digitized blobs", CVGIP 28, 1984; W. Lipski,
"Finding a Manhattan path and related problems", Networks 13, 1983, and "An O(n log n) Manhattan
path algorithm", IPL 19, 1984; D. Eppstein, "Graph-theoretic solutions to computational geometry
problems", WG 2009 (2010).

The greedy cuts horizontally from every corner where no wall begins. So it draws all horizontal
chords that no wall crosses, and vertical cuts end only in corners.

The greatest set is what a maximum matching of crossing chords leaves over (König 1931). The
matching is found by push and relabel, for many chords at once: Goldberg and Tarjan, "A new
approach to the maximum-flow problem", JACM 35, 1988; for matchings Cherkassky and others,
"Augment or push", JEA 3, 1998. The label of a vertical chord is how many pairs must at least be
exchanged until a single vertical chord is reached from it. A phase computes all labels exactly,
backwards from the single ones. Then single horizontal chords take, of the chords that they cross,
the one with the lowest label, from its mate if it has one, and that label rises. This goes on
until no single chord can be helped, or a budget is spent.
"""

from __future__ import annotations

from math import inf

import numpy as np

from savegen.levels.partition.arrays import (
    Cells,
    Flags,
    Ints,
    along,
    rectangles_of,
    run_starts,
)
from savegen.levels.partition.chords import Chords, Indices, Side, chords, crossings

_NOBODY = -1
_FAR = 1 << 32  # the label of chords from which no single chord is reached
_PLACE_BITS = 30  # for the place of a crossing, beside a label in one number
_EASY = 8  # rounds of `pair_easily`
_ROUND = 1000  # the fixed cost of a round, in crossings


def fewest(cells: Cells, empty: int | None, effort: int | None) -> tuple[Ints, int]:
    """Return the fewest rectangles (n, 5), in reading order, and a lower bound of their number.

    Both agree unless `effort` has stopped the search; see `partition`.

    >>> cells = np.array([[1, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> found, bound = fewest(cells, 0, None)
    >>> found.tolist(), bound
    ([[0, 0, 1, 3, 1], [2, 0, 1, 3, 1], [1, 1, 1, 1, 1]], 3)
    """
    starts = run_starts(cells)
    without, horizontal, vertical = chords(cells, starts, empty)
    bound = without - len(horizontal.line)
    if len(vertical.line):
        stays, most = choose(*crossings(horizontal, vertical, cells.shape), effort)
        bound -= most
        _add_walls(starts, vertical.where(stays))
    return rectangles_of(cells, starts, empty), bound


def _add_walls(starts: Flags, vertical: Chords) -> None:
    """Begin runs also to the right of chords."""
    columns = starts.shape[1]
    begin = (vertical.first + 1) * columns + vertical.line + 1
    for _, cell in along(begin, vertical.last - vertical.first, columns):
        starts.reshape(-1)[cell] = True


def choose(vertical: Side, horizontal: Side, effort: int | None) -> tuple[Flags, int]:
    """Return which vertical chords a greatest set of chords has, and a bound.

    The set has all horizontal chords that these do not cross. No choice has more than `bound`
    vertical chords above the horizontal ones that they cross. Of all the greatest sets it has the
    fewest vertical chords, so it does not depend on how it was found. After `effort` phases, if
    given, the search stops, and the bound may not be reached.
    """
    matcher = _Matcher(vertical, horizontal)
    matcher.pair_easily()
    limit = inf if effort is None else matcher.budget
    matcher.relabel(limit)
    phases = 0
    while len(matcher.helpable) and (effort is None or phases < effort):
        matcher.push()
        matcher.relabel(limit)
        phases += 1
    return matcher.choice()


class _Matcher:
    """The pairs of crossing chords so far, and the labels of vertical chords."""

    def __init__(self, vertical: Side, horizontal: Side) -> None:
        self._vertical, self._horizontal = vertical, horizontal
        self._mate_of_vertical = np.full(len(vertical.degree), _NOBODY, np.int64)
        self._mate_of_horizontal = np.full(len(horizontal.degree), _NOBODY, np.int64)
        self._scratch = np.zeros(len(horizontal.degree), np.int64)
        self._labels = np.zeros(len(vertical.degree), np.int64)
        self._losses: list[int] = []  # by label: see `choice`
        # Horizontal chords that are single and reach a single vertical one.
        self.helpable = self._labels[:0]
        # With it, the time of a phase grows with the number of crossings, on any map.
        self.budget = 2 * len(horizontal.others) + 200 * _ROUND

    def pair_easily(self) -> None:
        """Pair chords with the first single ones that they cross, which finds most pairs."""
        degree = self._vertical.degree
        vertical = np.repeat(np.arange(len(degree)), degree)
        horizontal = self._vertical.others
        for _ in range(_EASY):
            first = np.ones(len(vertical), np.bool_)
            np.not_equal(vertical[1:], vertical[:-1], out=first[1:])
            pairs = np.flatnonzero(first)
            self._pair(vertical.take(pairs), horizontal.take(pairs).astype(np.int64))
            single = self._mate_of_vertical.take(vertical) == _NOBODY
            single &= self._mate_of_horizontal.take(horizontal) == _NOBODY
            left = np.flatnonzero(single)
            vertical, horizontal = vertical.take(left), horizontal.take(left)

    def _pair(self, vertical: Ints, horizontal: Ints) -> None:
        """Pair single chords; if several want the same one, the last gets it."""
        self._mate_of_horizontal[horizontal] = vertical
        won = self._mate_of_horizontal[horizontal] == vertical
        self._mate_of_vertical[vertical[won]] = horizontal[won]

    def relabel(self, limit: float) -> None:
        """Compute labels, all of them unless that costs more than `limit`."""
        self._labels = np.full(len(self._mate_of_vertical), _FAR, np.int64)
        seen = np.zeros(len(self._mate_of_horizontal), np.bool_)
        level = np.flatnonzero(self._mate_of_vertical == _NOBODY)
        helpable = [level[:0]]
        self._losses, lost, spent = [], 0, 0.0
        while len(level) and spent < limit:
            self._labels[level] = len(self._losses)
            others, _ = self._vertical.of(level)
            spent += len(others) + _ROUND
            reached = self._once(others[~seen[others]])
            seen[reached] = True
            mates = self._mate_of_horizontal[reached]
            helpable.append(reached[mates == _NOBODY])
            level = mates[mates != _NOBODY]
            lost += len(helpable[-1])
            self._losses.append(lost + len(level))
        self.helpable = np.concatenate(helpable)

    def _once(self, horizontal: Indices) -> Indices:
        """Return chords without repetitions, in linear time."""
        places = np.arange(len(horizontal))
        self._scratch[horizontal] = places
        once: Indices = horizontal[self._scratch[horizontal] == places]
        return once

    def push(self) -> None:
        """Let single horizontal chords take vertical ones, until none can or the budget is spent."""
        single, spent, idle = self.helpable, 0, 0
        # A valid path needs at most one round per label. If none was found in as many rounds,
        # labels are out of date.
        while len(single) and spent < self.budget and idle < len(self._losses):
            others, begin = self._horizontal.of(single)
            spent += len(others) + _ROUND
            left = self._take(single, others.astype(np.int64), begin)
            idle = idle + 1 if len(left) == len(single) else 0
            single = left

    def _take(self, single: Ints, others: Ints, begin: Ints) -> Ints:
        """Let each single chord take one of the `others` it crosses; return who is single then.

        The new label of a chord that is taken is one more than the second lowest label there:
        its new mate would have to go on from that one.
        """
        key = self._labels.take(others) << _PLACE_BITS
        key += np.arange(len(others))
        lowest = np.minimum.reduceat(key, begin)
        place = lowest & ((1 << _PLACE_BITS) - 1)
        key[place] = _FAR << _PLACE_BITS
        second = np.minimum.reduceat(key, begin) >> _PLACE_BITS
        near = lowest >> _PLACE_BITS < len(self._labels)  # no path is longer than that
        return self._exchange(
            single[near], others[place[near]], np.minimum(second[near] + 1, _FAR)
        )

    def _exchange(self, single: Ints, wanted: Ints, labels: Ints) -> Ints:
        """Pair each single chord with the one it wants; return who is single then."""
        left = self._mate_of_vertical[wanted]
        self._mate_of_vertical[wanted] = single
        won = self._mate_of_vertical[wanted] == single
        self._mate_of_horizontal[single[won]] = wanted[won]
        self._labels[wanted[won]] = labels[won]
        left = left[won & (left != _NOBODY)]
        self._mate_of_horizontal[left] = _NOBODY
        return np.concatenate((single[~won], left))

    def choice(self) -> tuple[Flags, int]:
        """Return the vertical chords up to the label that loses least, and the bound.

        Chords up to a label save as many rectangles as are single, less their losses: the
        horizontal chords that they cross and that are single or have a mate with a higher label.
        When no chord can be helped, and labels are exact, all that have a label lose nothing:
        König's set.
        """
        single = int(np.count_nonzero(self._mate_of_vertical == _NOBODY))
        losses = [single, *self._losses]  # without any chord all single ones are lost
        best = losses.index(min(losses))
        return self._labels < best, single
