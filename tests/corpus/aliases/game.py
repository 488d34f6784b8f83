"""Aliases, `NewType` and type variables are what they stand for."""

from __future__ import annotations

from typing import Annotated, NewType, Optional, TypeAlias, TypeVar, Union

import names
from names import Grid, Names as Words
from savegen import Save, Saved, saveable

from _savegen.components.game import BoardSaveLoad

Hp = NewType("Hp", int)
Scores = NewType("Scores", dict[str, Hp])
Row: TypeAlias = "list[Cell]"
Cell = Union[int, str]
Maybe = Optional[Cell]
Kept: TypeAlias = Annotated[int, Save("kept_as")]
Chain = names.Grid
Number = TypeVar("Number", bound=float)
Text = TypeVar("Text", str, bytes)
Me: TypeAlias = "Board | None"


@saveable
class Board(BoardSaveLoad):
    hp: Saved[Hp] = Hp(3)
    scores: Saved[Scores]
    row: Saved[Row]
    maybe: Saved[Maybe] = None
    kept: Kept = 3
    again: Saved[Kept] = 3
    grid: Saved[Grid]
    words: Saved[Words]
    dotted: Saved[names.Names]
    chain: Saved[Chain]
    me: Saved[Me] = None

    # A mark in an alias that is only part of a type marks nothing.
    inside: list[Kept]
