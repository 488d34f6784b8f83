"""A plain class that can contain itself, directly or not."""

from __future__ import annotations

from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import HeroSaveLoad


@dataclass
class Node:
    value: int
    next: Node | None = None


@dataclass
class Bag:
    items: list[Item]


@dataclass
class Item:
    name: str
    inside: Bag | None = None


@dataclass
class Leaf:
    value: int


@saveable
class Hero(HeroSaveLoad):
    node: Saved[Node | None] = None
    bag: Saved[Bag | None] = None
    leaf: Saved[Leaf | None] = None
