"""The partition into the fewest rectangles: choose chords as walls, then partition greedily.

A cut must end at each concave corner. A chord does the work of two cuts, and so it saves a
rectangle. Of two chords that cross or share an end, only one can be used. Without chords, the
number of rectangles is that of regions, minus holes, plus concave corners. So the fewest
rectangles result from a largest set of chords of which no two cross or share an end.
T. Ohtsuki, "Minimum dissection of rectilinear regions", ISCAS 1982; L. Ferrari, P. V. Sankar and
J. Sklansky, "Minimal rectangular partitions of digitized blobs", CVGIP 28, 1984; W. Lipski,
"Finding a Manhattan path and related problems", Networks 13, 1983, and "An O(n log n) Manhattan
path algorithm", IPL 19, 1984; D. Eppstein, "Graph-theoretic solutions to computational geometry
problems", WG 2009 (2010).

The vertical chords of the set become walls, at which runs of cells begin. The greedy partition
cuts horizontally from every corner at which no wall ends. So it uses all horizontal chords that no
wall crosses, and its vertical cuts end only at corners.

The set follows from a maximum matching of crossing chords (König 1931), which pairs vertical with
horizontal chords. It is found by push and relabel, for many chords at once: Goldberg and Tarjan,
"A new approach to the maximum-flow problem", JACM 35, 1988; for matchings Cherkassky and others,
"Augment or push", JEA 3, 1998. The label of a vertical chord is the least number of pairs that must
be exchanged to reach an unmatched vertical chord from it. A phase computes all labels exactly, by a
breadth-first search from the unmatched vertical chords. Then each unmatched horizontal chord is
matched with the vertical chord of the lowest label that it crosses. If that chord had a mate, the
mate becomes unmatched, and the label rises. This is repeated until no more chords can be matched,
or a budget is spent.
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
from savegen.levels.partition.chords import (
    Chords,
    Crossings,
    Indices,
    chords,
    crossings,
)

_UNMATCHED = -1
_UNREACHABLE = 1 << 32  # the label if no unmatched chord can be reached
_INDEX_BITS = 30  # for the index of a crossing, in one number with a label
_GREEDY_ROUNDS = 8
_ROUND_COST = 1000  # the fixed cost of a round, in crossings


def fewest(cells: Cells, empty: int | None, effort: int | None) -> tuple[Ints, int]:
    """Return the fewest rectangles (n, 5), and a lower bound of their number.

    The bound is their number, unless `effort` has stopped the search; see `partition`.

    >>> cells = np.array([[1, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> rectangles, bound = fewest(cells, 0, None)
    >>> rectangles.tolist(), bound
    ([[0, 0, 1, 3, 1], [2, 0, 1, 3, 1], [1, 1, 1, 1, 1]], 3)
    """
    starts = run_starts(cells)
    count_without_chords, horizontal, vertical = chords(cells, starts, empty)
    bound = count_without_chords - len(horizontal.line)
    if len(vertical.line):
        graph = crossings(horizontal, vertical, cells.shape)
        chosen, max_gain = choose(*graph, effort)
        bound -= max_gain
        _add_walls(starts, vertical.where(chosen))
    return rectangles_of(cells, starts, empty), bound


def _add_walls(starts: Flags, vertical: Chords) -> None:
    """Let runs of cells begin to the right of vertical chords."""
    columns = starts.shape[1]
    begin = (vertical.first + 1) * columns + vertical.line + 1
    for _, cell in along(begin, vertical.last - vertical.first, columns):
        starts.reshape(-1)[cell] = True


def choose(
    vertical: Crossings, horizontal: Crossings, effort: int | None
) -> tuple[Flags, int]:
    """Return flags for the vertical chords in a largest set, and an upper bound of their gain.

    The set also has all horizontal chords that these do not cross. The gain of vertical chords is
    their number minus that of the horizontal chords that they cross. Of all largest sets, the
    result has the fewest vertical chords, so it does not depend on the order of the search. After
    `effort` phases, if given, the search stops, and then the gain may be below the bound.
    """
    matcher = _Matcher(vertical, horizontal)
    matcher.match_greedily()
    limit = inf if effort is None else matcher.budget
    matcher.relabel(limit)
    phases = 0
    while len(matcher.matchable) and (effort is None or phases < effort):
        matcher.push()
        matcher.relabel(limit)
        phases += 1
    return matcher.choice()


class _Matcher:
    """A matching of crossing chords, and the labels of vertical chords."""

    def __init__(self, vertical: Crossings, horizontal: Crossings) -> None:
        self._vertical, self._horizontal = vertical, horizontal
        self._mate_of_vertical = np.full(len(vertical.degree), _UNMATCHED, np.int64)
        self._mate_of_horizontal = np.full(len(horizontal.degree), _UNMATCHED, np.int64)
        self._scratch = np.zeros(len(horizontal.degree), np.int64)
        self._labels = np.zeros(len(vertical.degree), np.int64)
        self._losses: list[int] = []  # by label: see `choice`
        # Unmatched horizontal chords from which an unmatched vertical one can be reached.
        self.matchable = np.empty(0, np.int64)
        # It makes the time of a phase linear in the number of crossings.
        self.budget = 2 * len(horizontal.others) + 200 * _ROUND_COST

    def match_greedily(self) -> None:
        """Match chords with the first unmatched ones that they cross. This finds most pairs."""
        degree = self._vertical.degree
        vertical = np.repeat(np.arange(len(degree)), degree)
        horizontal = self._vertical.others
        for _ in range(_GREEDY_ROUNDS):
            first = np.ones(len(vertical), np.bool_)
            np.not_equal(vertical[1:], vertical[:-1], out=first[1:])
            pairs = np.flatnonzero(first)
            self._match(vertical.take(pairs), horizontal.take(pairs).astype(np.int64))
            unmatched = self._mate_of_vertical.take(vertical) == _UNMATCHED
            unmatched &= self._mate_of_horizontal.take(horizontal) == _UNMATCHED
            remaining = np.flatnonzero(unmatched)
            vertical, horizontal = vertical.take(remaining), horizontal.take(remaining)

    def _match(self, vertical: Ints, horizontal: Ints) -> None:
        """Match unmatched chords. If pairs have the same horizontal chord, the last one wins."""
        self._mate_of_horizontal[horizontal] = vertical
        won = self._mate_of_horizontal[horizontal] == vertical
        self._mate_of_vertical[vertical[won]] = horizontal[won]

    def relabel(self, limit: float) -> None:
        """Compute the labels. Above a cost of `limit`, stop and leave chords unreachable."""
        self._labels = np.full(len(self._mate_of_vertical), _UNREACHABLE, np.int64)
        seen = np.zeros(len(self._mate_of_horizontal), np.bool_)
        vertical = np.flatnonzero(self._mate_of_vertical == _UNMATCHED)
        matchable = [np.empty(0, np.int64)]
        self._losses, unmatched, spent = [], 0, 0.0
        while len(vertical) and spent < limit:
            self._labels[vertical] = len(self._losses)
            others, _ = self._vertical.of(vertical)
            spent += len(others) + _ROUND_COST
            reached = self._unique(others[~seen[others]])
            seen[reached] = True
            mates = self._mate_of_horizontal[reached]
            matchable.append(reached[mates == _UNMATCHED])
            vertical = mates[mates != _UNMATCHED]
            unmatched += len(matchable[-1])
            self._losses.append(unmatched + len(vertical))
        self.matchable = np.concatenate(matchable)

    def _unique(self, horizontal: Indices) -> Indices:
        """Return chords without repetitions, in linear time."""
        indices = np.arange(len(horizontal))
        self._scratch[horizontal] = indices
        unique: Indices = horizontal[self._scratch[horizontal] == indices]
        return unique

    def push(self) -> None:
        """Match horizontal chords until no more can be matched, or the budget is spent."""
        unmatched, spent, idle_rounds = self.matchable, 0, 0
        # A path to an unmatched chord takes at most one round per label. If after that many
        # rounds there are not fewer unmatched chords, the labels are out of date.
        while (
            len(unmatched) and spent < self.budget and idle_rounds < len(self._losses)
        ):
            others, begin = self._horizontal.of(unmatched)
            spent += len(others) + _ROUND_COST
            remaining = self._push_once(unmatched, others.astype(np.int64), begin)
            idle_rounds = idle_rounds + 1 if len(remaining) == len(unmatched) else 0
            unmatched = remaining

    def _push_once(self, horizontal: Ints, others: Ints, begin: Ints) -> Ints:
        """Match each horizontal chord with one of the `others` that it crosses.

        Return the chords that are still unmatched and worth another round; chords that reach no
        unmatched chord are dropped. The new label of a matched vertical chord is one more than
        the second lowest label of those that its mate crosses: if the mate has to give it up, it
        uses the chord with the second lowest label next.
        """
        key = self._labels.take(others) << _INDEX_BITS
        key += np.arange(len(others))
        lowest = np.minimum.reduceat(key, begin)
        index = lowest & ((1 << _INDEX_BITS) - 1)
        key[index] = _UNREACHABLE << _INDEX_BITS
        second = np.minimum.reduceat(key, begin) >> _INDEX_BITS
        longest = len(self._labels)  # no path is longer
        reaches = lowest >> _INDEX_BITS < longest
        labels = np.minimum(second[reaches] + 1, _UNREACHABLE)
        return self._rematch(horizontal[reaches], others[index[reaches]], labels)

    def _rematch(self, horizontal: Ints, vertical: Ints, labels: Ints) -> Ints:
        """Match pairs of chords, and return the horizontal chords that have no mate afterwards.

        If pairs have the same vertical chord, the last one wins. Its former mate is unmatched.
        """
        mates = self._mate_of_vertical[vertical]
        self._mate_of_vertical[vertical] = horizontal
        won = self._mate_of_vertical[vertical] == horizontal
        self._mate_of_horizontal[horizontal[won]] = vertical[won]
        self._labels[vertical[won]] = labels[won]
        mates = mates[won & (mates != _UNMATCHED)]
        self._mate_of_horizontal[mates] = _UNMATCHED
        return np.concatenate((horizontal[~won], mates))

    def choice(self) -> tuple[Flags, int]:
        """Return flags for the best vertical chords, and a bound of their gain; see `choose`.

        The gain is at most the number of unmatched vertical chords. The set of all vertical chords
        up to some label gains (number of unmatched vertical chords) − loss; the loss is the number
        of horizontal chords that it crosses and that are unmatched or have a mate with a higher
        label. The set with the least loss is chosen. If the matching is maximum, and labels are
        exact, the least loss is 0.
        """
        unmatched = int(np.count_nonzero(self._mate_of_vertical == _UNMATCHED))
        losses = [unmatched, *self._losses]  # the empty set gains nothing
        best = losses.index(min(losses))
        return self._labels < best, unmatched
