"""Arrays and numbers of numpy's."""

from typing import Any

import numpy as np
import numpy.typing as npt

from savegen import Saved, saveable

from _savegen.components.game import TerrainSaveLoad


@saveable
class Terrain(TerrainSaveLoad):
    heights: Saved[npt.NDArray[np.float32]]
    tiles: Saved[np.ndarray[Any, np.dtype[np.uint8]]]
    layers: Saved[dict[str, np.ndarray]]
    sea_level: Saved[np.float64]
    mask: Saved[npt.NDArray[np.bool_] | None] = None
