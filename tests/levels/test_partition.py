"""Partitions cover each cell once, with the fewest rectangles, and are the same each time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.levels import Partition, partition
from savegen.runtime.errors import SaveError
from tests.levels.partitions import (
    Cells,
    Rectangles,
    faults,
    fewest,
    grids,
    loose_seams,
    mergeable,
)
from tests.soaking import examples

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
SPARSE = (np.random.default_rng(4).random((180, 180)) > 0.1).astype(np.uint8)
TURNS: dict[str, Callable[[Cells], Cells]] = {
    "transposed": lambda cells: cells.T,
    "mirrored": np.fliplr,
    "upside down": np.flipud,
    "turned": np.rot90,
}


# -- a cover


@given(grids(), st.booleans())
def test_each_cell_is_covered_once_by_its_value(cells: Cells, minimum: bool) -> None:
    assert not faults(cells, partition(cells, minimum=minimum).rectangles)


@given(grids(), st.booleans())
def test_empty_cells_are_not_covered(cells: Cells, minimum: bool) -> None:
    found = partition(cells, empty=0, minimum=minimum)
    assert not faults(cells, found.rectangles, empty=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[0, 0, 2, 1, 7]], "(0, 1) is covered 0 times"),
        ([[0, 0, 2, 2, 7], [0, 1, 2, 1, 7]], "(1, 1) is covered 2 times"),
        ([[0, 0, 2, 2, 8]], "(0, 0) is not all 8"),
        ([[0, 0, 2, 3, 7]], "(0, 0) is no rectangle of the cells"),
        ([[0, 1, 2, 1, 7], [0, 0, 2, 1, 7]], "not in reading order"),
        ([[0, 0, 2, 2, 7], [0, 0, 0, 2, 7]], "(0, 0) is no rectangle of the cells"),
    ],
)
def test_the_check_detects_wrong_covers(wrong: list[list[int]], message: str) -> None:
    cells = np.full((2, 2), 7)
    assert not faults(cells, np.array([[0, 0, 2, 2, 7]]))
    assert message in faults(cells, np.array(wrong))


@given(grids(), st.booleans())
def test_no_two_rectangles_can_be_merged(cells: Cells, minimum: bool) -> None:
    assert not mergeable(partition(cells, minimum=minimum).rectangles)


def test_the_check_detects_rectangles_that_can_be_merged() -> None:
    beside = partition(np.ones((1, 4), int), max_size=2).rectangles
    below = partition(np.ones((4, 1), int), max_size=2).rectangles
    assert mergeable(beside) == [((0, 0), (2, 0, 2, 1, 1))]
    assert mergeable(below) == [((0, 0), (0, 2, 1, 2, 1))]


@given(grids(), st.booleans())
def test_each_cell_has_the_index_of_its_rectangle(cells: Cells, minimum: bool) -> None:
    found = partition(cells, empty=0, minimum=minimum)
    expected = np.full(cells.shape, -1)
    for place, (left, top, width, height, _) in enumerate(found.rectangles.tolist()):
        expected[top : top + height, left : left + width] = place
    assert (found.cell_to_rectangle == expected).all()


# -- the fewest


@given(grids(16, 4))
def test_the_count_is_the_lower_bound(cells: Cells) -> None:
    found, greedy = partition(cells, empty=0), partition(cells, empty=0, minimum=False)
    assert found.gap == 0
    assert len(found.rectangles) <= len(greedy.rectangles)
    assert greedy.lower_bound <= found.lower_bound


def test_the_greedy_partition_is_not_proven_to_be_the_minimum() -> None:
    assert partition(tower(3), empty=0, minimum=False).gap > 0


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@given(cells=grids(12))
def test_rotating_the_cells_does_not_change_the_count(
    turn: Callable[[Cells], Cells], cells: Cells
) -> None:
    assert count(partition(turn(cells))) == count(partition(cells))


def test_rotating_the_cells_changes_the_greedy_count() -> None:
    upright, flat = (partition(c, minimum=False) for c in (tower(3), tower(3).T))
    assert count(upright) != count(flat)


@given(grids())
def test_empty_cells_do_not_change_the_other_rectangles(cells: Cells) -> None:
    everything = partition(cells).rectangles
    others = partition(cells, empty=1).rectangles
    assert (everything[everything[:, 4] != 1] == others).all()


@given(grids(14, 2), st.sampled_from([None, 0, 1, 3]))
def test_no_seam_ends_in_a_flat_floor(cells: Cells, effort: int | None) -> None:
    found = partition(cells, empty=0, effort=effort).rectangles
    assert not loose_seams(cells, found)


def test_the_check_detects_seams_that_end_in_a_flat_floor() -> None:
    cells = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1]])
    assert not loose_seams(cells, partition(cells, empty=0).rectangles)
    columns = np.array([[0, 0, 1, 2, 1], [1, 0, 2, 3, 1]])
    assert not faults(cells, columns, 0)
    assert loose_seams(cells, columns) == [(1, 0)]


# -- the same each time


@given(grids())
def test_the_same_cells_in_any_form_give_the_same_rectangles(cells: Cells) -> None:
    expected = partition(cells).rectangles.tolist()
    wide = np.zeros((cells.shape[0] * 2, cells.shape[1] * 3), np.uint8)
    wide[::2, ::3] = cells
    frozen = cells.copy()
    frozen.flags.writeable = False
    forms = [
        cells.copy(),
        frozen,
        wide[::2, ::3],
        np.asfortranarray(cells),
        cells[::-1][::-1],
        cells.astype(np.int64),
        cells.astype(">u4"),
        cells.tolist(),
        [bytes(row) for row in cells],
    ]
    for form in forms:
        assert partition(form).rectangles.tolist() == expected


def test_partition_does_not_change_the_cells() -> None:
    before = SPARSE.copy()
    partition(SPARSE, empty=0)
    assert (before == SPARSE).all()


def test_colours_and_flags_are_values_too() -> None:
    colours = np.array([[0xFF8000FF, 0]], np.uint32)
    assert partition(colours, empty=0).rectangles.tolist() == [[0, 0, 1, 1, 0xFF8000FF]]
    flags = np.array([[False, True]])
    assert partition(flags, empty=0).rectangles.tolist() == [[1, 0, 1, 1, 1]]


# -- effort


@settings(max_examples=examples(50))
@given(st.integers(0, 3), st.integers(0, 10_000))
def test_a_stopped_search_has_a_correct_bound(effort: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = (random.random((60, 60)) > random.choice([0.05, 0.1, 0.3])).astype(np.uint8)
    found, best = partition(cells, empty=0, effort=effort), partition(cells, empty=0)
    assert not faults(cells, found.rectangles, 0)
    assert found.lower_bound <= count(best) <= count(found)


def test_more_effort_closes_the_gap() -> None:
    gaps = [partition(SPARSE, empty=0, effort=effort).gap for effort in (0, 1, 99)]
    assert gaps[0] > gaps[1] >= gaps[2] == 0


# -- a greatest size


@given(grids(9, 2), st.integers(1, 4), st.integers(1, 4))
def test_no_piece_is_larger_than_max_size(
    cells: Cells, width: int, height: int
) -> None:
    found = partition(cells, max_size=(width, height))
    assert not faults(cells, found.rectangles)
    assert (found.rectangles[:, 2] <= width).all()
    assert (found.rectangles[:, 3] <= height).all()
    assert found.lower_bound == partition(cells).lower_bound


def test_a_large_max_size_cuts_nothing() -> None:
    found = partition(SPARSE, max_size=len(SPARSE)).rectangles
    assert (found == partition(SPARSE).rectangles).all()


@pytest.mark.parametrize(
    "size", [10**30, (3, 1 << 63), np.int64(3), np.array([3, 3]), [3, 3]]
)
def test_max_size_is_one_whole_number_or_two(size: Any) -> None:
    found = partition(CROSS, max_size=size).rectangles
    assert (found == partition(CROSS).rectangles).all()


# -- single maps


def tower(windows: int) -> Cells:
    """Return a tower, three cells wide, with a number of windows in its middle."""
    cells = np.ones((2 * windows + 1, 3), np.uint8)
    cells[1::2, 1] = 0
    return cells


@pytest.mark.parametrize("windows", [1, 2, 9, 50])
def test_a_tower_has_walls_from_top_to_bottom(windows: int) -> None:
    greedy = partition(tower(windows), empty=0, minimum=False)
    assert count(greedy) == 3 * windows + 1
    assert count(partition(tower(windows), empty=0)) == windows + 3


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
@pytest.mark.parametrize("minimum", [True, False])
def test_without_cells_there_are_no_rectangles(
    shape: tuple[int, int], minimum: bool
) -> None:
    found = partition(np.zeros(shape, np.uint8), minimum=minimum)
    assert found.rectangles.shape == (0, 5)
    assert found.cell_to_rectangle.shape == shape
    assert found.gap == 0


def test_no_rows_are_no_cells() -> None:
    assert partition([]).rectangles.tolist() == []
    assert partition([[], []]).cell_to_rectangle.shape == (2, 0)


@pytest.mark.parametrize(("cells", "expected"), [
    ([[1, 1, 2]], [[0, 0, 2, 1, 1], [2, 0, 1, 1, 2]]),
    ([[1], [1], [2]], [[0, 0, 1, 2, 1], [0, 2, 1, 1, 2]]),
    ([[5]], [[0, 0, 1, 1, 5]]),
])  # fmt: skip
def test_one_row_and_one_column(cells: list[list[int]], expected: object) -> None:
    assert partition(cells).rectangles.tolist() == expected


def test_a_checkerboard_is_all_single_cells() -> None:
    board = np.indices((8, 9)).sum(axis=0) % 2
    found = partition(board)
    assert (count(found), found.gap) == (72, 0)
    assert count(partition(board, empty=1)) == 36


def test_four_colours_at_a_point_need_four_rectangles() -> None:
    found = partition([[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4]])
    assert (count(found), found.gap) == (4, 0)


@pytest.mark.parametrize(
    ("rows", "least"),
    [
        ("### #.# ###", 4),
        ("#### .##. ####", 3),  # holes at the borders
        ("#.## .#.# ##.#", 5),  # cells and holes meet at corners only
        ("###### #.##.# ######", 5),
        ("##### #.### ##.## #####", 6),  # two holes that touch
        (".#### ##.## #.### ####.", 6),
    ],
)
def test_holes_may_touch_corners_and_borders(rows: str, least: int) -> None:
    cells = np.array([list(row) for row in rows.split()]) == "#"
    found, everything = partition(cells, empty=0), partition(cells)
    assert (count(found), found.gap) == (least, 0)
    assert not faults(cells, found.rectangles, 0)
    assert count(everything) == fewest(cells[None].astype(np.uint8))[0]


@pytest.mark.parametrize("minimum", [True, False])
def test_there_may_be_more_columns_than_sixteen_bits_count(minimum: bool) -> None:
    cells = np.ones((3, 70_001), np.uint8)
    cells[1, 1::2] = 0
    found = partition(cells, empty=0, minimum=minimum)
    assert count(found) == 35_003
    assert not faults(cells, found.rectangles, 0)
    turned = partition(cells.T, empty=0)
    assert count(turned) == count(partition(cells, empty=0))


# -- what cannot be


@pytest.mark.parametrize(("cells", "error", "message"), [
    (np.zeros((2, 2, 4), np.uint8), ValueError, "rows and columns, not 3 dimensions"),
    (np.zeros(3, np.uint8), ValueError, "rows and columns, not 1 dimensions"),
    (np.zeros((2, 2)), TypeError, "whole numbers, not float64"),
    (np.full((1, 1), 2**63, np.uint64), ValueError, "larger than 9223372036854775807"),
    ([[1, 2], [3]], ValueError, "rows have from 1 to 2 cells"),
    (["ab"], TypeError, "interpreted as an integer"),
    ([[1 << 63]], ValueError, "more than 64 bits"),
    (np.ma.masked_equal([[1, 2]], 2), TypeError, "no mask"),
])  # fmt: skip
def test_invalid_cells_are_refused(
    cells: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        partition(cells)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [
    {"effort": -1},
    {"effort": 2, "minimum": False},
    {"max_size": 0},
    {"max_size": (3, 0)},
])  # fmt: skip
def test_invalid_options_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        partition(CROSS, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [
    {"empty": "#"},
    {"empty": 0.5},
    {"effort": 1.5},
    {"max_size": 2.0},
    {"max_size": "22"},
])  # fmt: skip
@pytest.mark.parametrize("minimum", [True, False])
def test_options_are_whole_numbers(minimum: bool, wrong: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        partition(CROSS, minimum=minimum, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(2,), (2, 2, 2), ()])
def test_max_size_cannot_have_another_length(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="one number or two"):
        partition(CROSS, max_size=size)


# -- without numpy


@pytest.fixture
def no_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)


@given(grids(), st.sampled_from([None, 0, 7]), st.sampled_from([None, 1, (2, 3)]))
def test_plain_python_finds_the_same_rectangles(
    cells: Cells, empty: int | None, size: int | tuple[int, int] | None
) -> None:
    fast = partition(cells, empty=empty, minimum=False, max_size=size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "numpy", None)
        plain = partition(cells.tolist(), empty=empty, minimum=False, max_size=size)
        owners = plain.cell_to_rectangle
    assert [*map(list, plain.rectangles)] == fast.rectangles.tolist()
    assert owners == fast.cell_to_rectangle.tolist()
    assert (plain.shape, plain.lower_bound) == (fast.shape, fast.lower_bound)


@pytest.mark.usefixtures("no_numpy")
def test_the_minimum_without_numpy_says_what_to_install() -> None:
    with pytest.raises(SaveError, match=r'pip install "savegen\[levels\]"'):
        partition([[1]])


@pytest.mark.usefixtures("no_numpy")
def test_without_numpy_wrong_cells_have_the_same_errors() -> None:
    with pytest.raises(ValueError, match="rows have from 1 to 2 cells"):
        partition([[1, 2], [3]], minimum=False)
    assert partition([], minimum=False).gap == 0


def count(found: Partition) -> int:
    rectangles: Rectangles = found.rectangles
    return len(rectangles)
