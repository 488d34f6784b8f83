"""`wire` gives classes their mixins and leaves every other byte alone."""

from __future__ import annotations

import ast
import codecs
import doctest
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.build.codemod.survey import CannotEdit
from savegen.build.codemod.wire import Wiring, wire
from tests.soaking import examples

FOES = "game._savegen.foes"
A = Wiring("A", FOES, "ASaveLoad")
B = Wiring("B", FOES, "BSaveLoad")
IMPORT = f"from {FOES} import ASaveLoad\n"


def wired(text: str, *wirings: Wiring) -> str:
    """The text wired, by default for class A, and found stable under a second run."""
    wirings = wirings or (A,)
    once = wire(text.encode(), wirings)
    assert wire(once, wirings) == once
    ast.parse(once)
    return once.decode()


TAKEN = "the file uses the name `ASaveLoad` for something else"


def refusal(text: str, *wirings: Wiring) -> tuple[int, str]:
    with pytest.raises(CannotEdit) as caught:
        wire(text.encode(), wirings or (A,))
    assert isinstance(caught.value, ValueError)
    return caught.value.line, caught.value.reason


def is_subsequence(short: bytes, long: bytes) -> bool:
    rest = iter(long)
    return all(byte in rest for byte in short)


# The base


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class A:", "class A(ASaveLoad):"),
        ("class A :", "class A(ASaveLoad) :"),
        ("class A():", "class A(ASaveLoad):"),
        ("class  A  (  )  :", "class  A  (ASaveLoad  )  :"),
        ("class A(Enemy):", "class A(ASaveLoad, Enemy):"),
        ("class A( Enemy ):", "class A( ASaveLoad, Enemy ):"),
        ("class A(Enemy,):", "class A(ASaveLoad, Enemy,):"),
        ("class A((Enemy)):", "class A(ASaveLoad, (Enemy)):"),
        ("class A(make(1, 2), x.Y):", "class A(ASaveLoad, make(1, 2), x.Y):"),
        ("class A(Generic[T]):", "class A(ASaveLoad, Generic[T]):"),
        ("class A(metaclass=M):", "class A(ASaveLoad, metaclass=M):"),
        ("class A(*bases, **more):", "class A(ASaveLoad, *bases, **more):"),
        ("class A(**more):", "class A(ASaveLoad, **more):"),
        ("class A(Enemy): x = 1; y = 2;", "class A(ASaveLoad, Enemy): x = 1; y = 2;"),
        ("class A(ASaveLoadOld):", "class A(ASaveLoad, ASaveLoadOld):"),
    ],
)
def test_the_mixin_becomes_the_first_base(before, after):
    body = "" if before.endswith(";") else " pass"
    assert wired(f"{IMPORT}{before}{body}\n") == f"{IMPORT}{after}{body}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class A[T]: ...", "class A[T](ASaveLoad): ..."),
        (
            "class A[T, *Ts, **P](B[T]): ...",
            "class A[T, *Ts, **P](ASaveLoad, B[T]): ...",
        ),
    ],
)
def test_a_class_with_type_parameters_gets_its_base_behind_them(before, after):
    data = wire(f"{IMPORT}{before}\n".encode(), [A])
    assert data.decode() == f"{IMPORT}{after}\n"
    assert wire(data, [A]) == data


def test_a_base_with_type_arguments_is_known():
    text = f"from {FOES} import BoxSaveLoad\nclass Box(BoxSaveLoad[T, K], Generic[T, K]): ...\n"
    assert wired(text, Wiring("Box", FOES, "BoxSaveLoad")) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "class A(\n    B,\n    C,\n): ...\n",
            "class A(\n    ASaveLoad,\n    B,\n    C,\n): ...\n",
        ),
        (
            "class A(\n    B, C\n): ...\n",
            "class A(\n    ASaveLoad,\n    B, C\n): ...\n",
        ),
        (
            "class A(  # bases\n\t# the engine's\n\tB  # b\n\t# end\n): ...\n",
            "class A(  # bases\n\tASaveLoad,\n\t# the engine's\n\tB  # b\n\t# end\n): ...\n",
        ),
        (
            "class A(B,  # b\n        C): ...\n",
            "class A(ASaveLoad, B,  # b\n        C): ...\n",
        ),
        (
            "class A(\n    # none yet\n): ...\n",
            "class A(ASaveLoad\n    # none yet\n): ...\n",
        ),
        (
            "class A(\\\n  B): ...\n",
            "class A(\\\n  ASaveLoad,\n  B): ...\n",
        ),
        (
            "class A \\\n  : ...\n",
            "class A(ASaveLoad) \\\n  : ...\n",
        ),
    ],
)
def test_bases_over_several_lines_keep_their_layout(before, after):
    assert wired(IMPORT + before) == IMPORT + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class A(B, ASaveLoad): ...", "class A(ASaveLoad, B): ..."),
        ("class A(B,ASaveLoad,C): ...", "class A(ASaveLoad, B,C): ..."),
        ("class A(B, ASaveLoad, C): ...", "class A(ASaveLoad, B, C): ..."),
        ("class A(B, ASaveLoad,): ...", "class A(ASaveLoad, B,): ..."),
        ("class A(B, ASaveLoad, k=1): ...", "class A(ASaveLoad, B, k=1): ..."),
        ("class A(*b, ASaveLoad): ...", "class A(ASaveLoad, *b): ..."),
        ("class A(B, ASaveLoad[T]): ...", "class A(ASaveLoad[T], B): ..."),
        (
            "class A(\n    B,  # b\n    ASaveLoad,  # ours\n    C,\n): ...",
            "class A(\n    ASaveLoad,  # ours\n    B,  # b\n    C,\n): ...",
        ),
        (
            "class A(\n    B,\n    ASaveLoad  # ours\n): ...",
            "class A(\n    ASaveLoad,  # ours\n    B,\n): ...",
        ),
        (
            "class A(\n    B, ASaveLoad, C\n): ...",
            "class A(\n    ASaveLoad,\n    B, C\n): ...",
        ),
        (
            "class A(B,\n        ASaveLoad): ...",
            "class A(ASaveLoad, B): ...",
        ),
        (
            "class A(B,\n        ASaveLoad,\n        C): ...",
            "class A(ASaveLoad, B,\n        C): ...",
        ),
        (
            "class A(B,\n        ASaveLoad, C): ...",
            "class A(ASaveLoad, B,\n        C): ...",
        ),
        (
            "class A(B,  # b\n        ASaveLoad): ...",
            "class A(ASaveLoad, B,  # b\n): ...",
        ),
        (
            "class A(B, ASaveLoad,  # both\n        C): ...",
            "class A(ASaveLoad, B,  # both\n        C): ...",
        ),
        (
            "class A(B\n        , ASaveLoad # ours\n        , C): ...",
            "class A(ASaveLoad, B\n        ,  # ours\n         C): ...",
        ),
    ],
)
def test_a_mixin_that_is_a_later_base_moves_to_the_front(before, after):
    assert wired(f"{IMPORT}{before}\n") == f"{IMPORT}{after}\n"


def test_a_header_that_would_grow_too_long_is_wrapped_as_black_does():
    bases = "EnemyWithARatherLongName, Drawable, AnotherMixinOfTheEngine"
    before = f"{IMPORT}\n\nclass A({bases}, Generic[T]):\n    pass\n"
    after = f"{IMPORT}\n\nclass A(\n    ASaveLoad, {bases}, Generic[T]\n):\n    pass\n"
    assert max(map(len, before.splitlines())) < 88
    assert wired(before) == after


def test_a_header_that_is_too_long_already_stays_on_its_line():
    before = f"{IMPORT}class A({'B' * 90}): ...\n"
    assert wired(before) == before.replace("A(B", "A(ASaveLoad, B")


# Which class


def test_classes_are_found_nested_in_functions_and_below_conditions():
    text = dedent("""\
        import os

        class Outer:
            class A: ...

        def make():
            def deeper():
                class A(Enemy):
                    class A: pass

        async def later():
            class A: ...

        if os.name == "nt":
            class A: ...
        else:
            try:
                class C: ...
            finally:
                pass
        """)
    names = {
        "Outer.A": "OuterASaveLoad",
        "make.<locals>.deeper.<locals>.A": "DeepSaveLoad",
        "make.<locals>.deeper.<locals>.A.A": "DeeperSaveLoad",
        "later.<locals>.A": "LaterSaveLoad",
        "A": "ASaveLoad",
        "C": "CSaveLoad",
    }
    after = wired(text, *(Wiring(q, "g.m", mixin) for q, mixin in names.items()))
    assert [line.strip() for line in after.splitlines() if "class" in line] == [
        "class Outer:",
        "class A(OuterASaveLoad): ...",
        "class A(DeepSaveLoad, Enemy):",
        "class A(DeeperSaveLoad): pass",
        "class A(LaterSaveLoad): ...",
        "class A(ASaveLoad): ...",
        "class C(CSaveLoad): ...",
    ]


def test_decorators_and_comments_above_a_class_stay():
    text = (
        IMPORT + "\n\n# the boss\n@saveable(\n    was=()\n)  # marked\nclass A: ...\n"
    )
    assert wired(text) == text.replace("class A", "class A(ASaveLoad)")


def test_a_class_that_is_not_there_is_refused():
    assert refusal("class B: ...\n") == (1, "the file has no class `A`")
    assert refusal("class B:\n    class A: ...\n")[1].startswith(
        "the file has no class"
    )


def test_a_class_that_is_defined_twice_is_refused_at_the_second():
    text = "if x:\n    class A: ...\nelse:\n    class A: ...\n"
    assert refusal(text) == (4, "class `A` is defined twice, first on line 2")


def test_a_class_is_found_by_its_normalised_name():
    assert "class ﬁsh(FishSaveLoad)" in wired(
        "class ﬁsh: ...\n", Wiring("fish", FOES, "FishSaveLoad")
    )


def test_nothing_changes_for_no_wirings():
    data = b"class A: ..."
    assert wire(data, []) is data


def test_a_wired_file_comes_back_as_it_is():
    data = f"import os\n{IMPORT}class A(ASaveLoad): ...\n".encode()
    assert wire(data, [A, A]) is data


# Where the import goes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "import os\nimport pygame\n\n\nclass A: ...\n",
            "import os\nimport pygame\n\n{import}\n\nclass A(ASaveLoad): ...\n",
            id="below other packages, as a section of its own",
        ),
        pytest.param(
            "import os\n\nfrom game.foes import Foe  # base\n\n\nclass A(Foe): ...\n",
            "import os\n\nfrom game.foes import Foe  # base\n{import}\n\n"
            "class A(ASaveLoad, Foe): ...\n",
            id="below the same package",
        ),
        pytest.param(
            "import game.foes\n\nclass A: ...\n",
            "import game.foes\n{import}\nclass A(ASaveLoad): ...\n",
            id="the author's gap above a class stays",
        ),
        pytest.param(
            "from .foes import Foe\n\n\nclass A(Foe): ...\n",
            "from .foes import Foe\n{import}\n\nclass A(ASaveLoad, Foe): ...\n",
            id="below a relative import",
        ),
        pytest.param(
            "from game import (\n    x,  # x\n)\nclass A: ...\n",
            "from game import (\n    x,  # x\n)\n{import}\n\nclass A(ASaveLoad): ...\n",
            id="below an import of several lines, a missing gap made",
        ),
        pytest.param(
            "import os; import sys;  # both\nX = 1\nclass A: ...\n",
            "import os; import sys;  # both\n\n{import}\nX = 1\n"
            "class A(ASaveLoad): ...\n",
            id="below a line of several statements",
        ),
        pytest.param(
            "import sys\nsys.path.append('.')\nimport game\n\nX = 1\nclass A: ...\n",
            "import sys\nsys.path.append('.')\nimport game\n{import}\nX = 1\n"
            "class A(ASaveLoad): ...\n",
            id="below an import that follows other statements",
        ),
        pytest.param(
            "import os\n\nif TYPE_CHECKING:\n    import x\n\ntry:\n    import y\n"
            "except ImportError:\n    y = None\n\n\nclass A: ...\n",
            "import os\n\n{import}\nif TYPE_CHECKING:\n    import x\n\ntry:\n    import y\n"
            "except ImportError:\n    y = None\n\n\nclass A(ASaveLoad): ...\n",
            id="not inside if and try",
        ),
        pytest.param(
            "import os\n\n\nclass B: ...\n\n\nimport late\n\n\nclass A: ...\n",
            "import os\n\n{import}\n\nclass B: ...\n\n\nimport late\n\n\n"
            "class A(ASaveLoad): ...\n",
            id="above the first class",
        ),
        pytest.param(
            "import os\n\n\ndef f(): ...\n\n\nimport late\n\n\nclass A: ...\n",
            "import os\n\n{import}\n\ndef f(): ...\n\n\nimport late\n\n\n"
            "class A(ASaveLoad): ...\n",
            id="above the first function",
        ),
        pytest.param(
            "import os\n\nif os:\n\n    class A: ...\n\nimport late\n",
            "import os\n\n{import}\nif os:\n\n    class A(ASaveLoad): ...\n\nimport late\n",
            id="above a condition that has the class",
        ),
        pytest.param(
            "class A: ...\n",
            "{import}\n\nclass A(ASaveLoad): ...\n",
            id="a file that is only a class",
        ),
        pytest.param(
            '"""Foes."""\nclass A: ...\n',
            '"""Foes."""\n\n{import}\n\nclass A(ASaveLoad): ...\n',
            id="below the docstring",
        ),
        pytest.param(
            '"""Foes.\n\n    # not a comment\n"""\n\n\n# the boss\n@saveable\nclass A: ...\n',
            '"""Foes.\n\n    # not a comment\n"""\n\n{import}\n\n# the boss\n@saveable\n'
            "class A(ASaveLoad): ...\n",
            id="above a comment that is about the class",
        ),
        pytest.param(
            '"""Foes."""\n\nfrom __future__ import annotations\n\n\nclass A: ...\n',
            '"""Foes."""\n\nfrom __future__ import annotations\n\n{import}\n\n'
            "class A(ASaveLoad): ...\n",
            id="below imports of the future",
        ),
        pytest.param(
            "from __future__ import annotations\nX = 1\n\n\nclass A: ...\n",
            "from __future__ import annotations\n\n{import}\nX = 1\n\n\n"
            "class A(ASaveLoad): ...\n",
            id="one blank line above a statement",
        ),
        pytest.param(
            "from __future__ import annotations; import os\n\n\nclass A: ...\n",
            "from __future__ import annotations; import os\n\n{import}\n\n"
            "class A(ASaveLoad): ...\n",
            id="an import beside one of the future",
        ),
        pytest.param(
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# (c) us\n\nclass A: ...\n",
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# (c) us\n\n{import}\n\n"
            "class A(ASaveLoad): ...\n",
            id="below shebang, encoding and licence",
        ),
        pytest.param(
            "# (c) us\n\n# the boss\nclass A: ...\n",
            "# (c) us\n\n{import}\n\n# the boss\nclass A(ASaveLoad): ...\n",
            id="between the licence and a comment about the class",
        ),
        pytest.param(
            "\n\n\nclass A: ...\n",
            "{import}\n\n\nclass A(ASaveLoad): ...\n",
            id="above blank lines",
        ),
        pytest.param(
            "X = '''\nimport os\n'''\n\n\nclass A: ...\n",
            "{import}\nX = '''\nimport os\n'''\n\n\nclass A(ASaveLoad): ...\n",
            id="not inside a string",
        ),
    ],
)
def test_the_import_goes_below_the_leading_imports(before, after):
    assert wired(before) == after.replace("{import}", IMPORT)


def test_names_are_sorted_and_there_is_one_statement_a_module():
    text = "import os\n\n\nclass C: ...\nclass B: ...\nclass A: ...\n"
    c, b = Wiring("C", "game.z", "CSaveLoad"), Wiring("B", "game.b", "BSaveLoad")
    a = Wiring("A", "game.z", "ASaveLoad")
    assert wired(text, c, b, a).splitlines()[:5] == [
        "import os",
        "",
        "from game.b import BSaveLoad",
        "from game.z import ASaveLoad, CSaveLoad",
        "",
    ]


def test_a_statement_that_is_too_long_is_wrapped_as_black_does():
    names = ["QuiteALongClassNameSaveLoad", "VeryMuchLongerClassNameSaveLoad"]
    text = "class A: ...\nclass B: ...\n"
    wirings = [Wiring(q, FOES, n) for q, n in zip("AB", names, strict=True)]
    assert wired(text, *wirings).startswith(
        f"from {FOES} import (\n    {names[0]},\n    {names[1]},\n)\n\n\nclass A"
    )


# Merging


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import B", "import ASaveLoad, B"),
        ("import AB", "import AB, ASaveLoad"),
        ("import AB, C  # ours", "import AB, ASaveLoad, C  # ours"),
        ("import AB as C", "import AB as C, ASaveLoad"),
        ("import ASaveLoad as C", "import ASaveLoad as C, ASaveLoad"),
        ("import (AB)", "import (AB, ASaveLoad)"),
        ("import (AB,)", "import (AB, ASaveLoad,)"),
        ("import AB, \\\n    C", "import AB, \\\n    ASaveLoad, C"),
        ("import AB; import os", "import AB, ASaveLoad; import os"),
        (
            "import (\n    AB,  # ab\n    C,\n)",
            "import (\n    AB,  # ab\n    ASaveLoad,\n    C,\n)",
        ),
        (
            "import (\n    AA,\n    AB,  # ab\n)",
            "import (\n    AA,\n    AB,  # ab\n    ASaveLoad,\n)",
        ),
        (
            "import (\n\tAB  # ab\n\t# end\n)",
            "import (\n\tAB,  # ab\n\tASaveLoad,\n\t# end\n)",
        ),
        (
            "import (AA,\n    AB)",
            "import (AA,\n    AB, ASaveLoad)",
        ),
        (
            "import (\n    AA, AB\n)",
            "import (\n    AA, AB, ASaveLoad\n)",
        ),
    ],
)
def test_a_name_is_merged_in_order_into_an_import_of_its_module(before, after):
    before, after = f"from {FOES} {before}\n", f"from {FOES} {after}\n"
    text = "\nX = 1\n\n\nclass A{}: ...\n"
    assert wired(before + text.format("")) == after + text.format("(ASaveLoad)")


def test_several_names_are_merged_around_those_present():
    wirings = [Wiring(q, FOES, f"{q}SaveLoad") for q in ("D", "A", "C", "E")]
    text = f"from {FOES} import BSaveLoad\n" + "".join(
        f"class {wiring.qualname}: ...\n" for wiring in wirings
    )
    assert wired(text, *wirings).startswith(
        f"from {FOES} import ASaveLoad, BSaveLoad, CSaveLoad, DSaveLoad, ESaveLoad\n"
    )


def test_a_merged_line_that_grows_too_long_is_wrapped_as_black_does():
    present = ["QuiteALongClassNameSaveLoad", "Zebra as Z"]
    text = f"from {FOES} import {', '.join(present)}\n\n\nclass A: ...\n"
    long = Wiring("A", FOES, "VeryMuchLongerClassNameSaveLoad")
    assert wired(text, long).startswith(
        f"from {FOES} import (\n    {present[0]},\n    VeryMuchLongerClassNameSaveLoad,\n"
        "    Zebra as Z,\n)\n\n\nclass A"
    )


def test_a_merged_line_with_a_comment_is_not_wrapped():
    present = "QuiteALongClassNameSaveLoad  # noqa"
    text = f"from {FOES} import {present}\n\n\nclass A: ...\n"
    long = Wiring("A", FOES, "VeryMuchLongerClassNameSaveLoad")
    assert f"SaveLoad, {long.mixin}  # noqa\n" in wired(text, long)


def test_an_import_below_the_class_is_not_merged_into():
    text = f"import os\n\n\nclass A: ...\n\n\nfrom {FOES} import B\n"
    assert wired(text).count(f"from {FOES}") == 2


# What counts as imported


@pytest.mark.parametrize(
    ("imports", "base"),
    [
        (f"from {FOES} import ASaveLoad", "ASaveLoad"),
        (f"from {FOES} import *", "ASaveLoad"),
        (f"from {FOES} import ASaveLoad as Base", "Base"),
        (f"import {FOES}", f"{FOES}.ASaveLoad"),
        (f"import {FOES} as foes", "foes.ASaveLoad"),
        ("from game._savegen import foes", "foes.ASaveLoad"),
        ("from ._savegen.foes import ASaveLoad", "ASaveLoad"),
        ("from ..foes import ASaveLoad", "ASaveLoad"),
        ("from ._savegen import foes as f", "f.ASaveLoad"),
        ("from . import foes", "foes.ASaveLoad"),
        (f"if 1:\n    from {FOES} import ASaveLoad", "ASaveLoad"),
        (f"if not TYPE_CHECKING:\n    from {FOES} import ASaveLoad", "ASaveLoad"),
        (
            f"try:\n    from {FOES} import ASaveLoad\n"
            "except ImportError:\n    ASaveLoad = object",
            "ASaveLoad",
        ),
    ],
)
def test_a_base_that_is_imported_one_way_or_another_is_left_alone(imports, base):
    text = f"{imports}\n\n\nclass A({base}): ...\n"
    assert wired(text) == text


@pytest.mark.parametrize(
    "imports",
    [
        f"from {FOES} import *",
        "from ._savegen.foes import ASaveLoad",
        f"if True:\n    from {FOES} import ASaveLoad",
        f"if TYPE_CHECKING:\n    pass\nelse:\n    from {FOES} import ASaveLoad",
    ],
)
def test_a_name_that_is_there_already_is_not_imported_again(imports):
    text = f"{imports}\n\n\nclass A: ...\n"
    assert wired(text) == text.replace("A:", "A(ASaveLoad):")


@pytest.mark.parametrize(
    "condition",
    [
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
        "t.TYPE_CHECKING",
        "TC",
        "TYPE_CHECKING and x",
        "not (x or not TYPE_CHECKING)",
        "False",
        "0",
    ],
)
@pytest.mark.parametrize("bases", ["", "(ASaveLoad)"])
def test_an_import_for_type_checkers_does_not_count(condition, bases):
    text = (
        "import typing\nimport typing as t\nfrom typing import TYPE_CHECKING as TC\n\n"
        f"if {condition}:\n    {IMPORT}\n\nclass A{bases}: ...\n"
    )
    after = text.replace(" as TC\n\n", f" as TC\n\n{IMPORT}\n")
    assert wired(text) == after.replace(f"A{bases}:", "A(ASaveLoad):")


@pytest.mark.parametrize("condition", ["x", "x or TYPE_CHECKING", "x and not TC"])
def test_an_import_that_may_not_run_does_not_count_for_a_new_base(condition):
    text = f"import os\n\nif {condition}:\n    {IMPORT}\n\nclass A: ...\n"
    after = text.replace("os\n\n", f"os\n\n{IMPORT}\n")
    assert wired(text) == after.replace("A:", "A(ASaveLoad):")


def test_an_import_below_the_class_does_not_count_unless_a_function_waits_for_it():
    early = f"import os\n\n\nclass A(ASaveLoad): ...\n\n\n{IMPORT}"
    assert wired(early) == early.replace("os\n", f"os\n\n{IMPORT}")
    late = f"def f():\n    class A(ASaveLoad): ...\n\n\n{IMPORT}"
    inner = Wiring("f.<locals>.A", FOES, "ASaveLoad")
    assert wired(late, inner) == late


def test_a_functions_own_import_serves_the_class_in_it():
    text = f"def f():\n    {IMPORT}    class A: ...\n"
    inner = Wiring("f.<locals>.A", FOES, "ASaveLoad")
    assert wired(text, inner) == text.replace("A:", "A(ASaveLoad):")


def test_the_same_name_in_an_unrelated_function_does_not_matter():
    text = "def f(ASaveLoad):\n    from x import ASaveLoad\n\n\nclass A: ...\n"
    assert wired(text).endswith("class A(ASaveLoad): ...\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import os\nfrom game.other import ASaveLoad\nclass A: ...\n", 2),
        ("import os\nfrom x import y as ASaveLoad\nclass A(ASaveLoad): ...\n", 2),
        ("from . import ASaveLoad\nclass A: ...\n", 1),
        ("import ASaveLoad\nclass A: ...\n", 1),
        ("\nclass ASaveLoad: ...\nclass A(ASaveLoad): ...\n", 2),
        ("\n\ndef ASaveLoad(): ...\nclass A: ...\n", 3),
        ("ASaveLoad = object\nclass A: ...\n", 1),
        ("x, [*_, ASaveLoad] = y\nclass A: ...\n", 1),
        ("ASaveLoad: type = object\nclass A: ...\n", 1),
        ("class A: ...\nprint(ASaveLoad := 1)\n", 2),
        ("for ASaveLoad in x: ...\nclass A: ...\n", 1),
        ("with x as ASaveLoad: ...\nclass A: ...\n", 1),
        ("match x:\n    case [*ASaveLoad]: ...\nclass A: ...\n", 2),
        ("match x:\n    case {**ASaveLoad}: ...\nclass A: ...\n", 2),
        ("match x:\n    case ASaveLoad: ...\nclass A: ...\n", 2),
        ("type ASaveLoad = int\nclass A: ...\n", 1),
        (
            f"if TYPE_CHECKING:\n    {IMPORT}else:\n    ASaveLoad = object\nclass A: ...\n",
            4,
        ),
        (f"{IMPORT}ASaveLoad = wrap(ASaveLoad)\nclass A: ...\n", 2),
    ],
)
def test_a_mixins_name_with_another_meaning_is_refused_where_that_is(text, line):
    assert refusal(text) == (line, TAKEN)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(ASaveLoad):\n    class A: ...\n", 1),
        (f"def f():\n    class A: ...\n    {IMPORT}", 3),
        (f"def f():\n    if TYPE_CHECKING:\n        {IMPORT}    class A: ...\n", 3),
    ],
)
def test_a_functions_own_name_that_would_hide_the_import_is_refused(text, line):
    inner = Wiring("f.<locals>.A", FOES, "ASaveLoad")
    assert refusal(text, inner) == (line, TAKEN)


# Bytes


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_new_lines_end_as_the_files_do(newline):
    text = "import os\n\n\nclass A(\n    B,\n):\n    x = '''a\nb'''\n"
    after = text.replace("os\n", f"os\n\n{IMPORT}").replace(
        "(\n", "(\n    ASaveLoad,\n"
    )
    data = wire(text.replace("\n", newline).encode(), [A])
    assert data.decode() == after.replace("\n", newline)
    assert wire(data, [A]) == data


def test_mixed_line_ends_stay_and_new_lines_end_as_most_do():
    text = "import os\nimport sys\r\nclass A:\r\n    x = 1\r    y = 2\n    z = 3\r\n"
    after = "import os\nimport sys\r\n\r\n{}\r\n\r\n\r\nclass A(ASaveLoad):\r\n"
    data = wire(text.encode(), [A])
    assert data.decode().startswith(after.format(IMPORT.rstrip()))
    assert data.endswith(b":\r\n    x = 1\r    y = 2\n    z = 3\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "\x0cclass A:\n    pass\n",
        "import os\n\x0c\nclass A:\n    pass\n",
        "import os\n\x0cclass A:\n    é = 'é'\n\x0c    y = 1\n",
        "import os\n\nif os:\n    if 1:\n        'é'\n  \x0cclass A: pass\n",
        "class A(\x0cobject\x0c):\n  \x0c    x = 1\x0c\n",
        "class A: pass",
        "class A: pass # é",
        "class A:   \n    pass \t \n   \n\t",
        "class A:\n    pass\r",
        "class A:\n\tx = 1\n\n  # odd\n\ty = 2\n # end",
        "# a\x0bb\x1cc\u2028d\x85e\nX = '''\x0b\x1c\u2028\x85'''\nclass A: pass\n",
        "X = '𝄞é'; import os\nclass A(  (B) , C,): pass\n",
        "import os; \\\n import sys\nclass A (\\\n  object\\\n ) : pass\n",
        "# a\rclass A: pass\n",
    ],
)
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_odd_white_space_is_kept(text, mark):
    before = mark + text.encode()
    after = wire(before, [A])
    assert after.startswith(mark)
    assert is_subsequence(before, after)
    assert wire(after, [A]) == after
    statement = ast.parse(after).body[-1]
    classes = [n for n in ast.walk(statement) if isinstance(n, ast.ClassDef)]
    assert ast.unparse(classes[0].bases[0]) == "ASaveLoad"


@pytest.mark.parametrize(
    ("encoding", "comment"),
    [
        ("latin-1", "é ÿ"),
        ("cp1252", "“é”"),
        ("koi8-r", "враг"),
        ("shift_jis", "敵ソ表"),
        ("cp932", "敵①"),
        ("gb18030", "敌人"),
        ("euc-jp", "敵"),
        ("iso-2022-jp", "敵"),
        ("utf-8", "敵"),
    ],
)
def test_a_file_stays_in_the_encoding_that_it_declares(encoding, comment):
    text = f"# coding: {encoding}\nimport os  # {comment}\n\n\nclass A: '{comment}'\n"
    after = text.replace(f"# {comment}\n", f"# {comment}\n\n{IMPORT}")
    data = wire(text.encode(encoding), [A])
    assert data == after.replace("A:", "A(ASaveLoad):").encode(encoding)


def test_bytes_that_their_encoding_would_write_otherwise_are_kept():
    twin = b"\x87\x90"  # cp932 reads it as a character that it writes as 0x81e0
    assert twin.decode("cp932").encode("cp932") != twin
    before = b"# coding: cp932\nimport os  # " + twin + b"\n\n\nclass A: ...  # " + twin
    after = before.replace(b"\n\n\n", b"\n\n" + IMPORT.encode() + b"\n\n")
    assert wire(before, [A]) == after.replace(b"A:", b"A(ASaveLoad):")


def test_a_name_that_the_encoding_cannot_write_is_refused():
    data = "# coding: latin-1\nclass A: ...  # é\n".encode("latin-1")
    with pytest.raises(CannotEdit, match="cannot be encoded in iso-8859-1") as caught:
        wire(data, [Wiring("A", FOES, "ΑSaveLoad")])
    assert "\n" not in caught.value.reason


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"import os\nclass A: ...  # \xe9\n", 2),
        (b"# coding: klingon\nclass A: ...\n", 1),
        (b"# " + b"x" * 500 + b"\n# coding: klingon\nclass A: ...\n", 1),
        (b"import os\nclass A: ...\ndef\n", 3),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(data, line):
    with pytest.raises(CannotEdit) as caught:
        wire(data, [A])
    assert caught.value.line == line


DEEP = {
    "a sum": lambda depth: "x = " + " + ".join(["1"] * depth),
    "elifs": lambda depth: "if a: pass\n" + "elif b: pass\n" * depth,
    "brackets": lambda depth: "x = " + "[" * (depth // 9) + "]" * (depth // 9),
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_code_is_no_obstacle(kind):
    deep = DEEP[kind](100)
    data = wire(f"{deep}\nclass A: ...\n".encode(), [A])
    assert data.decode() == f"{IMPORT}\n{deep}\nclass A(ASaveLoad): ...\n"


@pytest.mark.parametrize("kind", DEEP)
def test_code_that_is_too_deep_for_an_interpreter_is_refused(kind):
    limit = sys.getrecursionlimit()
    deep = DEEP[kind](800)
    try:
        data = wire(f"{deep}\nclass A: ...\n".encode(), [A])
    except CannotEdit as error:
        said = error.reason
    else:
        said = data.decode()
    # Python 3.12 and 3.13 have a limit of their own, which no setting moves.
    assert said in (
        f"{IMPORT}\n{deep}\nclass A(ASaveLoad): ...\n",
        "the file is nested too deeply",
    )
    assert sys.getrecursionlimit() == limit


def test_the_example_of_the_docstring_is_true():
    module = sys.modules[wire.__module__]
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


# Any file


@contextmanager
def mixins_importable(*names: str) -> Iterator[ModuleType]:
    """Stands in for the generated module."""
    module = ModuleType(FOES)
    for name in names:
        setattr(module, name, type(name, (), {"__class_getitem__": lambda t: t}))
    kept = {name: sys.modules.get(name) for name in ("game", "game._savegen", FOES)}
    sys.modules.update({name: ModuleType(name) for name in kept} | {FOES: module})
    yield module
    for name, old in kept.items():
        sys.modules.pop(name)
        if old is not None:
            sys.modules[name] = old


SPACES = st.sampled_from(["", " ", "  ", "\t", "\x0c"])
GAPS = st.sampled_from(["", " ", "  # é, x)\n    ", "\n", "\n        ", " \\\n  "])
BASES = ["Enemy", "(Actor)", "ns.Drawable", "Generic[T]"]
BODIES = st.sampled_from(
    [" pass", "  # é\n    x = 1", "\n    '''é\n  '''\n\x0c    y = 2", " x = 1; y = 2"]
)


@st.composite
def headers(draw: st.DrawFn, name: str) -> str:
    """A class statement's header, bases in any order and layout."""
    bases = draw(st.lists(st.sampled_from(BASES), unique=True))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(bases)))
        bases.insert(place, f"{name}SaveLoad")
    bases += draw(st.lists(st.sampled_from(["metaclass=Meta", "**{}"]), max_size=1))
    if draw(st.booleans()) and not bases:
        return f"class {name}{draw(SPACES)}:"
    parts = [draw(GAPS) + base + draw(GAPS) for base in bases]
    last = "," if draw(st.booleans()) and bases else ""
    inner = ",".join(parts) + last + draw(GAPS)
    return f"class {name}{draw(SPACES)}({inner}){draw(SPACES)}:"


PIECES = st.lists(
    st.sampled_from(
        [
            "import os\n",
            "import os; import sys  # é\n",
            "from collections import (\n    deque,  # é\n)\n",
            f"from {FOES} import Other\n",
            f"from {FOES} import (\n    Other,\n    Zed  # é\n)\n",
            "\n",
            "\x0c\n",
            "# é\n",
            "x = '''\nimport é\n'''\n",
            "if TYPE_CHECKING:\n\timport é\n",
            f"if TYPE_CHECKING:\n    from {FOES} import ASaveLoad, BSaveLoad\n",
            "try:\n    import é\nexcept ImportError:\n    é = None\n",
        ]
    )
)
PRELUDE = (
    "class Meta(type):\n"
    "    def __new__(t, n, b, d, **k): return super().__new__(t, n, b, d)\n"
    "    def __init__(t, n, b, d, **k): super().__init__(n, b, d)\n"
    "class Enemy(metaclass=Meta): pass\n"
    "class Actor(metaclass=Meta): pass\n"
    "class ns:\n    class Drawable(metaclass=Meta): pass\n"
    "class Generic(metaclass=Meta):\n    def __class_getitem__(t, x): return t\n"
    "T = 1\n"
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file that runs once its classes A and B are wired."""
    head = draw(st.sampled_from(["", "#!/bin/python\n", "# (c) é\n\n"]))
    head += draw(st.sampled_from(["", '"""Doc é."""\n', "'''d\n\n''';\n"]))
    head += draw(st.sampled_from(["", "from __future__ import annotations\n"]))
    text = f"TYPE_CHECKING = False\n{''.join(draw(PIECES))}{PRELUDE}"
    text += draw(headers("A")) + draw(BODIES) + "\n"
    text += draw(headers("B")) + draw(BODIES)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]))
    if encoding == "latin-1":
        head = "# coding: latin-1\n" + head
    text = head + text + draw(st.sampled_from(["", "\n", "\n\n  ", "\n# é"]))
    # `tokenize` takes a file that ends its lines in CR for one line, and so
    # refuses one that is not UTF-8.
    ends = ["\n", "\r\n"] if encoding == "latin-1" else ["\n", "\r\n", "\r"]
    text = text.replace("\n", draw(st.sampled_from(ends)))
    return text.encode(encoding)


def bases_in(data: bytes, name: str) -> list[str]:
    for node in ast.parse(data).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return [ast.unparse(base) for base in node.bases]
    raise AssertionError(f"no class {name}")


@settings(max_examples=examples(40), deadline=None)
@given(files())
def test_a_wired_file_runs_and_its_classes_have_their_mixins_first(data):
    after = wire(data, [A, B])
    assert wire(after, [A, B]) == after
    stepwise = wire(wire(data, [B]), [A, B])
    assert wire(stepwise, [B, A]) == stepwise
    with mixins_importable("ASaveLoad", "BSaveLoad", "Other", "Zed") as generated:
        for text in (after, stepwise):
            names: dict[str, Any] = {"__name__": "game.foes"}
            exec(compile(text, "foes.py", "exec"), names)
            assert names["A"].__bases__[0] is generated.ASaveLoad
            assert names["B"].__bases__[0] is generated.BSaveLoad


@settings(max_examples=examples(40), deadline=None)
@given(files())
def test_all_that_is_not_inserted_is_as_it_was(data):
    after = wire(data, [A, B])
    old = {wiring: bases_in(data, wiring.qualname) for wiring in (A, B)}
    moved = [w for w, bases in old.items() if w.mixin in bases[1:]]
    if not moved:
        assert is_subsequence(data, after)
    for wiring, bases in old.items():
        others = [base for base in bases if base != wiring.mixin]
        assert bases_in(after, wiring.qualname) == [wiring.mixin, *others]
    # Comments survive even where a base moves.
    assert after.count(b"#") == data.count(b"#")
    for before, now in zip(outside_headers(data), outside_headers(after), strict=True):
        assert before == now


def outside_headers(data: bytes) -> list[bytes]:
    """What follows the headers of A and B: the prelude, the bodies, the file's end."""
    start = data.index(b"class Meta")
    first = data.index(b"class A", start)
    tree = {n.name: n for n in ast.parse(data).body if isinstance(n, ast.ClassDef)}
    bodies = [ast.unparse(node) for a in "AB" for node in tree[a].body]
    return [data[start:first], *(body.encode() for body in bodies), data[-1:]]


# Bases of the past


def rewired(text: str, *wirings: Wiring) -> str:
    """The text wired, where savegen no longer generates `OldSaveLoad` and `GoneSaveLoad`."""
    wirings = wirings or (A,)

    def is_old(target: str) -> bool:
        return target.endswith((".OldSaveLoad", ".GoneSaveLoad")) or "._past." in target

    once = wire(text.encode(), wirings, is_old)
    assert wire(once, wirings, is_old) == once
    ast.parse(once)
    return once.decode()


OLD = f"from {FOES} import OldSaveLoad\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class A(OldSaveLoad): ...", "class A(ASaveLoad): ..."),
        ("class A(OldSaveLoad[T], Base): ...", "class A(ASaveLoad[T], Base): ..."),
        ("class A(Base, OldSaveLoad): ...", "class A(ASaveLoad, Base): ..."),
        ("class A(ASaveLoad, OldSaveLoad): ...", "class A(ASaveLoad): ..."),
        ("class A(OldSaveLoad, ASaveLoad): ...", "class A(ASaveLoad): ..."),
        (
            "class A(\n    OldSaveLoad,  # why\n    Base,\n): ...",
            "class A(\n    ASaveLoad,  # why\n    Base,\n): ...",
        ),
    ],
)
def test_the_base_of_a_class_with_another_name_is_replaced(before, after):
    assert rewired(f"{OLD}\n\n{before}\n") == f"{IMPORT}\n\n{after}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"from {FOES} import GoneSaveLoad, OldSaveLoad",
            f"from {FOES} import ASaveLoad",
        ),
        (
            f"from {FOES} import (\n    OldSaveLoad,\n    ZSaveLoad,\n)",
            f"from {FOES} import (\n    ASaveLoad,\n    ZSaveLoad,\n)",
        ),
        ("from game._past.foes import OldSaveLoad", f"from {FOES} import ASaveLoad"),
        (
            f"import x\nfrom game._past.foes import OldSaveLoad\nfrom {FOES} import B",
            f"import x\nfrom {FOES} import ASaveLoad, B",
        ),
    ],
)
def test_the_import_of_a_class_with_another_name_is_replaced(before, after):
    rest = "\n\n\nclass A({}, Base): ...\n"
    text = before + rest.format("OldSaveLoad")
    assert rewired(text) == after + rest.format("ASaveLoad")


def test_the_import_of_a_class_in_a_file_that_was_moved_is_replaced():
    text = (
        "import x\nfrom game._past.foes import ASaveLoad\n\n\nclass A(ASaveLoad): ...\n"
    )
    assert rewired(text) == text.replace("game._past.foes", FOES)


def test_two_classes_with_other_names_are_wired_at_once():
    text = (
        f"from {FOES} import GoneSaveLoad, OldSaveLoad\n\n\n"
        "class A(OldSaveLoad): ...\n\n\nclass B(GoneSaveLoad): ...\n"
    )
    assert rewired(text, A, B) == (
        f"from {FOES} import ASaveLoad, BSaveLoad\n\n\n"
        "class A(ASaveLoad): ...\n\n\nclass B(BSaveLoad): ...\n"
    )


def test_bases_that_are_still_generated_stay():
    text = f"from {FOES} import BSaveLoad\n\n\nclass A(BSaveLoad): ...\n"
    assert "class A(ASaveLoad, BSaveLoad): ..." in rewired(text)
