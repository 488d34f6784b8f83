"""Saves and rewinds in the middle of a game: playing on from there changes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest

from sample_game.game import AUTOSAVE, Game
from sample_game.keys import Keys
from sample_game.progress import Progress
from savegen.runtime import SlotMapReference
from tests.game.scripts import keys_of, straight
from tests.project import ROOT, python, try_python
from tests.soaking import SOAKING

EVERY = 50  # frames between two saves
FURTHER = 100  # frames that are played from each: to the save after the next one
SECOND = 60  # frames
END = 31  # seconds
KILLS = 200 if SOAKING else 10
MOST = 180  # frames from a start to a kill


def process(*words: str) -> dict[str, dict[str, str]]:
    said = python("-m", "tests.game.process", *words, folder=ROOT)
    result: dict[str, dict[str, str]] = json.loads(said)
    return result


# Each save is played on to the save after the next one, and its world is that of the run: so by
# induction all of them come to the same end.
@pytest.mark.soak
@pytest.mark.parametrize(
    "script", ["cellar", "old-save"] + ["cavern", "mountain"] * SOAKING
)
def test_each_save_of_a_run_plays_on_in_a_fresh_process_as_the_run_did(
    script: str, tmp_path: Path
) -> None:
    digests = process("play", script, str(tmp_path), str(EVERY))["digests"]
    begin = [frame for frame in digests if str(int(frame) + FURTHER) in digests]
    assert begin
    found = process("go-on", script, str(tmp_path), str(FURTHER), *begin)["digests"]
    assert found == {frame: digests[str(int(frame) + FURTHER)] for frame in begin}


@pytest.mark.soak
def test_each_second_of_the_last_thirty_comes_back_and_goes_on_as_it_did(
    tmp_path: Path,
) -> None:
    keys = straight(keys_of("cavern"))[: END * SECOND]
    game, worlds = Game(tmp_path, "cavern"), []
    for frame, pressed in enumerate(keys):
        if frame % SECOND == 0:
            worlds.append(world_of(game))
        game.step(pressed)
    worlds.append(world_of(game))
    last, now = game.digest(), END
    for second in range(END - 1, END - 31, -1):
        rewind(game, now - second)
        assert world_of(game) == worlds[second]
        # From some of them to the end, and from all in a soak; else to the next second.
        to_end = SOAKING or second in (END - 30, END - 10, END - 1)
        now = END if to_end else second + 1
        for pressed in keys[second * SECOND : now * SECOND]:
            game.step(pressed)
        assert world_of(game) == worlds[now]
        assert now < END or game.digest() == last
    game.close()


def rewind(game: Game, seconds: int) -> None:
    """Hold the key, which takes back two frames in each."""
    for _ in range(seconds * SECOND // 2):
        game.step(Keys.REWIND)


def world_of(game: Game) -> str:
    """Return the digest of what a rewind brings back: all but what was achieved."""

    def is_rewound(record: SlotMapReference) -> bool:
        return not isinstance(record.object, Progress)

    return game.manager.create_snapshot(filter=is_rewound).digest()


@pytest.mark.soak
def test_a_killed_game_goes_on_from_its_last_autosave_or_the_one_before(
    tmp_path: Path,
) -> None:
    """A kill comes at any frame, also while an autosave is written."""
    run = process("play", "cellar", str(tmp_path / "run"), str(AUTOSAVE))["digests"]
    last = max(map(int, run)) - MOST
    random, folder = Random(1), tmp_path / "saves"
    killed = 0  # the frame
    for _ in range(KILLS + 1):
        frames = random.randint(1, MOST)
        words = ("until-killed", "cellar", str(folder), str(frames))
        done = try_python("-m", "tests.game.process", *words, folder=ROOT)
        assert done.returncode == -9, done.stderr
        start, digest = json.loads(done.stdout)
        assert digest == run[str(start)]
        newest = killed // AUTOSAVE * AUTOSAVE
        assert newest - AUTOSAVE <= start <= newest
        killed = start + frames
        if killed > last:
            shutil.rmtree(folder)
            killed = 0
