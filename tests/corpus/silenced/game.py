"""Comments silence warnings, on their line or above it."""

from savegen import Saved, saveable


@saveable
class Orc:  # savegen: ignore[SG110]
    # They have no order. savegen: is told so on the next line.
    # savegen: ignore[SG209] no order matters here
    friends: Saved[set["Orc"]]
    foes: Saved[set["Orc"]]  # noqa: F821  # savegen: ignore[SG209]

    def __init__(self) -> None:
        self.friends = set()
        self.foes = set()
        # savegen: ignore[SG114]
        self.hp: Saved[int] = 3  # pyright: ignore


@saveable
# savegen: ignore[SG110, SG209]
class Elf: friends: Saved[set["Elf"]]
