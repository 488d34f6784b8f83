"""A class that is marked, one that was marked, and one that was moved away."""

from savegen import Saved, saveable

from game._savegen.components.orc import (
    ElfSaveLoad,
    ImpSaveLoad,
    OrcSaveLoad,
)


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 7


class Imp(ImpSaveLoad):
    hp: int = 3


print(ElfSaveLoad)
