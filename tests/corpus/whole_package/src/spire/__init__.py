from savegen import Saved, saveable

from spire.generated.components import GameSaveLoad


@saveable
class Game(GameSaveLoad):
    level: Saved[int] = 0
