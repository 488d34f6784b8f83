from savegen import Saved, saveable

from _savegen.components.game import (
    AchievementsSaveLoad,
    CounterSaveLoad,
    SecretsSaveLoad,
    TalliesSaveLoad,
)


@saveable
class Counter(CounterSaveLoad):
    total: Saved[int] = 0


@saveable(rewind=False)
class Achievements(AchievementsSaveLoad, Counter):
    best: Saved[int] = 0


@saveable(rewind=False)
class Tallies(TalliesSaveLoad):
    kills: Saved[int] = 0


@saveable
class Secrets(SecretsSaveLoad, Tallies):
    found: Saved[int] = 0
