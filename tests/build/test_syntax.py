"""The digest of a file's meaning, by which pass 3 knows whether to run the game again."""

from __future__ import annotations

import pytest

from savegen.build.links.syntax import digest, of_lines

TEXT = """\
'''A hero.'''
from game import *

class Hero(Base, metaclass=Meta):
    '''Who wins.'''
    hp: int = 3
    title = f"{hp!r:>{width}}" "s" f"{hp:}{hp=}"

    def hit(self, /, by, *more, times=1, **others):
        global first, second
        match by:
            case {"a": 1, **rest} if rest: return [*more, 1e999, 2j, b"x", u"y"]
            case Sword(1, size=2) | None: pass
        try: del others[1:2, ::3]
        except* Error as error: raise Lost from error
"""


def of(text: str) -> str:
    return digest("game.py", text.encode())


def test_a_digest_is_the_same_under_every_version_of_python():
    assert of(TEXT) == "bb800d12e3ebe8b4004db093c2b6fd3d"


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("A hero.", "Somebody."),
        TEXT.replace("Who wins.", "Who\\n    loses."),
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("hp: int = 3", "hp: int = (  # so many\n        0x3)\n"),
        TEXT.replace("global first", "'It hurts.'\n        global first"),
        TEXT.replace('u"y"', "'y'"),
    ],
)
def test_what_changes_no_meaning_changes_no_digest(text):
    assert text != TEXT and of(text) == of(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= 3", "= 3.0"),
        ("= 3", "= '3'"),
        ("= 3", "= 'hp'"),
        ("= 3", "= hp"),
        ("times=1", "times=True"),
        ("times=1", "times=0"),
        ("first, second", "firstsecond"),
        ("first, second", "second, first"),
        ("!r", "!s"),
        ('b"x"', '"x"'),
        ("*more, times", "more, times"),
        ("except*", "except"),
        ("hp: int", "(hp): int"),
        ("from game", "from .game"),
    ],
)
def test_what_changes_the_meaning_changes_the_digest(old, new):
    assert old in TEXT and of(TEXT.replace(old, new, 1)) != of(TEXT)


def test_what_this_python_cannot_parse_has_the_digest_of_its_lines():
    for path, text in (("a.py", b"class:\n"), ("a.py", b"\0"), ("a.so", b"x = 1\n")):
        assert digest(path, text) == of_lines(text)


def test_deep_trees_and_large_numbers_are_no_limit():
    assert of("x = " + "-" * 150 + "1") != of("x = " + "-" * 151 + "1")
    assert of(f"x = 0x{'f' * 9000}") != of(f"x = 0x{'e' * 9000}")
