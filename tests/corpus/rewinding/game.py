from savegen import Saved, saveable

from _savegen.components.game import (
    AchievementsSaveLoad,
    GoblinSaveLoad,
    LogSaveLoad,
)


@saveable(rewind=True)
class Goblin(GoblinSaveLoad):
    hp: Saved[int] = 3
    slain_in: Saved["Achievements | None"] = None


@saveable(rewind=False)
class Achievements(AchievementsSaveLoad):
    names: Saved[list[str]]
    last: Saved[Goblin | None] = None
    log: Saved["Log"]

    def __init__(self, log: "Log") -> None:
        self.names = []
        self.log = log


@saveable(rewind=False, subclasses=True)
class Log(LogSaveLoad):
    lines: Saved[int] = 0


class LongLog(Log):
    pages: Saved[int] = 0
