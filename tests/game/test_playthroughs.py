"""Whole games by recorded keys: each level is finished, and the world is the same everywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from sample_game.keys import Keys
from sample_game.level import LEVELS
from sample_game.progress import Progress
from savegen.runtime import SlotMapReference
from tests.game.scripts import SCRIPTS, begin, keys_of, straight
from tests.project import ROOT, python
from tests.soaking import SOAKING


class End(NamedTuple):
    """Where a script ends: the next level, or "" at the end of the game, and the digest."""

    level: str
    digest: str


# What `python -m sample_game NAME --headless --script tests/playthroughs/NAME.txt` prints.
ENDS = {
    "cellar": End("cavern", "21388b3df89fc9432b2e780fb535f166"),
    "cavern": End("mountain", "1cd7e54894bb9ddbf3e7028139f304a4"),
    "mountain": End("", "56387048cc727e677b04d2aed6a1e53f"),
    "hall": End("", "a321f25d91a7fa1d22f2a1f5320c946f"),
    "old-save": End("", "cac8ecf5eacde74ea33b14c1aa0379b3"),
}
is_long = pytest.mark.skipif(
    not (SOAKING or "CI" in os.environ), reason="two and a half minutes of play"
)
is_very_long = pytest.mark.skipif(not SOAKING, reason="twice as long")
BY_LEVEL = [
    pytest.param(script, marks=[is_long] * (script == "mountain"))
    for script in ENDS
    if script != "old-save"
]


def test_there_is_a_script_for_each_level() -> None:
    assert {path.stem for path in SCRIPTS.iterdir()} == {*ENDS}
    assert {*LEVELS} < {*ENDS}


@pytest.mark.soak
@pytest.mark.parametrize("script", BY_LEVEL)
def test_a_script_finishes_its_level_in_the_same_world_under_every_python(
    script: str, tmp_path: Path
) -> None:
    said = python(
        *("-m", "sample_game", script, "--headless", "--saves", str(tmp_path)),
        *("--script", str(SCRIPTS / f"{script}.txt")),
        folder=ROOT,
    )
    end = ENDS[script]
    assert f"digest {end.digest}\n" in said
    if end.level:
        assert f"level {end.level}, step 0," in said
    else:
        assert "the game is finished" in said


@pytest.mark.soak
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(script, marks=[is_very_long] * (script == "mountain"))
        for script in ENDS
    ],
)
def test_time_that_ran_back_leaves_no_trace(script: str, tmp_path: Path) -> None:
    keys, worlds = keys_of(script), []
    assert any(Keys.REWIND in pressed for pressed in keys)
    for name, played in (("with", keys), ("without", straight(keys))):
        game, end = begin(script, tmp_path / name), ENDS[script]
        for pressed in played:
            game.step(pressed)
        worlds.append(game.manager.create_snapshot(filter=is_rewound).digest())
        game.close()
    assert worlds[0] == worlds[1]
    assert game.finished == (not end.level)


def is_rewound(record: SlotMapReference) -> bool:
    """Achievements stay: a rewind may have left a room that was visited."""
    return type(record.object) is not Progress
