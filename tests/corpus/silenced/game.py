"""Comments silence findings that are no errors, on their line or above it."""

from savegen import Saved, saveable

from _savegen.components.game import ElfSaveLoad, OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    # They have no order. savegen: is told so on the next line.
    # savegen: ignore[SG209] no order matters here
    friends: Saved[set["Orc"]]
    foes: Saved[set["Orc"]]  # noqa: F821  # savegen: ignore[SG209]

    def __init__(self) -> None:
        self.friends = set()
        self.foes = set()
        # savegen: ignore[SG114]
        self.hp: Saved[int] = 3  # pyright: ignore


# fmt: off
@saveable
class Elf(ElfSaveLoad): friends: Saved[set["Elf"]]  # savegen: ignore[SG209 ,]
