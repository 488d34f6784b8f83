from savegen import Saved, saveable

from _savegen.components.Registry import RecordsSaveLoad


@saveable
class Records(RecordsSaveLoad):
    hp: Saved[int] = 0
