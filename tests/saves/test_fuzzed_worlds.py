"""Fuzzed files of a game with all sorts of fields: refused, or a world that can be saved again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import msgpack

from savegen.runtime.errors import SaveError
from savegen.saves import Metadata, decode, encode
from tests.promises.games import Game, Play
from tests.promises.test_damaged import GAME
from tests.saves.test_file import parts_of, resealed, section
from tests.saves.test_hostile import mutated
from tests.soaking import examples

LEAVES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        3,
        7,
        2**31,
        2**32 + 1,
        2**53 + 1,
        2**63,
        -(2**63),
    ),
    *(0.5, -0.0, 1e300, float("inf"), float("nan"), "", "x", "a", "CALM", "2020-01-01"),
    *(
        "1.5",
        "NaN",
        "hp",
        "bag",
        b"",
        b"\xc0",
        [],
        [0],
        ["a"],
        [[1]],
        {},
        {"a": 1},
        {0: 1},
    ),
    *([1, 2], [0, 0], [1.5, 2.5], [["a", 1]], [3, "x"], {16: [1]}, {0: {0: 1}}),
]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    game = Game(tmp_path_factory.mktemp("game"), GAME).generate()
    with game.playing() as play:
        yield play


@pytest.fixture(scope="module")
def parts(play: Play) -> list[bytes]:
    """Return the parts of a save: heroes that know each other, and a value that is none."""
    manager, game = play.manager(), play.game
    heroes = [manager.add(game.Hero(number)) for number in range(3)]
    heroes[0].friend, heroes[1].friend = heroes[1], heroes[0]
    heroes[2].bag = heroes[0].bag
    heroes[1].hp = 1.5
    heroes[2].at = [3]
    del heroes[2].stats
    return parts_of(encode(manager.create_snapshot()))


def spoilt(value: Any, dice: random.Random) -> Any:
    """Return a value that is not quite the same: one of its leaves is another."""
    if isinstance(value, list) and value and dice.random() < 0.85:
        made = [*value]
        place = dice.randrange(len(made))
        how = dice.random()
        if how < 0.9:
            made[place] = spoilt(made[place], dice)
        elif how < 0.95:
            del made[place]
        else:
            made.insert(place, made[place])
        return made
    if isinstance(value, dict) and value and dice.random() < 0.85:
        key = dice.choice([*value])
        return {**value, key: spoilt(value[key], dice)}
    if type(value) is int and dice.random() < 0.3:
        return value - 1 if value > 0 else value + 1
    alike = [leaf for leaf in LEAVES if type(leaf) is type(value)]
    return dice.choice(alike if alike and dice.random() < 0.6 else LEAVES)


def fuzzed(parts: list[bytes], dice: random.Random) -> bytes:
    """Return a file with right digests, and with a part that was changed."""
    made, place = [*parts], dice.randrange(len(parts))
    if dice.random() < 0.2:
        made[place] = mutated(made[place], dice, 1)
    else:
        part = msgpack.decode(made[place])
        for _ in range(dice.choice([1, 1, 2])):
            inside = dice.randrange(1, len(part))
            part[inside] = spoilt(part[inside], dice)
        made[place] = msgpack.encode(part)
    return resealed(section(*made), Metadata())


def outcome(play: Play, data: bytes) -> str:
    """Load a file. If that works, the world can be saved, and comes back as it is."""
    manager = play.manager()
    manager.add(play.game.Hero(99))
    before = manager.create_snapshot().digest()
    try:
        report = manager.apply_snapshot(decode(data, manager))
    except SaveError as error:
        assert manager.create_snapshot().digest() == before, f"changed by {error}"
        return "refused"
    snapshot, other = manager.create_snapshot(), play.manager()
    other.apply_snapshot(decode(encode(snapshot), other))
    assert other.create_snapshot().digest() == snapshot.digest()
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        named = [found.where for found in (*report.mismatches, *report.lost)]
        assert any(where in str(error) for where in named), f"strict: {error}"
    return "loaded"


@settings(
    max_examples=examples(400), suppress_health_check=[*HealthCheck], deadline=None
)
@given(seed=st.integers(0, 2**40))
def test_a_fuzzed_file_is_refused_or_its_world_can_be_saved_and_loaded_again(
    play: Play, parts: list[bytes], seed: int
) -> None:
    outcome(play, fuzzed(parts, random.Random(seed)))


def test_some_fuzzed_files_load(play: Play, parts: list[bytes]) -> None:
    """The control arm: the test above does not only see refused files."""
    made = (fuzzed(parts, random.Random(seed)) for seed in range(100))
    found = [outcome(play, data) for data in made]
    assert 10 < found.count("loaded") < 90
