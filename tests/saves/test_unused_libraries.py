"""Values of numpy and zoneinfo in a save of somebody who uses them, for a game that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project, program

GAME = """
    from datetime import datetime

    from savegen import Saved, saveable
    from _savegen.components.game import ChestSaveLoad

    @saveable
    class Chest(ChestSaveLoad):
        content: Saved[int] = 0
        opened: Saved[datetime] = datetime(2026, 1, 31)
"""
SAVE = """
    from datetime import datetime
    from zoneinfo import ZoneInfo

    import numpy as np
    from _savegen.registry import REGISTRY
    from game import Chest
    from savegen.runtime import SaveLoadManager
    from savegen.saves import encode

    manager = SaveLoadManager(REGISTRY)
    rome = datetime(2026, 1, 31, tzinfo=ZoneInfo("Europe/Rome"))
    dice = np.random.default_rng(7)
    for value in ([np.arange(3)], {"at": rome}, np.float32(1.5), dice, 12):
        manager.add(Chest()).content = value
    manager.add_state("weather", lambda: np.zeros(2), print)
    open("stranger.sav", "wb").write(encode(manager.create_snapshot()))
"""
LOAD = """
    import sys

    from _savegen.registry import REGISTRY
    from game import Chest
    from savegen.runtime import SaveLoadManager
    from savegen.saves import decode, encode

    manager = SaveLoadManager(REGISTRY)
    manager.add_state("weather", lambda: weather, lambda value: globals().update(weather=value))
    data = open("stranger.sav", "rb").read()
    report = manager.apply_snapshot(decode(data, manager))
    print(report.preserved)
    print(*report.notes, sep="\\n")
    print(*report.mismatches, sep="\\n")
    print(*(chest.content for chest in manager.find(Chest)), sep="\\n")
    assert encode(manager.create_snapshot()) == data
    assert not {"numpy", "zoneinfo"} & sys.modules.keys()

    import numpy, zoneinfo

    report = manager.apply_snapshot(decode(data, manager))
    assert not report.preserved and not report.notes
    array, at, number, dice, _ = (chest.content for chest in manager.find(Chest))
    assert array[0].tolist() == [0, 1, 2] and number.dtype == "f4"
    assert at["at"].tzinfo is zoneinfo.ZoneInfo("Europe/Rome") and weather.shape == (2,)
    assert dice.random() == numpy.random.default_rng(7).random()
    assert encode(manager.create_snapshot()) != data  # the dice were thrown
"""


@pytest.fixture
def game(tmp_path: Path) -> Project:
    made = Project(tmp_path, {"game.py": GAME}).generated("game.py")
    made.script(SAVE)
    return made


def test_values_of_unused_libraries_stay_as_they_are_and_are_named(
    game: Project,
) -> None:
    said = program(LOAD, folder=game.folder).splitlines()
    assert said[0] == "{'Chest.content': 4, \"the state 'weather'\": 1}"
    assert [line.partition(" were ")[0] for line in said[1:3]] == [
        "values of `numpy`",
        "values of `zoneinfo`",
    ]
    assert "is [<array of 'int64' of 24 bytes>]; the field is declared" in said[3]


def test_a_zone_in_a_field_declared_as_a_datetime_is_loaded(game: Project) -> None:
    game.script("""
        from datetime import datetime
        from _savegen.registry import REGISTRY
        from game import Chest
        from savegen.runtime import SaveLoadManager
        from savegen.saves import encode

        manager = SaveLoadManager(REGISTRY)
        chest = manager.add(Chest())
        import zoneinfo
        chest.opened = datetime(2026, 1, 31, tzinfo=zoneinfo.ZoneInfo("Europe/Rome"))
        open("zoned.sav", "wb").write(encode(manager.create_snapshot()))
    """)
    text = """
        from _savegen.registry import REGISTRY
        from game import Chest
        from savegen.runtime import SaveLoadManager
        from savegen.saves import decode

        manager = SaveLoadManager(REGISTRY)
        report = manager.apply_snapshot(decode(open("zoned.sav", "rb").read(), manager))
        print(next(manager.find(Chest)).opened.tzinfo, report.preserved)
    """
    assert program(text, folder=game.folder) == "Europe/Rome {}\n"
