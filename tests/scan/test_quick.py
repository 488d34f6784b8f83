"""The quick way to parse gives what libcst gives, and leaves libcst as it was."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from savegen.build.scan.quick import parse_module
from tests.soaking import SOAKING

EVERY = sorted(Path(__file__).parents[2].glob("savegen/**/*.py"))
SOURCES = EVERY if SOAKING else EVERY[::6]


@pytest.mark.soak
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_tree_is_the_same(path):
    text = path.read_text(encoding="utf-8")
    assert parse_module(text).deep_equals(cst.parse_module(text))


def test_nodes_made_by_hand_are_validated_afterwards():
    parse_module("x = 1\n")
    with pytest.raises(cst.ParserSyntaxError):
        parse_module("x = \n")
    with pytest.raises(cst.CSTValidationError):
        cst.Name("")
