"""Doors, the switches that open them, and a board that lists both."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import Annotated, Literal

from savegen import Activation, Save, Saved, on_activate, saveable

from sample_game._savegen.components.doors import (
    DoorSaveLoad,
    SwitchBoardSaveLoad,
    SwitchSaveLoad,
)
from sample_game.player import Player
from sample_game.shapes import Vec2


class Colour(Enum):
    """The colour of a door and its key."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


@saveable
class Door(DoorSaveLoad):
    """A door that opens when its switches are on. Doors and switches refer to each other."""

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

    def update(self) -> None:
        """Open or close the door, depending on its switches."""
        enough = all if self.needs == "all" else any
        self.is_open = enough(switch.is_on for switch in self.switches)


@saveable
class Switch(SwitchSaveLoad):
    """A switch that opens and closes its doors, and counts who presses it."""

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
    def wire(self, reason: Activation) -> None:
        """Connect the switch to the doors that a level names. A load restores these references."""
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

    def press(self, by: Player) -> None:
        self.is_on = not self.is_on
        self._presses[by.name] += 1
        self._last = by
        for door in self.doors:
            door.update()


@saveable
class SwitchBoard(SwitchBoardSaveLoad):
    """The janitor's view: each door by its label, each switch with its wires."""

    labels: Annotated[dict[str, Door], Save(editor=False)]
    wires: Annotated[dict[Switch, list[Door]], Save(editor=False)]
    last_cut: Annotated[tuple[Switch, Door] | None, Save(editor=False)] = None

    def __init__(self, **labels: Door) -> None:
        self.labels = labels
        self.wires = {}
        for door in labels.values():
            for switch in door.switches:
                self.wires.setdefault(switch, []).append(door)

    def cut(self, switch: Switch, label: str) -> None:
        """Cut the wire from a switch to a door, so that it no longer opens that door."""
        door = self.labels[label]
        self.wires[switch].remove(door)
        switch.doors = tuple(self.wires[switch])
        door.switches.remove(switch)
        self.last_cut = (switch, door)
