from savegen import Saved, saveable

from _savegen.components.foes.orc import SnagaSaveLoad


@saveable
class Snaga(SnagaSaveLoad):
    hp: Saved[int] = 0
