"""A world that was rolled back and played again is the world that was not."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime.generated.registry import Registry
from savegen.saves import encode
from tests.runtime.play import STEPS, Play, Step
from tests.soaking import examples

NUMBERS = st.integers(0, 30)
STEP = st.tuples(st.sampled_from(STEPS), NUMBERS, NUMBERS)
# After each step: by how many steps the world goes back, to play them again; or "move".
DETOUR = st.one_of(st.just(0), st.integers(1, 6), st.just("move"))


@pytest.fixture(autouse=True)
def deaf(game: Any) -> Iterator[None]:
    yield
    game.Actor.does = None


def started(game: ModuleType, registry: Registry, recorded: bool) -> Play:
    play = Play(game, registry)
    if recorded:
        play.keep_history()
    return play


@settings(deadline=None, max_examples=examples(150))
@given(
    way=st.lists(st.tuples(STEP, DETOUR), min_size=1, max_size=25),
    recorded=st.booleans(),
)
def test_a_detour_leaves_no_trace(
    game: ModuleType, registry: Registry, way: list[tuple[Step, Any]], recorded: bool
) -> None:
    straight, play = (started(game, registry, recorded) for _ in range(2))
    for step, detour in way:
        straight.play(step)
        if detour == "move":
            straight.forget()
        play.play(step)
        again = play.move() if detour == "move" else play.go_back(detour)
        for each in again:
            play.play(each)
        assert play.seen == straight.seen


def test_a_new_process_plays_on_as_the_old_one(
    game: ModuleType, registry: Registry, tmp_path: Path
) -> None:
    dice = random.Random(7)
    steps = [
        (dice.choice(STEPS), dice.randrange(30), dice.randrange(30)) for _ in range(120)
    ]
    play = Play(game, registry)
    for step in steps[:80]:
        play.play(step)
    save = tmp_path / "play.sav"
    save.write_bytes(encode(play.trail[-1]))
    play.forget()
    for step in steps[80:]:
        play.play(step)
    folder = str(Path(str(game.__file__)).parent)
    command = [
        sys.executable,
        "-m",
        "tests.runtime.play",
        folder,
        str(save),
        json.dumps(steps[80:]),
    ]
    printed = subprocess.run(
        command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, check=True
    ).stdout
    assert json.loads(printed) == json.loads(json.dumps(play.seen[80:]))
