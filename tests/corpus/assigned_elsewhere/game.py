"""A value in the body of a class is state if another file assigns it for one object."""

from typing import Annotated, ClassVar

from savegen import Activation, Save, Saved, on_activate, saveable

from _savegen.components.game import FighterSaveLoad, ItemSaveLoad, OrcWarriorSaveLoad


def sold() -> property:
    return property(lambda self: 3, lambda self, value: None)


class Creature:
    armour = 0


@saveable(transient=("shade",))
class Fighter(FighterSaveLoad, Creature):
    hp = 30
    mana: int = 3
    power: Saved[int] = 5
    luck: Annotated[int, Save()] = 1
    shade = 0.5
    glow = 0
    reach = 1  # never assigned
    name = "fighter"
    limit: ClassVar[int] = 3
    mode: tuple[int, int] = (0, 0)
    width = 32
    title = "a fighter"
    boots = 0  # savegen: ignore[SG140]

    @on_activate
    def wake(self, reason: Activation) -> None:
        self.glow = 1

    def hurt(self, other: "Fighter") -> None:
        other.armour -= 1


@saveable
class OrcWarrior(OrcWarriorSaveLoad):
    speed = 1
    rage: Saved[int] = 0


@saveable
class Item(ItemSaveLoad):
    weight = 1
    price = 3
    place = complex(0, 0)
    seller = sold()

    @property
    def cost(self) -> int:
        return self.price
