from typing import Any

import savegen
from savegen import migration as leads

from game import Chief, Goblin


@leads(to=3)
def to_three(save: Any) -> None:
    save.rename_field("Goblin", "health", "hp")


@savegen.migration(to=2)
def to_two(save: Any) -> None:
    save.rename_class("Imp", "Goblin")


@savegen.converter(Goblin, "hp")
def from_percent(old: int) -> float:
    return old / 100


@savegen.converter(Chief, "hp")
def of_a_chief(old: int) -> float:
    return old / 10
