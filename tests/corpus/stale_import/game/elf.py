"""A class that still has the generated base class of its former file."""

from savegen import Saved, saveable

from game._savegen.components.orc import ElfSaveLoad


@saveable
class Elf(ElfSaveLoad):
    hp: Saved[int] = 7
