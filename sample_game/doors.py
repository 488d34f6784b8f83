"""Doors, the switches that open them, and the board that both hang on."""

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
    """Doors and keys come in colours."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


@saveable
class Door(DoorSaveLoad):
    """Opens when its switches are on. It knows them, and they know it."""

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
        """Open or close, as the switches stand."""
        enough = all if self.needs == "all" else any
        self.is_open = enough(switch.is_on for switch in self.switches)


@saveable
class Switch(SwitchSaveLoad):
    """Turns its doors, and counts who presses it."""

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
        """Hang on the doors that a level has named; a load knows by itself who hangs on whom."""
        if reason is not Activation.RELOADED:
            self._hang_on()

    def _hang_on(self) -> None:
        for door in self.doors:
            if self not in door.switches:
                door.switches.append(self)

    @property
    def history(self) -> str:
        """How often it was pressed, and by whom last."""
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
    """The janitor's view: every door by its label, every switch with its wires."""

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
        """Cut the wire from a switch to a door: it does not turn that door any more."""
        door = self.labels[label]
        self.wires[switch].remove(door)
        switch.doors = tuple(self.wires[switch])
        door.switches.remove(switch)
        self.last_cut = (switch, door)
