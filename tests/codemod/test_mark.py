"""`mark` adds marks to classes and leaves every other byte alone."""

from __future__ import annotations

import ast
import codecs
from textwrap import dedent

import pytest

from savegen.build.codemod.mark import Marks, mark
from savegen.build.codemod.survey import CannotEdit

PLAIN = "class A:\n    def __init__(self):\n        self.x = 1\n"
X = Marks("A", declared=(("x", "int"),))


def marked(text: str, *marks: Marks) -> str:
    new = mark(dedent(text).encode(), marks or (X,)).decode()
    ast.parse(new)
    return new


def is_subsequence(short: bytes, long: bytes) -> bool:
    rest = iter(long)
    return all(byte in rest for byte in short)


def test_a_field_is_declared_above_the_methods() -> None:
    assert marked(PLAIN) == (
        "from savegen import Saved, saveable\n\n\n"
        "@saveable\nclass A:\n    x: Saved[int]\n\n"
        "    def __init__(self):\n        self.x = 1\n"
    )


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ('"""Text."""\n\n    def f(self): ...', '"""Text."""\n\n    x: Saved[int]\n\n    def f(self): ...'),
        ('"""Text."""\n    def f(self): ...', '"""Text."""\n\n    x: Saved[int]\n\n    def f(self): ...'),
        ('"""Text."""', '"""Text."""\n\n    x: Saved[int]'),
        ("y: int = 1\n\n    def f(self): ...", "y: int = 1\n    x: Saved[int]\n\n    def f(self): ..."),
        ("# why\n    @property\n    def f(self): ...",
         "x: Saved[int]\n\n    # why\n    @property\n    def f(self): ..."),
        ("pass", "x: Saved[int]\n\n    pass"),
    ],
)  # fmt: skip
def test_fields_stand_below_the_docstring_and_the_other_fields(
    body: str, after: str
) -> None:
    new = marked(f"class A:\n    {body}\n")
    assert new.partition("class A:\n    ")[2] == after + "\n"


def test_annotations_are_wrapped_where_they_stand() -> None:
    text = """
        from typing import Optional

        class A:
            a: int = 1  # one
            b: "Optional[A]" = None

            def __init__(self) -> None:
                self.c: Optional[int] = None
    """
    new = marked(text, Marks("A", wrapped=("a", "b"), annotated=("c",)))
    assert "    a: Saved[int] = 1  # one\n" in new
    assert '    b: Saved["Optional[A]"] = None\n' in new
    assert "self.c: Annotated[Optional[int], Save()] = None\n" in new
    assert "from typing import Annotated, Optional\n" in new
    assert "from savegen import Save, Saved, saveable\n" in new


def test_a_plain_assignment_gets_an_annotation() -> None:
    new = marked(PLAIN, Marks("A", assigned=(("x", "int"),)))
    assert "        self.x: Annotated[int, Save()] = 1\n" in new


@pytest.mark.parametrize(
    ("method", "after"),
    [
        ("    def __init__(self):\n        if 1:\n            f()  # end\n\n    def g(self): ...",
         "            f()  # end\n        self.x: Annotated[int, Save(setter=True)] = self.x\n\n    def g"),
        ("    def __init__(self):\n        f()",
         "        f()\n        self.x: Annotated[int, Save(setter=True)] = self.x"),
        ("    def __init__(self): ...",
         "class A:\n    x: Annotated[int, Save(setter=True)]\n\n    def __init__"),
    ],
)  # fmt: skip
def test_a_property_that_no_method_assigns_is_marked_at_the_end_of_the_constructor(
    method: str, after: str
) -> None:
    marks = Marks("A", assigned=(("x", "int"),), setters=frozenset("x"))
    assert after in marked(f"class A:\n{method}", marks)


def test_transient_attributes_are_named_in_the_decorator() -> None:
    assert '@saveable(transient=("x",))\nclass A' in marked(
        PLAIN, Marks("A", transient=("x",))
    )
    names = tuple(f"attribute_{n}" for n in range(6))
    new = marked(PLAIN, Marks("A", transient=names))
    assert '@saveable(\n    transient=(\n        "attribute_0",\n' in new
    assert max(map(len, new.splitlines())) <= 88


def test_the_decorator_is_above_the_others() -> None:
    new = marked("@dataclass\nclass A:\n    x: int\n", Marks("A", wrapped=("x",)))
    assert "@saveable\n@dataclass\nclass A:\n    x: Saved[int]\n" in new


def test_a_marked_class_keeps_its_decorator() -> None:
    text = "from savegen import saveable\n@saveable\nclass A:\n    x: int\n"
    new = marked(text, Marks("A", decorated=False, wrapped=("x",)))
    assert new.count("@saveable") == 1
    assert new.startswith("from savegen import Saved, saveable\n")


def test_imports_for_annotations_only() -> None:
    types = (("game.foes", "Orc"),)
    new = marked(PLAIN, Marks("A", declared=(("x", "Orc"),), type_imports=types))
    assert "if TYPE_CHECKING:\n    from game.foes import Orc\n" in new
    assert "from typing import TYPE_CHECKING\n" in new
    again = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from game.foes import Elf\n\n"
        + PLAIN
    )
    new = marked(again, Marks("A", declared=(("x", "Orc"),), type_imports=types))
    assert "    from game.foes import Elf, Orc\n" in new
    assert new.count("TYPE_CHECKING") == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b"    ", b"\t"),
        lambda text: codecs.BOM_UTF8 + text,
        lambda text: b"# -*- coding: latin-1 -*-\n# \xe9\n" + text,
        lambda text: text.removesuffix(b"\n"),
        lambda text: b"if True:\n  " + text.replace(b"\n", b"\n  ").rstrip() + b"\n",
        lambda text: b"# A comment.\n\n\n" + text + b"\n\n# The end.",
        lambda text: text.replace(b"class A:", b"@one\n@two(1)\nclass  A ( object ) :  # here"),
        lambda text: b'"""Doc."""\nfrom __future__ import annotations\n' + text,
    ],
)  # fmt: skip
def test_every_other_byte_is_kept(change: object) -> None:
    data = change(PLAIN.encode())  # type: ignore[operator]
    new = mark(data, [X])
    ast.parse(new)
    assert is_subsequence(data, new)
    assert new.count(b"Saved[int]") == 1
    assert (b"\r\n" in data) == (b"\r\n" in new)
    assert not (b"\r\n" in data and b"\n" in new.replace(b"\r\n", b""))


@pytest.mark.parametrize(
    ("text", "marks", "reason"),
    [
        ("class A: pass\n", X, "the class is written on one line"),
        ("class B:\n    pass\n", X, "the file has no class `A`"),
        ("class A:\n    x: int\n", Marks("A", wrapped=("y",)), "no annotated field `y`"),
        ("class A:\n    def f(self): ...\n", Marks("A", annotated=("y",)), "annotates no attribute"),
        ("class A:\n    def f(self): ...\n", Marks("A", assigned=(("y", "int"),)), "assigns no attribute"),
        ("def saveable(): ...\n" + PLAIN, X, "uses the name `saveable` for something else"),
        ("class A:\n    pass\nclass A:\n    pass\n", X, "defined twice"),
        ("class A(:\n", X, "invalid syntax"),
        ("x = 1; \\\nclass A:\n    pass\n", X, "syntax"),
    ],
)  # fmt: skip
def test_what_cannot_be_marked_is_refused(text: str, marks: Marks, reason: str) -> None:
    with pytest.raises(CannotEdit, match=reason):
        mark(text.encode(), [marks])
