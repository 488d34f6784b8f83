"""The bar that long runs show: on a terminal only, and gone afterwards."""

from __future__ import annotations

import io
import re
import sys

import pytest

from savegen.cli._progress import Progress
from savegen.build.source import Project

IMPATIENT = """
import sys
from savegen.__main__ import main
from savegen.cli import _progress
_progress.PATIENCE = _progress._INTERVAL = 0
sys.exit(main())
"""
CLEAR = "\r\x1b[K"


class Clock:
    """Goes on by a step whenever it is looked at."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def shown(step: float, width: int = 80, encoding: str = "utf-8", count: int = 4) -> str:
    """Return what a terminal is sent while a project of some modules is walked through."""
    sent = io.BytesIO()
    stream = io.TextIOWrapper(sent, encoding, write_through=True)
    project = Project(".", {f"m{number}": f"m{number}.py" for number in range(count)})
    with Progress(project, stream, width, False, Clock(step)):
        modules = tuple(project)
        assert tuple(project.with_progress("reading", modules)) == modules
    return sent.getvalue().decode(encoding)


def test_a_short_run_shows_nothing():
    assert shown(0.01) == ""


def test_a_long_one_shows_how_far_it_is_and_clears_the_line():
    *frames, last = shown(0.6, width=31).split(CLEAR)[1:]
    assert last == ""
    assert frames == [
        "reading 1 of 4 ━━━            ",
        "reading 2 of 4 ━━━━━━━        ",
        "reading 3 of 4 ━━━━━━━━━━━    ",
    ]


def test_a_terminal_without_the_letters_gets_others():
    assert "reading 2 of 4 ####" in shown(0.6, encoding="latin-1")


@pytest.mark.parametrize("width", [1, 5, 16, 40, 500])
def test_a_bar_fits_on_one_line(width):
    frames = shown(0.6, width).split(CLEAR)
    assert all(len(frame) < max(width, 1) for frame in frames)


def test_nothing_is_drawn_between_two_looks():
    assert len(shown(0.005, count=400).split(CLEAR)) <= 60


def test_who_is_interrupted_has_a_clean_terminal():
    stream = io.StringIO()
    project = Project(".", {"a": "a.py", "b": "b.py"})
    with (
        pytest.raises(KeyboardInterrupt),
        Progress(project, stream, 80, False, Clock(2)),
    ):
        for _ in project.with_progress("reading", ("a", "b")):
            raise KeyboardInterrupt
    assert stream.getvalue().endswith(CLEAR)
    assert project.with_progress("reading", ("a",)) == ("a",)  # nobody watches any more


terminal = pytest.mark.skipif(
    sys.platform == "win32", reason="no pseudo-terminals there"
)


@terminal
@pytest.mark.parametrize("verb", ["components", "check", "show", "wire"])
def test_a_terminal_sees_a_bar_and_then_the_results(game, verb):
    game.append("game/orc.py", "# a comment\n")
    said = game.terminal(verb, program=IMPATIENT, NO_COLOR="1")
    bar, _, results = said.rpartition(CLEAR)
    assert re.search(r"\x1b\[Kchecking 0 of 2 +\r", f"{bar}\r")
    assert results == game.run(verb).out


@terminal
def test_a_bar_has_colour_like_everything_else(game):
    bar = "\x1b[Kchecking 1 of 2 \x1b[1;36m━"
    assert bar in game.terminal("check", "--no-cache", program=IMPATIENT)
    plain = game.terminal("check", "--no-cache", "--no-color", program=IMPATIENT)
    assert "━" in plain and "\x1b[1" not in plain


@terminal
@pytest.mark.parametrize(
    ("words", "env", "expected"),
    [
        (["--quiet"], {}, ""),
        ([], {"TERM": "dumb"}, "up to date\n"),
        ([], {"CI": "true"}, "up to date\n"),
    ],
)
def test_who_does_not_look_on_gets_no_bar(game, words, env, expected):
    game.append("game/orc.py", "# a comment\n")
    said = game.terminal("components", *words, program=IMPATIENT, **env)
    assert said == expected


@terminal
def test_an_ordinary_run_is_too_short_for_a_bar(game):
    game.append("game/orc.py", "# a comment\n")
    assert game.terminal("components") == "up to date\n"


def test_a_pipe_gets_no_bar(game):
    game.append("game/orc.py", "# a comment\n")
    assert game.door("components").err == ""
