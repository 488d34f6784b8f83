"""Source files that are nasty: each is told by file, line and column, and the others are scanned."""

from __future__ import annotations

import ast
import re
from itertools import combinations

import pytest

from tests.cli.games import MARKS, TABLE

FINE = f"{MARKS}\n\n@saveable\nclass Fine:\n    hp: Saved[int] = 3\n"  # 6 lines
NEIGHBOUR = ("SG206", "game/neighbour.py", 6, 10)  # the finding of the file beside it


@pytest.fixture
def project(bare):
    """A project with one file in which something is found."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.marked("game/neighbour.py", "Neighbour", "bag: Saved[list]")
    return bare


def found(said) -> list[tuple[str, str, int, int]]:
    """The errors that were told: code, path, line and column of each."""
    pattern = r"^error\[(\w+)\].*\n *--> (.*):(\d+):(\d+)$"
    told = re.findall(pattern, said.out, re.MULTILINE)
    return [(code, path, int(line), int(column)) for code, path, line, column in told]


def assert_sound(project) -> None:
    """Build, and see that what was generated is Python."""
    project.remove("game/neighbour.py")
    project.run("wire")
    said = project.run("components")
    assert said.code == 0, said
    for path, data in project.files().items():
        if "_savegen/" in path:
            ast.parse(data, path)


def test_the_neighbour_is_found(project):
    assert found(project.run("components")) == [NEIGHBOUR]


# Files that cannot be read


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("def (:\n" + FINE, 1, 5, "invalid syntax"),
        (FINE + "def f(:\n", 7, 7, "invalid syntax"),
        (FINE + "x = (1,", 7, 5, "'(' was never closed"),
        (FINE + "if True\n    pass\n" + FINE, 7, 8, "expected ':'"),
        (FINE + "été = 'ü' +* 2\n", 7, 12, "invalid syntax"),
        (FINE + "if x:\n\t日本 = = 1\n", 8, 7, "invalid syntax"),
        ("\f\n\f" + FINE + "x = = 1\n", 8, 5, "invalid syntax"),
        ((FINE + "x = = 1\n").replace("\n", "\r\n"), 7, 5, "invalid syntax"),
        ((FINE + "x = = 1\n").replace("\n", "\r"), 7, 5, "invalid syntax"),
        ("\ufeff" + FINE + "x = = 1\n", 7, 5, "invalid syntax"),
        (FINE + "x = '\0'\n", 7, 6, "it contains a null byte"),
        ("# \0\n" + FINE, 1, 3, "it contains a null byte"),
        (FINE + "s = '''\n\n", 7, 5, "unterminated triple-quoted string literal"),
        (
            FINE + "x = 1\N{NO-BREAK SPACE}+ 2\n",
            7,
            6,
            "invalid non-printable character",
        ),
        (
            FINE + "  x = 1\n",
            7,
            8,
            "unindent does not match any outer indentation level",
        ),
    ],
)
def test_a_fault_of_syntax_is_told_where_it_is(project, text, line, column, reason):
    project.write("game/bad.py", text)
    said = project.run("components")
    assert found(said) == [("SG101", "game/bad.py", line, column), NEIGHBOUR]
    assert f"error[SG101]: cannot parse the file: {reason}" in said.out


@pytest.mark.parametrize(
    ("data", "line", "column", "reason"),
    [
        (FINE.encode() + b"# caf\xe9\n", 7, 6, "byte 0xe9 is not utf-8"),
        (b"# caf\xe9\n" + FINE.encode(), 1, 6, "byte 0xe9 is not utf-8"),
        (b"#\n# \xc3\xa9 \xff\n" + FINE.encode(), 2, 5, "byte 0xff is not utf-8"),
        (FINE.encode() + b"x = '\xc3\xa9\xc3'\n", 7, 7, "byte 0xc3 is not utf-8"),
        (
            (FINE + "x").replace("\n", "\r").encode() + b"\xff",
            7,
            2,
            "byte 0xff is not utf-8",
        ),
        (
            b"# coding: ascii\n" + FINE.encode() + b"#\xff",
            8,
            2,
            "byte 0xff is not ascii",
        ),
        (b"# coding: klingon\n" + FINE.encode(), 1, 1, "unknown encoding: klingon"),
        (
            b"#!python\n# coding: klingon\n" + FINE.encode(),
            2,
            1,
            "unknown encoding: klingon",
        ),
        (
            b"\xef\xbb\xbf# coding: latin-1\n" + FINE.encode(),
            1,
            1,
            "encoding problem: utf-8",
        ),
        (b"# coding: rot13\n" + FINE.encode(), 1, 1, "'rot13' is not a text encoding"),
        (
            b"# coding: utf-16\n" + FINE.encode(),
            1,
            1,
            "it declares utf-16, but its first lines are not in utf-16",
        ),
        *(
            (FINE.encode(name), 1, 1, f"it is {name.upper()}, which Python does not")
            for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le")
        ),
        (b"\xfe\xff" + FINE.encode("utf-16-be"), 1, 1, "it is UTF-16, which Python"),
    ],
)
def test_bytes_that_are_no_text_are_told_where_they_are(
    project, data, line, column, reason
):
    project.write("game/bad.py", data)
    said = project.run("components")
    assert found(said) == [("SG102", "game/bad.py", line, column), NEIGHBOUR]
    assert f"error[SG102]: cannot decode the file: {reason}" in said.out


ENDLESS = {
    "parentheses": "x = " + "(" * 3000 + "1" + ")" * 3000,
    "parentheses that stay open": "x = " + "(" * 3000,
    "brackets and braces": "x = " + "[{(" * 1000 + ")}]" * 1000,
    "a sum": "x = " + " + ".join(["1"] * 5000),
    "a union": "x: " + " | ".join(["int"] * 5000),
    "signs": "x = " + "-" * 5000 + "1",
    "attributes": "x = a" + ".b" * 5000,
    "calls": "x = f" + "()" * 3000,
    "lambdas": "x = " + "lambda: " * 3000 + "1",
    "conditions": "x = " + "1 if x else " * 3000 + "1",
    "elifs": "if x: pass\n" + "elif x: pass\n" * 3000 + "x = 1",
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(95)) + " " * 95 + "x",
    "assignments": "x = " * 5000 + "1",
    "comparisons": "x = 1" + " < 2" * 5000,
    "strings": "x = " + "'a' " * 5000,
    "links": "x = " + " and ".join(["x"] * 20_000),
    "broken links": "x = " + " and ".join(["x"] * 20_000) + " and",
    "a dotted import": "import " + ".".join(["a"] * 20_000),
    "dots over lines": "x = (a" + "\n    .b()" * 20_000 + ")",
    "items": "x = f" + "[0]" * 5000,
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_goes_on_without_end_stops_nothing(project, kind):
    project.write("game/deep.py", f"{FINE}{ENDLESS[kind]}\n")
    said = project.door("components")
    assert said.code == 1 and said.err == ""
    errors = found(said)
    assert errors[-1] == NEIGHBOUR
    assert {code for code, path, *_ in errors if "deep" in path} <= {"SG101", "SG103"}


def test_brackets_in_strings_nest_nothing(project):
    project.write("game/art.py", f"{FINE}ART = '{'([{' * 999}'\n")
    assert found(project.run("components")) == [NEIGHBOUR]


@pytest.mark.parametrize(
    "code",
    ["__slots__ = 1", "x = '\\ud800'", "X = 'a' if '\\udfff' else ''", "(x): int = 3"],
)
def test_odd_code_is_read_or_one_finding(project, code):
    project.write("game/odd.py", f"{FINE}{code}\n\n\nclass A:\n    {code}\n")
    errors = [each for each in found(project.run("components")) if "odd" in each[1]]
    assert [code for code, *_ in errors] in ([], ["SG101"])


def test_what_is_only_long_is_read(project):
    rows = "".join(f"    ({n}, 'name {n}', [1, 2, 3]),\n" for n in range(1000))
    project.write("game/data.py", f"{FINE}ROWS = [\n{rows}]\n# {'x' * 1_000_000}\n")
    assert found(project.run("components")) == [NEIGHBOUR]
    assert_sound(project)
    assert "data:Fine" in project.read("savegen.lock")


@pytest.mark.parametrize(
    "text",
    ["", "\n", "# savegen\n", "# saveable", "\ufeff", "\f", '"""savegen"""', "\r"],
)
def test_a_file_without_statements_is_no_fault(project, text):
    project.write("game/empty.py", text)
    assert found(project.run("components")) == [NEIGHBOUR]


FORMS = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "a byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "tabs": lambda text: text.replace("    ", "\t").encode(),
    "form feeds": lambda text: text.replace("@sav", "\f@sav").encode(),
    "Latin-1": lambda text: f"# coding: latin-1 é\n{text}".encode("latin-1"),
    "no end": lambda text: text.rstrip("\n").encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_columns_count_in_every_form_of_file(project, form):
    project.write("game/odd.py", FORMS[form](FINE + "    bag: Saved[list] = ()\n"))
    (odd,) = [each for each in found(project.run("components")) if "odd" in each[1]]
    line, column = 7 + (form == "Latin-1"), 7 if form == "tabs" else 10
    assert odd == ("SG206", "game/odd.py", line, column)


# One fault is one finding


def test_a_file_that_cannot_be_read_makes_no_findings_in_those_that_need_it(project):
    shared = "from dataclasses import dataclass\nfrom enum import Enum\n" + MARKS
    project.write(
        "game/base.py",
        f"{shared}\n\nclass Mood(Enum):\n    CALM = 1\n\n\n@dataclass(frozen=True)\nclass Vec:\n"
        "    x: int\n\n\n@saveable\nclass Base:\n    hp: Saved[int] = 3\n",
    )
    project.write(
        "game/user.py",
        f"from game.base import *\nfrom game.base import Base, Vec\nfrom game import base\n"
        f"{MARKS}\n\n@saveable\nclass User(Base):\n    v: Saved[Vec]\n"
        "    w: Saved[set[base.Vec]]\n    b: Saved[base.Base | None] = None\n"
        "    m: Saved[dict[Mood, list[Base]]]\n",
    )
    project.remove("game/neighbour.py")
    project.run("wire")
    assert found(project.run("components")) == []
    project.append("game/base.py", "x = = 1\n")
    for command in ("components", "check", "wire"):
        (only,) = found(project.run(command))
        assert only[:2] == ("SG101", "game/base.py")


def test_what_an_unreadable_file_declares_does_not_look_renamed(project):
    project.marked("game/orc.py", "Orc")
    project.remove("game/neighbour.py")
    project.run("components")
    project.append("game/orc.py", "x = = 1\n")
    project.marked("game/ork.py", "Ork")
    assert [code for code, *_ in found(project.run("components"))] == ["SG101"]


# Names


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["_hp", "__hp"], "`__hp` and `_hp`"),
        (["straße", "STRASSE"], "`STRASSE` and `straße`"),
    ],
)
def test_fields_that_are_nearly_named_alike_are_an_error(project, names, said):
    project.marked("game/orc.py", "Orc", *(f"{name}: Saved[int]" for name in names))
    told = project.run("components")
    errors = [each for each in found(told) if "orc" in each[1]]
    assert errors == [("SG116", "game/orc.py", 7, len(names[1]) + 7)]
    assert said in told.out


def test_fields_that_are_one_to_python_are_one(project):
    project.marked("game/orc.py", "Orc", "ﬁre: Saved[int] = 1", "fire: Saved[int] = 2")
    (error,) = [each for each in found(project.run("components")) if "orc" in each[1]]
    assert error[0] == "SG146"


def test_files_whose_names_differ_in_case_are_two(project):
    project.write("game/x", "")
    if (project.folder / "game/X").exists():
        pytest.skip("here they are one")
    project.marked("game/orc.py", "Orc")
    project.marked("game/Orc.py", "Elf")
    assert_sound(project)


@pytest.mark.parametrize("name", ["class", "None", "my-orc", "2d", "a.b", "import"])
def test_a_module_that_no_import_can_name_is_an_error(project, name):
    project.marked(f"game/{name}.py", "Orc")
    errors = found(project.run("components"))
    assert ("SG124", f"game/{name}.py", 5, 7) in errors and NEIGHBOUR in errors


@pytest.mark.parametrize("path", ["it::s.py", "a:b/orc.py", ":.py", "it:s/__init__.py"])
def test_a_module_with_a_colon_has_no_other_fault(bare, path):
    bare.write("pyproject.toml", TABLE)
    bare.marked(f"game/{path}", "Orc")
    for _ in range(2):
        said = bare.run("components", "--output-format", "concise")
        assert said.code == 1 and said.out.startswith(f"game/{path}:5:7: SG124 `")
        assert said.out.count("\n") == 1


@pytest.mark.parametrize(
    "name", ["match", "type", "registry", "types", "components", "_"]
)
def test_a_module_may_have_any_name_that_an_import_can_say(project, name):
    project.marked(f"game/{name}.py", "Orc")
    assert_sound(project)
    code = (
        "from game._savegen.registry import REGISTRY as r; print([*r][0].load_class())"
    )
    assert project.python(code) == f"<class 'game.{name}.Orc'>\n"


NORMAL = {"ﬁ": "fi", "ſ": "s", "K": "K", "Å": "Å", "ª": "a", "𝒙": "x", "größe": "größe"}


def test_names_are_those_that_python_stores(project):
    fields = [f"{name}: Saved[int] = {n}" for n, name in enumerate(NORMAL)]
    project.marked("game/orc.py", "Orﬁ", *fields)
    project.append(
        "game/orc.py",
        "\n    def __init__(self):\n        self.ﬂ: Saved[int] = 70\n"
        "        self.__ﬀ: Saved['list[Orﬁ]'] = []\n",
    )
    assert_sound(project)
    names = ",".join([*NORMAL.values(), "fl"])
    code = f"""
from game.orc import Orﬁ
one, two = Orﬁ(), Orﬁ()
for place, name in enumerate("{names}".split(",")):
    setattr(one, name, 100 + place)
data = one.save_data()
two.load_data(data)
print(*(getattr(two, name) for name in "{names}".split(",")), two._Orfi__ff)
"""
    assert project.python(code) == "100 101 102 103 104 105 106 107 []\n"


def test_the_name_of_a_class_is_underlined_as_it_is_written(project):
    project.marked("game/orc.py", "Orﬁ")
    assert "5 | class Orﬁ:\n  |       ^^^\n" in project.run("components").out


LONG = "a" * 200


def test_names_may_be_long_and_fields_many(project):
    fields = [f"f{n}: Saved[list[int] | None] = None" for n in range(500)]
    project.marked("game/orc.py", LONG.title(), f"{LONG}: Saved[int] = 1", *fields)
    assert_sound(project)
    code = f"from game.orc import {LONG.title()} as Orc; print(len(Orc().save_data().__struct_fields__))"
    assert project.python(code) == "501\n"


# Classes in odd places


@pytest.mark.parametrize("block", ["if True:", "try:", "with open(__file__):"])
def test_a_class_below_a_condition_is_saved(project, block):
    rest = "except OSError:\n    pass\n" if block == "try:" else ""
    body = "    @saveable\n    class Orc:\n        x: Saved[int] = 0\n"
    project.write("game/orc.py", f"{MARKS}\n{block}\n{body}{rest}")
    assert_sound(project)
    code = "from game.orc import Orc; print(Orc().save_data().x == 0)"
    assert project.python(code) == "True\n"


def test_a_class_that_is_defined_twice_is_an_error(project):
    project.write(
        "game/orc.py", FINE + "\n\n@saveable\nclass Fine:\n    y: Saved[int]\n"
    )
    errors = [each for each in found(project.run("components")) if "orc" in each[1]]
    assert errors == [("SG123", "game/orc.py", 10, 7)]


# Circles


def test_modules_may_import_each_other(project):
    for one, two in (("orc", "elf"), ("elf", "orc")):
        text = (
            f"import game.{two}\n{MARKS}\n\n@saveable\nclass {one.title()}:\n"
            f"    foe: Saved['game.{two}.{two.title()} | None'] = None\n"
        )
        project.write(f"game/{one}.py", text)
    assert_sound(project)
    code = "from game._savegen.registry import REGISTRY as r; print(*(e.load_class() for e in r))"
    expected = "<class 'game.elf.Elf'> <class 'game.orc.Orc'>\n"
    assert project.python(code) == expected


@pytest.mark.parametrize(
    "classes",
    [
        "@saveable\nclass A(A):\n    x: Saved[int] = 0\n",
        "@saveable\nclass A(B):\n    x: Saved[int] = 0\n\n@saveable\nclass B(A):\n    y: Saved[int] = 0\n",
        "A = B\nB = A\n\n@saveable\nclass C(A):\n    x: Saved[int] = 0\n",
        "class A:\n    class B(A):\n        pass\n\n@saveable\nclass C(A.B):\n    x: Saved[int] = 0\n",
    ],
)
def test_a_circle_of_bases_is_for_python_to_refuse(project, classes):
    project.write("game/orc.py", MARKS + classes)
    assert found(project.run("components")) == [NEIGHBOUR]


def test_a_class_may_be_named_like_the_imported_one_that_it_extends(project):
    project.marked("game/base.py", "Orc")
    text = f"from game.base import Orc\n{MARKS}\n\n@saveable\nclass Orc(Orc):\n    mp: Saved[int] = 1\n"
    project.write("game/orc.py", text)
    assert_sound(project)
    code = "from game.orc import Orc; print(*sorted(Orc.save_load_field_names))"
    assert project.python(code) == "hp mp\n"


@pytest.mark.parametrize(
    "alias",
    [
        "T = T",
        "T = U\nU = T",
        "T = list['T']",
        "T = 'dict[str, T] | list[T] | int'",
        "T = 'tuple[U, U, T]'\nU = 'tuple[T, T, U]'",
        "\n".join(f"T{n} = tuple[T{n + 1}, T{n + 1}]" for n in range(40)) + "\nT = T0",
        "\n".join(f"T{n} = T{n + 1}" for n in range(500)) + "\nT = T0",
    ],
)
def test_an_alias_without_end_is_an_error(project, alias):
    project.write(
        "game/orc.py", f"{MARKS}{alias}\n\n@saveable\nclass Orc:\n    x: Saved[T]\n"
    )
    errors = [each for each in found(project.door("components")) if "orc" in each[1]]
    line = alias.count("\n") + 6
    assert errors == [("SG201", "game/orc.py", line, 8)]


@pytest.mark.parametrize("order", [*combinations(["game.b", "game.c", "savegen"], 2)])
def test_star_imports_may_go_in_circles(project, order):
    project.write(
        "game/a.py",
        "from game.b import *\n@saveable\nclass A:\n    x: Saved[int] = 0\n",
    )
    project.write("game/b.py", "from game.c import *\n")
    stars = [*order, "game.a", "savegen"]
    project.write("game/c.py", "".join(f"from {name} import *\n" for name in stars))
    said = project.run("components")
    assert found(said) == [NEIGHBOUR] and "`A` does not inherit" in said.out


def test_a_module_may_go_by_another_name(project):
    project.write("game/marks.py", "from savegen import Saved, saveable as keep\n")
    project.write(
        "game/orc.py",
        "import game.marks\nm = game.marks\nn = m\n\n"
        "@n.keep\nclass Orc:\n    hp: m.Saved[int] = 1\n",
    )
    assert found(project.run("components")) == [NEIGHBOUR]
    assert "`Orc` does not inherit" in project.run("components").out


@pytest.mark.parametrize("circle", ["m = m.a", "m = n.a\nn = m.b", "m = m\nm.a = m"])
def test_a_module_that_is_named_in_circles_is_an_error(project, circle):
    project.write(
        "game/orc.py",
        f"{MARKS}{circle}\n\n@saveable\nclass Orc:\n    hp: Saved[m.a.b] = 1\n",
    )
    codes = [
        code for code, path, *_ in found(project.run("components")) if "orc" in path
    ]
    assert codes == ["SG201"]
