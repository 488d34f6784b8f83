"""Attributes of subclasses of builtin classes: only told where a field can hold one."""

from __future__ import annotations

from savegen import Saved, saveable

from _savegen.components.game import TableSaveLoad


class Deck(list[int]):
    def __init__(self, owner: str) -> None:
        super().__init__()
        self.owner = owner


class Config(dict[str, int]):
    """No field holds a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.path = ""


class Title(str):
    rank: int

    def __new__(cls, text: str, rank: int = 1) -> Title:
        title = super().__new__(cls, text)
        title.rank = rank
        return title


@saveable
class Table(TableSaveLoad):
    cards: Saved[list[int]]
    name: Saved[str] = ""
