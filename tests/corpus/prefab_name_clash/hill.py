# hill.py
from savegen import Saved, part, prefab, saveable

from _savegen.components.hill import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1


@prefab
class Orc:
    body = part(Body)
