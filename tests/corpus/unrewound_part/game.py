from savegen import Saved, part, prefab, saveable

from _savegen.components.game import JournalSaveLoad, MapSaveLoad


@saveable(rewind=False)
class Journal(JournalSaveLoad):
    pages: Saved[int] = 0


@saveable(rewind=False, prefab=True)
class Map(MapSaveLoad):
    scale: Saved[int] = 1


@prefab
class Hero:
    journal = part(Journal)
