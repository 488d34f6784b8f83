from savegen import Saved, part, prefab, saveable

from _savegen.components.game import BodySaveLoad, CoinSaveLoad, GunSaveLoad


@saveable
class Body(BodySaveLoad):
    pos: Saved[tuple[float, float]] = (0.0, 0.0)


@saveable
class Gun(GunSaveLoad):
    ammo: Saved[int] = 6


@prefab(position="bdoy.pos")
class Tank:
    body = part(Body)
    gun = part(Gun)


@prefab(position="pos")
class Car:
    body = part(Body)
    gun = part(Gun)


@prefab(position="body.posn.x")
class Cart:
    body = part(Body)


@prefab(position="centre")
class Sledge:
    body = part(Body)


@prefab(position="body.pos", max_count=2)
class Base:
    body = part(Body)


@prefab
class Armed(Base):
    body = part(Gun)


@prefab(position=("body", "pos"))
class Wrong:
    body = part(Body)


@prefab(postion="body.pos")
class Misspelt:
    body = part(Body)


@saveable(prefab=True, position="poss")
class Coin(CoinSaveLoad):
    pos: Saved[tuple[float, float]] = (0.0, 0.0)
