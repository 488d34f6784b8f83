"""How findings are printed for people and programs, and `--strict`."""

from __future__ import annotations

import json
import re
import time

import pytest

from tests.cli.games import TABLE

WARNING = {
    "path": "game/orc.py",
    "line": 7,
    "column": 7,
    "end_line": 7,
    "end_column": 10,
    "code": "SG110",
    "severity": "warning",
    "message": "`Orc` does not inherit from `OrcSaveLoad` yet",
    "help": "run `savegen wire`",
}
ERROR = WARNING | {"severity": "error"}
CONCISE = "game/orc.py:7:7: SG110 `Orc` does not inherit from `OrcSaveLoad` yet\n"
GITHUB = (
    "::warning file=game/orc.py,line=7,col=7,endLine=7,endColumn=10,title=SG110::"
    "`Orc` does not inherit from `OrcSaveLoad` yet\n"
)


@pytest.fixture
def unwired(game):
    game.replace("game/orc.py", "class Orc(OrcSaveLoad)", "class Orc")
    return game


@pytest.mark.parametrize(
    ("verb", "code", "done"),
    [("components", 0, "up to date\n"), ("check", 1, "would change game/orc.py\n")],
)
def test_findings_are_printed_in_the_format_of_choice(unwired, verb, code, done):
    for _ in range(2):  # the second time from memory
        for form, expected in {"concise": CONCISE, "github": GITHUB}.items():
            said = unwired.run(verb, "--output-format", form)
            assert said.code == code and said.out.startswith(expected)
        said = unwired.run(verb, "--output-format", "json")
        assert (said.code, json.loads(said.out)) == (code, [WARNING])
        assert said.err.startswith(done)
        time.sleep(0.1)


def test_without_findings_json_is_an_empty_array(game):
    time.sleep(0.1)
    for verb in ("components", "check", "components", "wire"):
        assert game.run(verb, "--output-format", "json") == (0, "[]\n", "up to date\n")


def test_what_is_written_leaves_stdout_to_json(unwired):
    unwired.append("game/orc.py", "    mp: Saved[int] = 0\n")
    said = unwired.run("check", "--output-format", "json", "--diff")
    assert said.code == 1 and json.loads(said.out) == [WARNING]
    assert "would change savegen.lock" in said.err and "+    mp: int" in said.err
    said = unwired.run("components", "--output-format", "json")
    assert said.code == 0 and json.loads(said.out) == [WARNING]
    assert "wrote savegen.lock\n" in said.err
    said = unwired.run("wire", "--output-format", "json")
    assert (said.code, said.out, said.err) == (0, "[]\n", "wrote game/orc.py\n")


def test_an_unknown_format_is_refused(game):
    said = game.run("check", "--output-format", "xml")
    assert said.code == 2 and "'concise'" in said.err


HOSTILE = "we%ird::a,b\n\x1b[31m.py"


def test_hostile_paths_and_text_stay_one_finding(bare):
    bare.marked(HOSTILE, "Orc", "loot: Saved[list]")
    said = bare.run("components", ".", "--output-format", "json")
    assert {each["path"] for each in json.loads(said.out)} == {HOSTILE}
    said = bare.run("components", ".", "--output-format", "concise")
    shown = HOSTILE.replace("\n", r"\n").replace("\x1b", r"\x1b")
    assert all(line.startswith(f"{shown}:") for line in said.out.splitlines())
    said = bare.run("components", ".", "--output-format", "github")
    path = r"we%25ird%3A%3Aa%2Cb%0A\x1b[31m.py"
    for line in said.out.splitlines():
        assert line.partition(" ")[2].startswith(f"file={path},line=")
        assert line.count("::") == 2 or "SG124" in line
    assert "%0A" in said.out.rpartition("SG124::")[2]


@pytest.mark.parametrize(
    "folder",
    ["a\n::error file=x::pwn", "a\r  ::error::pwn", "::error::pwn", "##[error]"],
)
def test_no_line_beside_the_findings_is_a_command_to_github(bare, folder):
    bare.write(f"{folder}/pyproject.toml", TABLE)
    bare.marked(f"{folder}/game/orc.py", "Orc")
    options = ("--output-format", "github", "--config", f"{folder}/pyproject.toml")
    wrote = bare.run("components", *options)
    assert "\nwrote " in wrote.out and "wrote 6 files" in wrote.out
    bare.append(f"{folder}/game/_savegen/components/orc.py", "# by hand\n")
    checked = bare.run("check", "--diff", *options)
    assert "would replace hand-edited " in checked.out
    assert "run `savegen build --config " in checked.err
    kept = bare.run("components", *options)
    assert "edited by hand" in kept.err
    bare.write(f"{folder}/game/_savegen/components/orc.py", "# mine\n")
    refused = bare.run("components", *options)
    assert refused.code == 2
    for said in (wrote, checked, kept, refused):
        for line in re.split("[\r\n]", said.out + said.err):
            beside = "##[" in line or line.lstrip().startswith("::")
            assert not beside or ",title=SG110::" in line


# --strict


def test_strict_makes_errors_of_warnings_and_writes_nothing(unwired):
    unwired.append("game/orc.py", "    mp: Saved[int] = 0\n")
    before = unwired.files()
    said = unwired.run("components", "--strict")
    assert said.code == 1 and said.err == ""
    assert said.out.startswith("error[SG110]") and said.out.endswith("\n\n1 error\n")
    assert unwired.files() == before
    checked = unwired.run("check", "--strict")
    assert checked.code == 1 and checked.out.startswith(said.out)


def test_a_strict_failure_is_not_taken_for_written(unwired):
    unwired.append("game/orc.py", "    mp: Saved[int] = 0\n")
    unwired.run("components", "--strict")
    assert "wrote game/_savegen/components/orc.py\n" in unwired.run("components").out
    assert unwired.run("components") == unwired.run("components")


@pytest.mark.parametrize("verb", ["components", "check"])
def test_strict_counts_where_nothing_has_changed(unwired, verb):
    unwired.run("components")
    time.sleep(0.1)
    assert unwired.run("components").code == 0  # sealed
    assert unwired.run(verb, "--strict").code == 1
    said = unwired.run(verb, "--strict", "--output-format", "json")
    assert (said.code, json.loads(said.out)) == (1, [ERROR])
    assert unwired.run(verb).code == (verb == "check")


@pytest.mark.parametrize("verb", ["components", "check"])
def test_strict_lets_notes_and_silenced_warnings_pass(game, verb):
    game.append(
        "game/orc.py",
        "\n    def __init__(self) -> None:\n        self.mp: Saved[int] = 0\n",
    )
    game.replace("game/foes/elf.py", "class Elf(ElfSaveLoad):", "class Elf:  #")
    game.append("game/foes/elf.py", "\n")
    game.replace("game/foes/elf.py", "#", "# savegen: ignore[SG110]")
    assert game.run("components").code == 0
    said = game.run(verb, "--strict")
    assert said == (0, "1 note (--all shows it)\nup to date\n", "")
    said = game.run(verb, "--strict", "--all")
    assert said.code == 0 and said.out.startswith("note[SG114]")


# What is shown of many


@pytest.fixture
def messy(bare):
    """A game with five warnings of one code, and two errors that stand before them."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    for name in ("Ape", "Bat"):
        bare.marked(f"game/{name.lower()}.py", name, "loot: Saved[list]")
    for name in ("Cat", "Dog", "Eel"):
        bare.marked(f"game/{name.lower()}.py", name)
    return bare


def test_repeats_are_folded_in_text_only_and_errors_come_last(messy):
    found = re.findall(
        r"^(?:\w+\[\w+\]|…).*", messy.run("components").out, re.MULTILINE
    )
    assert [line.partition(":")[0] for line in found] == [
        "warning[SG110]",
        "warning[SG110]",
        "warning[SG110]",
        "… and 2 more SG110; --all shows them",
        "error[SG206]",
        "error[SG206]",
    ]
    for option in ("--all", "--verbose"):
        assert messy.run("components", option).out.count("[SG110]") == 5
    for form in ("concise", "json", "github"):
        said = messy.run("check", "--output-format", form)
        assert said.out.count("SG110") == 5 and "more" not in said.out
        assert messy.run("check", "--output-format", form, "--all").out == said.out


def test_the_count_is_the_line_next_to_the_prompt(messy):
    assert messy.run("components").out.endswith("\n\n2 errors, 5 warnings\n")
