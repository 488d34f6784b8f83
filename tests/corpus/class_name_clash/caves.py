from savegen import Saved, saveable

from _savegen.components.caves import OgreSaveLoad, TrollSaveLoad


@saveable
class Troll(TrollSaveLoad):
    hp: Saved[int] = 0


@saveable
class Ogre(OgreSaveLoad):
    hp: Saved[int] = 0
