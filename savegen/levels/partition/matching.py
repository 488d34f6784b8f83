"""A maximum matching between chords that lie and chords that stand, and what stays by it.

Push and relabel (Goldberg and Tarjan, "A new approach to the maximum-flow problem", JACM 35,
1988; for matchings Cherkassky and others, "Augment or push", JEA 3, 1998), of many chords at
once. A standing chord has a label: how many pairs have to be parted and paired anew, at least,
until one that is single is reached from it. A phase finds all labels exactly, backwards from
the single ones. Then lying chords that are single take, of those that they cross, the one of
the lowest label, from its mate if it has one; labels rise by that, until nobody is single who
could be helped, or a budget is spent.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from savegen.levels.partition.crossings import Crossings, Indices
from savegen.levels.partition.runs import Flags, Ints

_NOBODY = -1
_FAR = 1 << 32  # the label of those from which no single one is reached
_PLACES = 30  # bits for the place of a crossing, beside a label in one number
_EASY = 8  # rounds in which chords pair with whom they cross first
_ROUND = 1000  # what a round costs beside its crossings, in crossings


class Choice(NamedTuple):
    """Standing chords that stay; so do the lying ones that cross none of them."""

    stays: Flags  # by standing chord
    most: int  # no choice has more standing chords above the lying ones that they cross


def choose(found: Crossings, effort: int | None) -> Choice:
    """Return the standing chords of a greatest set of chords no two of which cross.

    That set is what a maximum matching does not need (König 1931). Of all the greatest sets
    it has the fewest standing chords, so it does not depend on how it was found. After
    `effort` phases, if given, the search stops; then `most` may not be reached.
    """
    matcher = _Matcher(found)
    matcher.pair_easily()
    limit = inf if effort is None else matcher.budget
    matcher.look_back(limit)
    phases = 0
    while len(matcher.helpable) and (effort is None or phases < effort):
        matcher.push()
        matcher.look_back(limit)
        phases += 1
    return matcher.choice()


class _Matcher:
    """Who is paired with whom, and how far standing chords are from single ones."""

    def __init__(self, found: Crossings) -> None:
        self._standing, self._lying = found
        standing, lying = len(self._standing.degree), len(self._lying.degree)
        self._mate_of_standing = np.full(standing, _NOBODY, np.int64)
        self._mate_of_lying = np.full(lying, _NOBODY, np.int64)
        self._scratch = np.zeros(lying, np.int64)
        self._labels = np.zeros(standing, np.int64)
        self._losses: list[int] = []  # by label: see `choice`
        self.helpable = self._labels[:0]  # lying chords, single, with a label to go to
        # So that a phase takes time in the number of crossings, whatever the map.
        self.budget = 2 * len(self._lying.others) + 200 * _ROUND

    def pair_easily(self) -> None:
        """Pair chords with the first single ones that they cross: most pairs there will be."""
        degree = self._standing.degree
        standing = np.repeat(np.arange(len(degree)), degree)
        lying = self._standing.others
        for _ in range(_EASY):
            first = np.ones(len(standing), np.bool_)
            np.not_equal(standing[1:], standing[:-1], out=first[1:])
            pairs = np.flatnonzero(first)
            self._pair(standing.take(pairs), lying.take(pairs).astype(np.int64))
            single = self._mate_of_standing.take(standing) == _NOBODY
            single &= self._mate_of_lying.take(lying) == _NOBODY
            left = np.flatnonzero(single)
            standing, lying = standing.take(left), lying.take(left)

    def _pair(self, standing: Ints, lying: Ints) -> None:
        """Pair single chords; of those that want the same one, the last gets it."""
        self._mate_of_lying[lying] = standing
        won = self._mate_of_lying[lying] == standing
        self._mate_of_standing[standing[won]] = lying[won]

    def look_back(self, limit: float) -> None:
        """Find labels, all of them unless that costs more than `limit`."""
        self._labels = np.full(len(self._mate_of_standing), _FAR, np.int64)
        seen = np.zeros(len(self._mate_of_lying), np.bool_)
        level = np.flatnonzero(self._mate_of_standing == _NOBODY)
        helpable = [level[:0]]
        self._losses, lost, spent = [], 0, 0.0
        while len(level) and spent < limit:
            self._labels[level] = len(self._losses)
            others, _ = self._standing.of(level)
            spent += len(others) + _ROUND
            reached = self._once(others[~seen[others]])
            seen[reached] = True
            mates = self._mate_of_lying[reached]
            helpable.append(reached[mates == _NOBODY])
            level = mates[mates != _NOBODY]
            lost += len(helpable[-1])
            self._losses.append(lost + len(level))
        self.helpable = np.concatenate(helpable)

    def _once(self, lying: Indices) -> Indices:
        """Return chords without repetitions, in time of their own number."""
        places = np.arange(len(lying))
        self._scratch[lying] = places
        once: Indices = lying[self._scratch[lying] == places]
        return once

    def push(self) -> None:
        """Let single lying chords take standing ones, until none can or the budget is spent."""
        single, spent, idle = self.helpable, 0, 0
        # Whom labels lead aright is there in as many rounds as there are labels: if nobody
        # was in so many, labels are old.
        while len(single) and spent < self.budget and idle < len(self._losses):
            others, begin = self._lying.of(single)
            spent += len(others) + _ROUND
            left = self._take(single, others.astype(np.int64), begin)
            idle = idle + 1 if len(left) == len(single) else 0
            single = left

    def _take(self, single: Ints, others: Ints, begin: Ints) -> Ints:
        """Let each single chord take one of the `others` it crosses; return who is single then.

        One that is taken has the label that it then needs to be left again: one more than
        the second lowest there was.
        """
        key = self._labels.take(others) << _PLACES
        key += np.arange(len(others))
        lowest = np.minimum.reduceat(key, begin)
        place = lowest & ((1 << _PLACES) - 1)
        key[place] = _FAR << _PLACES
        second = np.minimum.reduceat(key, begin) >> _PLACES
        near = lowest >> _PLACES < len(self._labels)  # no way is longer than that
        return self._paired_anew(
            single[near], others[place[near]], np.minimum(second[near] + 1, _FAR)
        )

    def _paired_anew(self, single: Ints, wanted: Ints, labels: Ints) -> Ints:
        left = self._mate_of_standing[wanted]
        self._mate_of_standing[wanted] = single
        won = self._mate_of_standing[wanted] == single
        self._mate_of_lying[single[won]] = wanted[won]
        self._labels[wanted[won]] = labels[won]
        left = left[won & (left != _NOBODY)]
        self._mate_of_lying[left] = _NOBODY
        return np.concatenate((single[~won], left))

    def choice(self) -> Choice:
        """Return the standing chords up to the label at which least is lost.

        Chords up to a label keep as many as are single, less what they lose: lying chords that
        they cross, and that are single or have a mate with a higher label. When nobody can be
        helped, and labels are exact, all that have a label lose nothing: König's set.
        """
        single = int(np.count_nonzero(self._mate_of_standing == _NOBODY))
        losses = [single, *self._losses]  # without any chord all single ones are lost
        best = losses.index(min(losses))
        return Choice(self._labels < best, single)
