"""Every public word of the runtime shows how it is used, by an example that runs."""

from __future__ import annotations

import doctest
import inspect

import pytest

from savegen import runtime

WITHOUT_DOCSTRING = {"NO_REFERENCES", "Saved"}  # an object and an alias


@pytest.mark.parametrize("name", sorted({*runtime.__all__} - WITHOUT_DOCSTRING))
def test_a_public_word_has_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(runtime, name)) or ""
    assert doctest.DocTestParser().get_examples(doc)
