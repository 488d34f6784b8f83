"""A game without marks: what is called like one is none."""

from dataclasses import dataclass


def saveable(cls: type) -> type:
    return cls


@saveable
@dataclass
class Goblin:
    hp: int = 0
