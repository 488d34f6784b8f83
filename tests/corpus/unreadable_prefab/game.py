from savegen import Saved, part, prefab, saveable

from _savegen.components.game import BodySaveLoad, CloudStandInSaveLoad
from enginelib import Cloud


@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1


@saveable(of="enginelib.Cloud")
class CloudStandIn(CloudStandInSaveLoad):
    size: Saved[int] = 1


def body_of(size: int) -> Body:
    return Body()


@prefab
class Orc:
    body = part(body_of, 3)


@prefab
class Sky:
    cloud = part(Cloud)
    stand_in = part(CloudStandIn)
