from savegen import Saved, saveable

from spire.generated.components.foes.weapons import AxeSaveLoad


@saveable
class Axe(AxeSaveLoad):
    edge: Saved[int] = 0
