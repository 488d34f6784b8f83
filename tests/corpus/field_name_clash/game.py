"""Fields that differ only in case or underscores would be one member of an enumeration."""

from savegen import Saved, saveable

from _savegen.components.game import (
    BaseSaveLoad,
    CellStandInSaveLoad,
    DerivedSaveLoad,
    FineSaveLoad,
)


@saveable
class Base(BaseSaveLoad):
    hp: Saved[int] = 0
    HP: Saved[int] = 0
    _hp: Saved[int] = 0
    hp_: Saved[int] = 0


@saveable
class Derived(DerivedSaveLoad, Base):
    Hp: Saved[int] = 0


@saveable
class Fine(FineSaveLoad):
    hp: Saved[int] = 0
    h_p: Saved[int] = 0
    hp2: Saved[int] = 0
    unmarked = 0
    Unmarked = 0


@saveable(of="enginelib.Cell")
class CellStandIn(CellStandInSaveLoad):
    """The library has both names."""

    width: Saved[int]
    WIDTH: Saved[int]
