"""The number of rectangles is that of an integer program, which uses no corners or chords."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from savegen.levels import partition
from tests.levels.partitions import (
    all_grids,
    counts_on,
    fewest,
    kinds,
    sheet,
)
from tests.soaking import examples

BETWEEN = 9  # the colour between grids on a sheet
SHAPES = [(h, w) for h in (1, 2, 3) for w in (1, 2, 3, 4)]


class Known(NamedTuple):
    """Grids of each kind of one size, and the fewest rectangles that an integer program finds."""

    grids: NDArray[np.uint8]
    least: NDArray[np.int64]
    one_of_each: NDArray[np.int64]  # places in `grids`


@cache
def known(shape: tuple[int, int]) -> Known:
    grids = all_grids(*shape)
    _, one_of_each, kind = np.unique(
        kinds(grids), return_index=True, return_inverse=True
    )
    return Known(grids, fewest(grids[one_of_each])[kind], one_of_each)


def counted(
    grids: NDArray[np.uint8], columns: int, minimum: bool = True
) -> NDArray[np.int64]:
    page = sheet(grids, columns, BETWEEN)
    found = partition(page, empty=BETWEEN, minimum=minimum)
    return counts_on(grids, columns, found.rectangles)


@pytest.mark.parametrize("shape", SHAPES)
def test_all_small_grids_of_three_colours_have_the_fewest(
    shape: tuple[int, int],
) -> None:
    grids, least, _ = known(shape)
    assert (counted(grids, 729) == least).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_small_grids_have_the_fewest_between_the_borders_of_the_array(
    shape: tuple[int, int],
) -> None:
    grids, least, places = known(shape)
    one, least = grids[places], least[places]
    assert (counted(one, 1) == least).all()
    assert (counted(one, len(one)) == least).all()
    for place in range(0, len(one), 1 + len(one) // 300):
        assert len(partition(one[place]).rectangles) == least[place]


def test_the_integer_program_finds_fewer_than_the_greedy_partition() -> None:
    grids, least, _ = known((3, 4))
    greedy = counted(grids, 729, minimum=False)
    assert (greedy >= least).all()
    assert (greedy > least).any()


def test_the_integer_program_finds_what_can_be_counted_by_hand() -> None:
    window = [[1, 1, 1], [1, 0, 1], [1, 1, 1]]
    cross = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    plain = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    grids = np.array([window, cross, plain], np.uint8)
    assert fewest(grids).tolist() == [5, 7, 1]


def test_grids_of_one_kind_differ_only_by_mirroring_and_colours() -> None:
    grids = np.array([[[0, 0, 1]], [[2, 1, 1]], [[0, 1, 0]]], np.uint8)
    first, second, third = kinds(grids).tolist()
    assert first == second != third


@settings(max_examples=examples(12))
@given(st.data())
def test_random_grids_have_the_fewest(data: st.DataObject) -> None:
    height, width = data.draw(st.integers(4, 8)), data.draw(st.integers(4, 8))
    colours = data.draw(st.integers(2, 4))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    weights = random.dirichlet(np.full(colours, data.draw(st.sampled_from([1.0, 4.0]))))
    grids = random.choice(colours, (25, height, width), p=weights).astype(np.uint8)
    assert (counted(grids, 5) == fewest(grids)).all()
