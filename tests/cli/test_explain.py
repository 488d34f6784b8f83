"""`savegen explain` and `savegen rules`: what a finding means."""

from __future__ import annotations

import json

import pytest

from savegen.build import stories
from tests.project import try_python
from tests.test_parity import findings

SG114 = """\
note[SG114]: `Saved[…]` is used in a method

savegen reads this mark and saves the field, so nothing is
wrong for your players. But pyright rejects `Saved[…]`
inside a method, so your editor may show an error.

Write `Annotated[int, Save()]` instead, which all type
checkers accept. Or declare the field in the class body
with `Saved[int]`, and only assign it in the method.

Examples leave out the generated base class; `savegen
wire` adds it.

wrong:

    from savegen import Saved, saveable


    @saveable
    class Orc:
        def __init__(self) -> None:
            self.hp: Saved[int] = 10

right:

    from typing import Annotated

    from savegen import Save, saveable


    @saveable
    class Orc:
        def __init__(self) -> None:
            self.hp: Annotated[int, Save()] = 10
"""


@pytest.mark.parametrize("code", ["SG114", "sg114"])
def test_a_story_is_told_as_wide_as_the_terminal(bare, monkeypatch, code):
    monkeypatch.setenv("COLUMNS", "58")
    assert bare.run("explain", code) == (0, SG114, "")


@pytest.mark.parametrize(
    "columns", ["1", "20", "88", "1000", "0", "-3", "9" * 5000, "wide"]
)
def test_any_width_will_do(bare, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    said = bare.run("explain", "SG203")
    assert said.code == 0
    words = stories.story("SG203").text.split()
    assert said.out.split()[7 : 7 + len(words)] != [] and words[-1] in said.out
    assert max(map(len, said.out.splitlines())) <= 88


def test_what_was_there_before_is_shown_too(bare):
    said = bare.run("explain", "SG301").out
    assert said.index("before:\n") < said.index("wrong:\n") < said.index("right:")


def test_headings_have_colour_on_demand(bare):
    said = bare.run("explain", "SG203", "--color").out
    assert said.startswith("\x1b[1;31merror[SG203]\x1b[0m\x1b[1m: A function")
    assert "\n\x1b[1;31mwrong:\x1b[0m\n" in said
    assert "\x1b" not in bare.run("explain", "SG203", "--no-color").out


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("SG230", "did you mean 'SG203'? "),
        ("sg331", "did you mean 'SG301' or 'SG311' or 'SG321'? "),
        ("203", "did you mean 'SG203'? "),
        ("SG20", ""),
        ("SG139", ""),  # one digit from many codes
        ("SG999", ""),
        ("frogs", ""),
        ("../SG203", ""),
        ("", ""),
    ],
)
def test_an_unknown_code_is_refused_with_near_ones(bare, code, hint):
    said = bare.run("explain", code)
    every = "`savegen rules` lists all codes"
    assert said == (2, "", f"error: there is no finding {code!r}; {hint}{every}\n")


def test_rules_lists_every_finding_once(bare):
    said = bare.door("rules")  # a process of its own: it must find them by itself
    assert said.out.startswith(
        "SG1xx  Marking classes and fields\nSG101  error    A file has a syntax error\n"
    )
    lines = list(filter(None, said.out.splitlines()))
    codes = [line.split()[0] for line in lines]
    known = sorted({finding.code for finding in findings()})
    assert [code for code in codes if not code.endswith("xx")] == known
    assert [code for code in codes if code.endswith("xx")] == sorted(
        {f"{code[:3]}xx" for code in known}
    )
    assert codes == sorted(codes, key=lambda code: code.replace("xx", "00"))
    assert said.err == "`savegen explain CODE` explains a finding\n"


def test_rules_as_data(bare):
    found = {
        each["code"]: each
        for each in json.loads(bare.run("rules", "--format=json").out)
    }
    assert list(found) == stories.codes()
    assert found["SG203"]["name"] == "callable_field"
    assert found["SG114"] | {"text": ""} == {
        "code": "SG114",
        "name": "saved_in_method",
        "severity": "info",
        "title": "`Saved[…]` is used in a method",
        "text": "",
        "wrong": stories.story("SG114").shown("wrong"),
        "right": stories.story("SG114").shown("right"),
    }


@pytest.mark.parametrize("words", [["explain", "SG203"], ["rules", "-q"]])
def test_telling_stories_takes_neither_parser_nor_templates(tmp_path, words):
    program = (
        "import sys; from savegen import cli; code = cli.run(sys.argv[1:]);"
        "sys.exit(code or ' '.join({'libcst', 'jinja2', 'black'} & {*sys.modules}))"
    )
    done = try_python("-c", program, *words, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") or done.stderr == "\n"
