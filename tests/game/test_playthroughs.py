"""Whole games by recorded keys: each level is finished, and the world is the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from sample_game.keys import Keys
from sample_game.level import LEVELS
from tests.game.scripts import SCRIPTS, begin, keys_of, straight
from tests.project import ROOT, python


class End(NamedTuple):
    """Where a script ends: the next level, or "" at the end of the game, and the digest."""

    level: str
    digest: str


# What `python -m sample_game NAME --headless --script tests/playthroughs/NAME.txt` prints.
ENDS = {
    "cellar": End("cavern", "f9f3ebc6a3b0767b2bbd59cce2e91e7e"),
    "cavern": End("mountain", "ac7cb490eaad94c5db7256a30ea73ed3"),
    "mountain": End("", ""),
    "hall": End("", "972a05619011992a974d87afad731463"),
    "old-save": End("", "cac8ecf5eacde74ea33b14c1aa0379b3"),
}
BY_LEVEL = [script for script in ENDS if script != "old-save"]


def test_there_is_a_script_for_each_level() -> None:
    assert {path.stem for path in SCRIPTS.iterdir()} == {*ENDS}
    assert {*LEVELS} < {*ENDS}


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


@pytest.mark.parametrize("script", ENDS)
def test_time_that_ran_back_leaves_no_trace(script: str, tmp_path: Path) -> None:
    keys = keys_of(script)
    assert any(Keys.REWIND in pressed for pressed in keys)
    game, end = begin(script, tmp_path), ENDS[script]
    for pressed in straight(keys):
        game.step(pressed)
    game.close()
    assert game.digest() == end.digest
    assert game.finished == (not end.level)
