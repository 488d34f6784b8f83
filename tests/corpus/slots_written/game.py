"""`__slots__`, written out: names in it need a mark like all others."""

from __future__ import annotations

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import CoinSaveLoad, GemSaveLoad, TokenSaveLoad


@saveable
class Coin(CoinSaveLoad):
    __slots__ = ("worth", "taken", "sprite")

    worth: Saved[int]
    taken: Saved[bool]

    def __init__(self, worth: int) -> None:
        self.worth = worth
        self.taken = False
        self.sprite = None


@saveable
class Gem(GemSaveLoad, Coin):
    __slots__ = ["cut"]

    def __init__(self, cut: str) -> None:
        super().__init__(5)
        self.cut: Annotated[str, Save()] = cut


@saveable
class Token(TokenSaveLoad):
    __slots__ = ()
