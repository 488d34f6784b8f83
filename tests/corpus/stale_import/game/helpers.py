"""A file without marks."""

from typing import TYPE_CHECKING

import game._savegen.components.troll
import game._savegen.components.orc as orcs

if TYPE_CHECKING:
    from ._savegen.components.orc import TrollSaveLoad

print(game._savegen.components.troll, orcs.OrcSaveLoad, orcs.TrollSaveLoad)


def late() -> object:
    from game._savegen import prefabs
    from game._savegen.components.orc import *

    return prefabs
