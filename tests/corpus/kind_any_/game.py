"""Subclasses that say nothing of their members, or contain themselves."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from savegen import Saved, saveable

from _savegen.components.game import BagsSaveLoad


class Loose(list):  # type: ignore[type-arg]
    pass


class Pair(tuple):  # type: ignore[type-arg]
    pass


class Anything(dict[str, Any]):
    pass


class Order(OrderedDict):  # type: ignore[type-arg]
    pass


class Tree(list["Tree"]):
    pass


@saveable
class Bags(BagsSaveLoad):
    loose: Saved[Loose]
    pair: Saved[Pair]
    anything: Saved[Anything]
    order: Saved[Order]
    tree: Saved[Tree | None] = None
