"""`# savegen: ignore[…]`: what is not to be told, and comments that are there for nothing."""

from __future__ import annotations

import time

import libcst
import pytest

from savegen.findings import Report
from tests.cli.games import MARKS, TABLE

HEAD = f"{MARKS}\n@saveable\n"
CONCISE = ("components", "--output-format", "concise")


@pytest.fixture
def told(bare):
    """Write a file, run savegen, and return the lines that have findings, with their codes."""

    def told(text: str, path: str = "game.py") -> list[str]:
        bare.write("pyproject.toml", TABLE.replace('"game"', '"."'))
        bare.write(path, text)
        lines = bare.run(*CONCISE).out.splitlines()
        found = (line.split(" ")[:2] for line in lines if ": SG" in line)
        return [f"{place.split(':')[1]} {code}" for place, code in found]

    return told


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}class Orc:  # savegen: ignore[SG110]\n    hp: Saved[int]\n",
        f"{HEAD}class Orc:#savegen:ignore[SG110]\n    hp: Saved[int]\n",
        f"{HEAD}class Orc:  # savegen: ignore[SG110] wired by hand\n    hp: Saved[int]\n",
        f"{HEAD}class Orc:  # noqa: E501  # savegen: ignore[SG110]\n    hp: Saved[int]\n",
        f"{HEAD}# savegen: ignore[SG110]\nclass Orc:\n    hp: Saved[int]\n",
        f"{HEAD}# savegen: ignore[SG110]\n# and a comment\nclass Orc:\n    hp: Saved[int]\n",
        f"{HEAD}class Orc:  # savegen: ignore[SG110]\r\n    hp: Saved[int]\r\n",
        f"{HEAD}class Orc:  # savegen: ignore[SG110]\n\f    hp: Saved[int]",
        f"# é\n{HEAD}class Ork:  # savegen: ignore[SG110]\n    hp: Saved[int]\n",
    ],
)
def test_a_comment_on_the_line_or_above_silences_a_finding(told, text):
    assert told(text) == []


def test_several_codes_are_separated_by_commas(told):
    code = "SG110 , SG209"
    text = f"{HEAD}class A: bs: Saved[set['A']] # savegen: ignore[{code}]\n"
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = '# savegen: ignore[SG110]'\n", ["4 SG110"]),
        ("'''\n# savegen: ignore[SG110]\n'''\n", ["4 SG110"]),
        ("# as in `# savegen: ignore[SG110]`\n", ["4 SG110"]),
        ("# savegen: ignored\n", ["4 SG110"]),
        ("# savegen: ignore[SG110]\n", ["4 SG110", "7 SG107"]),  # below, not above
    ],
)
def test_what_only_looks_like_an_ignore_comment_silences_nothing(told, text, expected):
    assert told(f"{HEAD}class Orc:\n    hp: Saved[int]\n\n{text}") == expected


def test_an_empty_line_parts_a_comment_from_what_it_is_about(told):
    text = f"{MARKS}@saveable\n# savegen: ignore[SG110]\n\nclass Orc: ...\n"
    assert told(text) == ["3 SG107", "5 SG110"]


def test_an_error_is_never_silenced(told, bare):
    text = f"{HEAD}class Orc:\n    bag: Saved[list]  # savegen: ignore[SG206]\n"
    assert told(text) == ["4 SG110", "5 SG206", "5 SG107"]
    assert bare.run("components").code == 1 and "savegen.lock" not in bare.files()


@pytest.mark.parametrize("code", ["SG999", "sg110", "SG1100", "*", "é", "SG107"])
def test_an_unknown_code_is_told_and_silences_nothing(told, code):
    text = f"{HEAD}class Orc:  # savegen: ignore[{code}]\n    hp: Saved[int]\n"
    assert told(text) == ["4 SG110", "4 SG107"]


@pytest.mark.parametrize("missing", ["", "[]", "[ ]", "[,]", "[SG110"])
def test_a_missing_code_is_told(told, missing):
    text = f"{HEAD}class Orc:  # savegen: ignore{missing}\n    hp: Saved[int]\n"
    assert told(text) == ["4 SG110", "4 SG107"]


def test_a_file_without_marks_is_told_of_its_ignore_comments(told):
    assert told("x = 1  # savegen: ignore[SG110]\n", "plain.py") == ["1 SG107"]
    assert told("x = '# savegen: ignore[SG110]'\n", "plain.py") == []


def test_a_file_without_marks_is_told_in_a_game_that_has_some(game):
    before = game.files()
    game.write("game/plain.py", "x = 1  # savegen: ignore[SG110]\n")
    said = game.run(*CONCISE).out
    assert said.startswith("game/plain.py:1:26: SG107 ") and "up to date" in said
    game.write("game/plain.py", "x = 1\n")
    assert game.run(*CONCISE).out == "up to date\n"
    assert game.files() == before | {"game/plain.py": b"x = 1\n"}


def test_a_file_that_no_import_reaches_can_say_that_it_knows(told):
    told(f"{HEAD}class Orc(OrcSaveLoad): ...\n", "foes/__init__.py")
    assert told("from savegen import Saved\n", "foes.py") == ["1 SG104"]
    text = "# savegen: ignore[SG104]\nfrom savegen import Saved\n"
    assert told(text, "foes.py") == []


def test_what_is_remembered_is_silenced_and_told_again(game, monkeypatch):
    game.replace(
        "game/orc.py", "class Orc(OrcSaveLoad):", "class Orc:  # savegen: ignore[SG110]"
    )
    game.append("game/foes/elf.py", "\n\nx = 1  # savegen: ignore[SG110]\n")
    first = game.run(*CONCISE).out.splitlines()[0]
    assert first.startswith(
        "game/foes/elf.py:11:26: SG107 `SG110` is not reported here"
    )
    monkeypatch.setattr(libcst, "parse_module", None)  # nothing is read for it again
    for change in (lambda: None, lambda: time.sleep(0.1)):
        change()
        assert game.run(*CONCISE).out == f"{first}\nup to date\n"
        assert game.run("check", *CONCISE[1:]).out == f"{first}\nup to date\n"


def test_an_ignore_comment_that_is_added_or_removed_is_noticed(game):
    game.replace("game/orc.py", "(OrcSaveLoad)", "")
    assert "SG110" in game.run("components").out
    game.replace("game/orc.py", "class Orc:", "class Orc:  # savegen: ignore[SG110]")
    assert game.run("components").out == "up to date\n"
    game.replace("game/orc.py", "  # savegen: ignore[SG110]", "")
    assert "SG110" in game.run("components").out


def test_what_is_silenced_can_still_be_wired(game):
    game.replace(
        "game/orc.py", "class Orc(OrcSaveLoad):", "class Orc:  # savegen: ignore[SG110]"
    )
    assert game.run("wire").out == "wrote game/orc.py\n"


def test_all_findings_are_looked_through_once_however_many_are_silenced(
    told, monkeypatch
):
    looked: list[int] = []
    drop = Report.drop

    def noting(report, findings):
        looked.append(len(report))
        drop(report, findings)

    monkeypatch.setattr(Report, "drop", noting)
    silenced = "class Orc{}:  # savegen: ignore[SG110]\n    hp: Saved[int]\n"
    classes = "".join(f"@saveable\n{silenced.format(n)}" for n in range(20))
    useless = "hp = 3  # savegen: ignore[SG110]\n"
    assert told(f"{MARKS}{classes}{useless}") == ["62 SG107"]
    assert looked == [20]


# Findings that are joined


FORGETFUL = (
    f"from _savegen.components.game import OrcSaveLoad\n{HEAD}"
    "class Orc(OrcSaveLoad):\n    hp: Saved[int]\n    def __init__(self):\n"
    "        self.x = 1\n        self.y = 2\n"
)


@pytest.mark.parametrize(
    ("silenced", "expected"),
    [
        ((), ["5 SG140"]),
        (("x = 1",), ["9 SG140"]),
        (("y = 2",), ["8 SG140"]),
        (("x = 1", "y = 2"), []),
        (("Load):",), []),
        (("Load):", "y = 2"), []),
        (("hp: Saved[int]",), ["5 SG140", "6 SG107"]),
    ],
)
def test_forgotten_attributes_are_silenced_each_on_its_line_or_all_at_the_class(
    told, silenced, expected
):
    text = FORGETFUL
    for end in silenced:
        text = text.replace(f"{end}\n", f"{end}  # savegen: ignore[SG140]\n")
    assert told(text) == expected
    assert told(text) == expected  # from memory
    told("from game import Orc\n", "other.py")
    assert told(text) == expected  # some of it from memory


def test_forgotten_attributes_are_joined_with_the_tuple_to_paste(bare):
    bare.write("game.py", FORGETFUL.replace("@saveable", '@saveable(transient=("z",))'))
    said = bare.run("components", "game.py")
    line = "warning[SG140]: `Orc` does not save `x` and `y`, so a load does not restore them"
    assert line in said.out
    tuple_to_paste = '`@saveable(transient=("z", "x", "y"))`'
    assert tuple_to_paste in said.out and said.out.count("SG140") == 1
    bare.replace("game.py", '("z",)', '("z", "x", "y")')
    assert "SG140" not in bare.run("components", "game.py").out
