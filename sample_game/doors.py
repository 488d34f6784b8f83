"""Doors, and the switches and keys that open them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from savegen import Activation, Save, Saved, on_activate, saveable

from sample_game._savegen.components.doors import DoorSaveLoad, SwitchSaveLoad
from sample_game.items import Colour, Item
from sample_game.player import Player
from sample_game.shapes import Vec2
from sample_game.things import Thing, standing

if TYPE_CHECKING:
    from sample_game.world import World


@saveable
class Door(DoorSaveLoad, Thing):
    """A door that opens when its switches are on. Doors and switches refer to each other."""

    SIZE = Vec2(1, 3)

    position: Saved[Vec2] = Vec2()
    colour: Saved[Colour | None] = Colour.RED
    """Of the key that fits; `null` for a door without a lock."""
    needs: Saved[Literal["all", "any"]] = "all"
    is_open: Annotated[bool, Save("open")] = False
    switches: Annotated[list[Switch], Save(editor=False)]

    def __init__(self, position: Vec2, colour: Colour | None = Colour.RED) -> None:
        self.position = position
        self.colour = colour
        self.switches = []

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason is Activation.PLACED:
            self.position = standing(self.position, self.SIZE)

    def update(self) -> None:
        """Open or close the door, depending on its switches."""
        enough = all if self.needs == "all" else any
        self.is_open = enough(switch.is_on for switch in self.switches)

    def unlock(self, player: Player, world: World) -> None:
        """Open for a player who has the key."""
        if self.colour and player.inventory.use(Item.key(self.colour)):
            self.is_open = True
            world.tell("door", self.position)
        elif self.colour and not self.switches:
            world.say(f"the door needs a {self.colour.value} key")


@saveable
class Switch(SwitchSaveLoad, Thing):
    """A switch that opens and closes its doors, and counts who presses it."""

    SIZE = Vec2(0.5, 1)

    position: Saved[Vec2] = Vec2()
    is_on: Annotated[bool, Save("on")] = False
    doors: Saved[tuple[Door, ...]]
    _presses: Annotated[Counter[str], Save(editor=False)]
    _last: Annotated[Player | None, Save(editor=False)] = None

    def __init__(self, position: Vec2, *doors: Door) -> None:
        self.position = position
        self.doors = doors
        self._presses = Counter()
        self._hang_on()

    @on_activate
    def settle(self, reason: Activation) -> None:
        """Connect the switch to the doors that a level names. A load restores these references."""
        if reason is Activation.PLACED:
            self.position = standing(self.position, self.SIZE)
        if reason is not Activation.RELOADED:
            self._hang_on()

    def _hang_on(self) -> None:
        for door in self.doors:
            if self not in door.switches:
                door.switches.append(self)

    @property
    def history(self) -> str:
        """How often the switch was pressed, and who pressed it last."""
        if self._last is None:
            return "never pressed"
        return f"{self._presses.total()} times, last {self._last.name}"

    def use(self, player: Player, world: World) -> None:
        self.press(player)
        world.tell("switch", self.position)
        for door in self.doors:
            world.tell("door", door.position)

    def press(self, by: Player) -> None:
        self.is_on = not self.is_on
        self._presses[by.name] += 1
        self._last = by
        for door in self.doors:
            door.update()
