from dataclasses import dataclass
from weakref import ref

from savegen import Method, Saved, saveable

from _savegen.components.game import (
    DiarySaveLoad,
    GoblinSaveLoad,
    RecordsSaveLoad,
)


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[int] = 3


@saveable(rewind=False)
class Diary(DiarySaveLoad):
    pages: Saved[int] = 0


@dataclass
class Duel:
    foe: Goblin
    rounds: int


@saveable(rewind=False)
class Records(RecordsSaveLoad):
    first: Saved[Goblin]
    pair: Saved[tuple[int, Goblin]]
    duel: Saved[Duel]
    cheer: Saved[Method[[], None]]
    last: Saved[Goblin | None] = None
    last_duel: Saved[Duel | None] = None
    seen: Saved[list[Goblin]]
    scores: Saved[dict[str, list[tuple[Goblin, int]]]]
    near: Saved[ref[Goblin]]
    diary: Saved[Diary]

    def __init__(self, first: Goblin, duel: Duel, diary: Diary) -> None:
        self.first = first
        self.pair = (1, first)
        self.duel = duel
        self.cheer = diary.turn
        self.seen = []
        self.scores = {}
        self.near = ref(first)
        self.diary = diary
