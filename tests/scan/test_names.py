"""Relative imports become absolute names as Python makes them."""

from __future__ import annotations

from importlib.util import resolve_name

import pytest

from savegen.build.scan.names import absolute_module


@pytest.mark.parametrize("importer", ["a", "a.b", "a.b.c", "a.b.c.d"])
@pytest.mark.parametrize("is_package", [True, False])
@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", [None, "x", "x.y"])
def test_dots_lead_where_python_says(
    importer: str, is_package: bool, level: int, name: str | None
) -> None:
    package = importer if is_package else importer.rpartition(".")[0]
    try:
        expected = resolve_name("." * level + (name or ""), package).rstrip(".")
    except ImportError:
        expected = None
    assert absolute_module(importer, is_package, level, name) == expected


def test_an_absolute_name_stays_as_it_is() -> None:
    assert absolute_module("a.b", False, 0, "x.y") == "x.y"
    assert absolute_module("a.b", True, 0, "b") == "b"


def test_an_empty_name_is_no_name() -> None:
    assert absolute_module("a.b", False, 1, "") == "a"
