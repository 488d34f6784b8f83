from enum import Enum

from savegen import Saved, part, prefab, saveable


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@saveable
class Player:
    name: Saved[str] = "Pip"
    hearts: Saved[int] = 5


@saveable
class Door:
    colour: Saved[Colour] = Colour.RED
    locked: Saved[bool] = True


@saveable
class Switch:
    door: Saved[Door | None] = None


@saveable
class Item:
    worth: Saved[int] = 5


@prefab
class Stone:
    """Solid ground."""


@prefab(max_count=1)
class Hero:
    """The player."""

    player = part(Player)


@prefab
class Gate:
    """Stops the player until a lever opens it."""

    door = part(Door)


@prefab
class Lever:
    """Opens a gate."""

    switch = part(Switch)


@prefab
class Coin:
    """Worth taking."""

    item = part(Item)
