"""What comes from outside the project is not known, unless it is of the standard kinds."""

import io
import itertools
import random
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import IO

import pygame
import pygame.math as pm
from arcade import Sprite
from enginelib import grid

from savegen import Saved, saveable

from _savegen.components.game import PlayerSaveLoad


@dataclass
class Look:
    image: pygame.Surface
    cell: grid.Cell


@saveable
class Player(PlayerSaveLoad):
    image: Saved[pygame.Surface]
    at: Saved[pm.Vector2]
    sprites: Saved[list[Sprite]]
    log: Saved[io.TextIOWrapper]
    file: Saved[IO[str]]
    lock: Saved[threading.Lock | None] = None
    dice: Saved[random.Random]
    look: Saved[Look]
    steps: Saved[Iterator[int]]
    turns: Saved[Generator[int, None, None]]
    both: Saved[itertools.chain[int] | None] = None

    # Not marked.
    surface: pygame.Surface
