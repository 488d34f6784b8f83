"""Each finding has its story, and the examples in it show just that finding, and its absence."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from savegen.build import stories
from tests.cli.games import Game
from tests.levels import example as example_level
from tests.test_parity import findings

# No text of a file is at fault: its story says so.
WITHOUT_EXAMPLE = {
    "SG105": "the text of a file cannot cause this",
    **dict.fromkeys(("SG134", "SG135"), "the reason is not in the text of"),
    "SG307": "only appears after a merge",
    "SG541": "only a running game reports this finding",
    **dict.fromkeys(("SG501", "SG502", "SG503"), "a folder cannot be shown as text"),
    **{f"SG53{n}": "an image cannot be shown as text" for n in range(1, 9)},
}
WITH_EXAMPLE = sorted(set(stories.codes()) - WITHOUT_EXAMPLE.keys())
# What its examples are run with, where that is not `components`.
PREFABS = ("components", "prefabs")
VERBS = {
    "SG106": ("wire",),
    "SG309": PREFABS,
    "SG310": PREFABS,
    "SG4": PREFABS,
    "SG411": ("build",),
    "SG412": ("build",),
}
EXPECTED_BEFORE_WIRING = "SG110"


# Nobody is told of it before it was said that this will not come back.
RETIRED = {"SG603": "Mood.ANGRY"}
# The story says that savegen reports these although the fault is mended.
REMINDERS = {"SG621"}


def found(game: Game, code: str, tag: str) -> dict[str, str]:
    """Run savegen over the files of a story; return severities by code."""
    files = stories.story(code).files(tag)
    for path, text in files.items():
        game.write(path, text)
    if code.startswith("SG6"):
        return broken(game, code, tag)
    if code.startswith("SG5"):
        return in_level(game, files)
    for verb in VERBS.get(code) or VERBS.get(code[:3], ("components",)):
        said = game.run(verb, "--output-format", "json")
    return {each["code"]: each["severity"] for each in json.loads(said.out)}


def in_level(game: Game, files: dict[str, str]) -> dict[str, str]:
    """Draw a level that the story's `level.lvl` tells of, and read it."""
    text = files.get("game.py")
    if text is None:
        return {}
    folder = example_level.write(game.folder / "cavern", {"level.lvl": text})
    findings = example_level.layout_and_findings(folder)[1]
    return {each.code: each.severity.name.lower() for each in findings}


def broken(game: Game, code: str, tag: str) -> dict[str, str]:
    """Release the version `before`, and compare the others with it."""
    if tag == "before":
        for words in ("components", "wire", "build", "release out"):
            assert game.run(*words.split()).code == 0
        return {}
    if tag == "wrong" and code in RETIRED:
        assert game.run("lock", "retire", RETIRED[code]).code == 0
    said = game.run("breaking", "--against", "out", "--output-format", "json")
    return {each["code"]: each["severity"] for each in json.loads(said.out)}


@pytest.fixture
def example(bare: Game) -> Game:
    bare.write("pyproject.toml", "[tool.savegen]\nsource = '.'\nsave_version = 3\n")
    return bare


@pytest.fixture
def bare(tmp_path: Path) -> Game:
    return Game(tmp_path)


def test_each_finding_has_a_story_and_each_story_a_finding() -> None:
    assert stories.codes() == sorted({finding.code for finding in findings()})


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_a_wrong_example_shows_its_finding_and_no_other(
    code: str, example: Game
) -> None:
    if stories.story(code).files("before"):
        assert "error" not in found(example, code, "before").values()
    codes = found(example, code, "wrong")
    assert code in codes and not codes.keys() - {code, EXPECTED_BEFORE_WIRING}


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_a_right_example_shows_no_finding(code: str, example: Game) -> None:
    found(example, code, "before")
    codes = found(example, code, "right")
    stays = {code} & REMINDERS
    assert codes.keys() - {EXPECTED_BEFORE_WIRING} == stays


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_a_right_example_is_a_whole_file(code: str) -> None:
    for path, text in stories.story(code).files("right").items():
        if code.startswith("SG5"):
            json.loads(text)
        else:
            compile(ast.parse(text), path, "exec")


@pytest.mark.parametrize("code", WITHOUT_EXAMPLE)
def test_a_story_without_example_says_why(code: str) -> None:
    story = stories.story(code)
    assert not story.blocks and WITHOUT_EXAMPLE[code] in story.text


@pytest.mark.parametrize("code", stories.codes())
def test_a_story_is_a_title_and_paragraphs(code: str) -> None:
    story = stories.story(code)
    assert story.title and not story.title.endswith(".") and "\n" not in story.title
    assert 2 <= len(story.text.split("\n\n")) <= 4 and "```" not in story.text
    assert "\n" not in story.text.replace("\n\n", "")  # wrapped when it is shown
    tags = {tag for tag, _ in story.blocks}
    assert tags >= {"wrong", "right"} or code in WITHOUT_EXAMPLE
