"""What the marks do at run time: nothing, except that misuse is refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from savegen import before_save, on_activate, on_deactivate, prefab, saveable


@pytest.mark.parametrize("mark", [before_save, on_activate, on_deactivate])
def test_the_mark_of_a_hook_takes_no_parentheses(mark: Any) -> None:
    with pytest.raises(TypeError, match=f"^use `@{mark.__name__}` without parentheses"):

        class Goblin:
            @mark()
            def hook(self) -> None: ...


@pytest.mark.parametrize("mark", [before_save, on_activate, on_deactivate])
def test_the_mark_of_a_hook_returns_the_method(mark: Any) -> None:
    assert mark(len) is mark(method=len) is len


@pytest.mark.parametrize("mark", [prefab, saveable])
def test_the_mark_of_a_class_may_have_empty_parentheses(mark: Any) -> None:
    assert mark()(int) is mark(int) is int
