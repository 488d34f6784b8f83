"""A counter on a class or a module numbers saved fields, but is in no save."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import ids
import main
from ids import new_id
from savegen import Saved, saveable

from _savegen.components.game import (
    CampSaveLoad,
    ItemSaveLoad,
    OrcSaveLoad,
    QuietSaveLoad,
)

_ids = itertools.count(1)
_kept = count()
next_id = 0
frames = 0


class Numbers:
    last = 0


class Creature:
    _numbers: Iterator[int] = count()

    def __init__(self) -> None:
        self.number = next(self._numbers)


@saveable
class Orc(OrcSaveLoad, Creature):
    _own = count(7)
    number: Saved[int]
    own: Saved[int]
    id: Saved[str]
    other: Saved[int]
    local: Saved[int]
    plain: Saved[int]
    called: Saved[int]
    given: Saved[int]

    def __init__(self, given: int | None = None) -> None:
        global next_id
        super().__init__()
        self.own = Orc._own.__next__()
        self.id = f"orc-{next(_ids)}"
        self.other = next(ids.numbers)
        number = next(_ids)
        self.local = number
        next_id += 1
        self.plain = next_id
        self.called = new_id()
        self.given = given or ids.made()


@saveable
@dataclass
class Item(ItemSaveLoad):
    id: Saved[int] = field(default_factory=count().__next__)
    other: Saved[int] = field(default_factory=lambda: next(_ids))
    third: Saved[int] = field(default_factory=new_id)
    fifth: Saved[int] = 0
    sixth: Saved[int] = 0

    def __post_init__(self) -> None:
        Numbers.last += 1
        self.fifth = Numbers.last
        self.sixth = ids.last
        ids.last = ids.last + 1


@saveable
class Camp(CampSaveLoad):
    """The way out: a counter of its own."""

    ids: Saved[count[int]]
    first: Saved[int]

    def __init__(self) -> None:
        self.ids = count(1)
        self.first = next(self.ids)


@saveable(transient=("seen",))
class Quiet(QuietSaveLoad):
    """Nothing of this is a number that a save contains and that would come again."""

    kept: Saved[int]
    frame: Saved[int]
    best: Saved[int]
    name: Saved[str]
    silent: Saved[int]  # savegen: ignore[SG154]

    def __init__(self) -> None:
        global frames
        frames += 1
        self.kept = next(_kept)  # `main.py` saves this counter
        self.frame = 1
        self.best = max(next(iter([1, 2])), main.start())
        self.seen = next(_ids)
        self.name = str(next(each for each in (1, 2)))
        self.silent = next(_ids)

    def advance(self, camp: Camp) -> None:
        self.frame += 1  # of this object
        self.best = self.frame
        camp.first += 1  # of another one
        self.kept = camp.first
