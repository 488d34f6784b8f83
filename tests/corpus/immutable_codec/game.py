"""A codec says that its values never change, so a frozen class that has one is a value."""

from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import PortSaveLoad
from net import Address, Cable


@dataclass(frozen=True)
class Route:  # a value
    start: Address


@dataclass(frozen=True)
class Line:  # a record, since cables can change
    cable: Cable


@saveable
class Port(PortSaveLoad):
    route: Saved[Route | None] = None
    line: Saved[Line | None] = None
