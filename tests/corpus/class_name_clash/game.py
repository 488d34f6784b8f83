"""The generated names of classes must differ, in more than case."""

from savegen import Saved, saveable

from _savegen.components.game import (
    CaveBatSaveLoad,
    HTTPGoblinSaveLoad,
    HttpGoblinSaveLoad,
    TrollSaveLoad,
)


class Cave:
    @saveable
    class Bat(CaveBatSaveLoad):
        hp: Saved[int] = 0


@saveable
class CaveBat(CaveBatSaveLoad):
    hp: Saved[int] = 0


@saveable
class HTTPGoblin(HTTPGoblinSaveLoad):
    hp: Saved[int] = 0


@saveable
class HttpGoblin(HttpGoblinSaveLoad):
    hp: Saved[int] = 0


# One name in two modules is no clash.
@saveable
class Troll(TrollSaveLoad):
    hp: Saved[int] = 0
