from savegen import Saved, saveable

from _savegen.components.game import CellSaveLoad, GridCellSaveLoad, HexSaveLoad


@saveable(of="enginelib.grid.Cell")
class GridCell(GridCellSaveLoad):
    terrain: Saved[str]


@saveable(of=("enginelib.Cell", "enginelib.grid.Cell"))
class Cell(CellSaveLoad):
    height: Saved[int]


@saveable(of="enginelib.grid.Hex")
class Hex(HexSaveLoad):
    side: Saved[int]
