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
    "cellar": End("cavern", "f78b8d219a151c00778c6d31647e2e00"),
    "cavern": End("mountain", "537496ce7cbe8a2356dd4e99f8f10b69"),
    "mountain": End("", "17ae3c40ec24b4b63de1836f3d9f7b21"),
    "hall": End("", "0654c668365ee871a4c061d3421251f2"),
    "old-save": End("", "78b460c14c0296cc34b49bd1287bea7f"),
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
