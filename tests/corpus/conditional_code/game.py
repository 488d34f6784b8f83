"""Of two definitions of a name the last counts; what is below `if` and `try` is read, too."""

from __future__ import annotations

import sys
from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import LanternSaveLoad, OrcSaveLoad, RopeSaveLoad

try:
    from shapes import Vec3 as Vec
except ImportError:
    from shapes import Vec2 as Vec  # type: ignore

if sys.platform == "win32":
    HALF = 1
else:
    HALF = 2


if HALF:

    @saveable
    class Orc(OrcSaveLoad):
        if HALF:
            hp: Saved[int] = HALF

        at: Saved[Vec] = Vec()  # pyright: ignore

        def __init__(self) -> None:
            while True:
                self.steps: Annotated[int, Save()] = 0
                break
            with open(__file__) as self.file:
                pass
            match HALF:
                case 1:
                    self.one: Annotated[int, Save()] = 1


for _ in range(1):

    @saveable
    class Lantern(LanternSaveLoad):
        oil: Saved[int] = 3


match __name__:
    case str():

        @saveable
        class Rope(RopeSaveLoad):
            length: Saved[float] = 1.0
