"""Maps to measure with: some as people draw them, and some as nobody would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Map = NDArray[np.uint8]
SEED = 1


def cave(size: int) -> Map:
    """Return caves in three kinds of rock; half of it is empty, 0."""
    random = np.random.default_rng(SEED)
    height = sum(_smooth(size, random, cell) * cell**0.7 for cell in (64, 16, 6))
    kind = sum(_smooth(size, random, cell) * cell for cell in (48, 12))
    cells = 1 + np.digitize(kind, np.quantile(kind, [0.4, 0.75]))
    return np.where(height > np.median(height), cells, 0).astype(np.uint8)


def _smooth(size: int, random: np.random.Generator, cell: int) -> NDArray[Any]:
    """Return random heights, a new one each `cell` and straight between."""
    corners = random.random((size // cell + 2,) * 2)
    at = np.arange(size) // cell
    part = np.arange(size) / cell - at
    rows = corners[at] * (1 - part)[:, None] + corners[at + 1] * part[:, None]
    smooth: NDArray[Any] = rows[:, at] * (1 - part) + rows[:, at + 1] * part
    return smooth


def platforms(size: int) -> Map:
    """Return platforms and rooms of four kinds, one over the other, and as much that is empty."""
    random = np.random.default_rng(SEED)
    cells = np.zeros((size, size), np.uint8)
    for _ in range(size * size // 250):
        left, top, width = random.integers(0, (size, size, 28))
        cells[top : top + width // 3 + 1, left : left + width + 2] = random.integers(5)
    return cells


def worn(size: int) -> Map:
    """Return what a cellular automaton makes of noise: round caves with ragged walls."""
    cells = (np.random.default_rng(SEED).random((size, size)) < 0.47).astype(np.uint8)
    for _ in range(4):
        near = np.pad(cells, 1, constant_values=1)
        views = (near[y : y + size, x : x + size] for y in range(3) for x in range(3))
        cells = (np.sum([*views], axis=0) >= 5).astype(np.uint8)
    return cells


def noise(size: int) -> Map:
    """Return three values at random: most runs are one cell long."""
    return np.random.default_rng(SEED).integers(0, 3, (size, size), np.uint8)


def pierced(size: int) -> Map:
    """Return a plain with holes at random, whose chords are long and cross often."""
    return (np.random.default_rng(SEED).random((size, size)) > 0.03).astype(np.uint8)


def finely_pierced(size: int) -> Map:
    return (np.random.default_rng(SEED).random((size, size)) > 0.1).astype(np.uint8)


def knights(size: int) -> Map:
    """Return holes a knight's move apart: ties everywhere, in chains as long as the map."""
    row, column = np.indices((size, size), np.int32, sparse=True)
    return ((5 * row + column) % 13 != 0).astype(np.uint8)


def notched(size: int) -> Map:
    """Return a plain with a notched border: each chord crosses all of the other direction."""
    cells = np.ones((size, size), np.uint8)
    cells[[0, -1], 1:-1:2] = 0
    cells[1:-1:2, [0, -1]] = 0
    return cells


def dotted(size: int) -> Map:
    """Return a hole in every other cell of every other row: the most chords there can be."""
    cells = np.ones((size, size), np.uint8)
    cells[1::2, 1::2] = 0
    return cells


REALISTIC: tuple[Callable[[int], Map], ...] = (cave, platforms, worn)
WORST: tuple[Callable[[int], Map], ...] = (
    noise,
    pierced,
    finely_pierced,
    knights,
    notched,
    dotted,
)
