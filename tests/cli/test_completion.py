"""The tab key: what it offers, and that it takes no time to."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from savegen.build import stories

LOADED = """
import atexit, sys
from savegen.__main__ import main
heavy = {"libcst", "jinja2", "black"}
atexit.register(lambda: print(heavy & {*sys.modules} or "nothing heavy"))
sys.argv = ["savegen"]
main()
"""


@pytest.fixture
def offer(game, monkeypatch):
    """Return what is offered behind a line, by the real door, each with what it is."""

    def offer(line: str) -> list[str]:
        monkeypatch.setenv("_SAVEGEN_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        *offered, heavy = game.python(LOADED).splitlines()
        assert heavy == "nothing heavy"
        return list(filter(None, offered))

    return offer


@pytest.fixture
def complete(offer):
    """Return the words that are offered behind a line."""
    return lambda line: [each.partition(",")[2] for each in offer(line)]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("savegen exp", ["explain"]),
        ("savegen check --str", ["--strict"]),
        ("savegen check --output-format ", ["text", "concise", "json", "github"]),
        ("savegen explain SG30", [f"SG30{n}" for n in range(1, 10) if n != 6]),
        ("savegen explain sg107", ["SG107"]),
        ("savegen show O", ["Orc"]),
        ("savegen show ", ["Elf", "Orc"]),
        ("savegen completion z", ["zsh"]),
        ("savegen lock ret", ["retire"]),
        ("savegen level p", ["preview", "pack"]),
        ("savegen saves v", ["verify"]),
        ("savegen lock show ", ["Elf", "Orc"]),
        ("savegen lock retire E", ["Elf"]),
        ("savegen lock retire Elf O", ["Orc"]),
    ],
)
def test_the_tab_key_offers_what_can_follow(complete, line, offered):
    assert complete(line) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("savegen components ga", "file,ga"),
        ("savegen components game/a.py ", "file,"),
        ("savegen check ga", "file,ga"),
        ("savegen wire ga", "file,ga"),
        ("savegen clean ga", "file,ga"),
        ("savegen show --graph ga", "file,ga"),
        ("savegen --config py", "file,py"),
        ("savegen check --config py", "file,py"),
        ("savegen release ga", "dir,ga"),
    ],
)
def test_paths_are_left_to_the_shell(offer, line, offered):
    assert offer(line) == [offered]


def test_every_code_is_offered(complete):
    assert complete("savegen explain ") == stories.codes()


def test_without_a_game_no_class_is_offered(bare, complete, game):
    game.remove("savegen.lock")
    assert complete("savegen show ") == []
    game.write("pyproject.toml", "[tool.savegen")
    assert complete("savegen show ") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(bare, shell):
    said = bare.run("completion", shell)
    assert said.code == 0 and f"_SAVEGEN_COMPLETE={shell}_complete" in said.out


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
def test_bash_understands_its_script(game):
    folder = Path(sys.executable).parent
    program = f"""
        PATH={folder}:$PATH
        eval "$(savegen completion bash)"
        COMP_WORDS=(savegen explain SG20)
        COMP_CWORD=2
        _savegen_completion savegen
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", program], cwd=game.folder, capture_output=True, text=True
    )
    expected = [code for code in stories.codes() if code.startswith("SG20")]
    assert (done.stdout.split(), done.stderr) == (expected, "")


def test_another_shell_is_refused(bare):
    said = bare.run("completion", "elvish")
    assert said.code == 2 and "'fish'" in said.err
