"""Subclasses of builtin classes, and of classes of libraries."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from datetime import date
from enum import Enum
from fractions import Fraction
from random import Random
from typing import Generic, NamedTuple, TypeVar

import numpy
import pygame

from savegen import Saved, saveable

from _savegen.components.game import TableSaveLoad
from cards import Pile
from other import Unused

T = TypeVar("T")


@dataclass
class Card:
    value: int


class Deck(list[Card]):
    def top(self) -> Card:
        return self[-1]


class Hand(Deck):
    pass


class Box(list[T], Generic[T]):
    pass


class Names(dict[str, int]):
    pass


class Title(str):
    pass


class Half(Fraction):
    pass


class Day(date):
    pass


class Dice(Random):
    pass


class Grid(numpy.ndarray):
    pass


class Vec(pygame.Vector2):
    pass


class Line(tuple[int, str]):
    pass


class Queue(deque[Title]):
    pass


class Stock(defaultdict[str, list[int]]):
    pass


class Votes(Counter[str]):
    pass


class Colour(str, Enum):
    RED = "red"


class Pair(NamedTuple):
    left: int


@saveable
class Table(TableSaveLoad):
    deck: Saved[Deck]
    hand: Saved[Hand | None] = None
    box: Saved[Box[int]]
    names: Saved[Names]
    titles: Saved[dict[Title, Vec]]
    half: Saved[Half]
    day: Saved[Day]
    dice: Saved[Dice]
    grid: Saved[Grid]
    line: Saved[Line]
    queue: Saved[Queue]
    stock: Saved[Stock]
    votes: Saved[Votes]
    either: Saved[Title | Deck | int] = 0
    plain: Saved[list[int]]
    colour: Saved[Colour] = Colour.RED
    pair: Saved[Pair] = Pair(1)
