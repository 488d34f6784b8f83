"""Values in the source, as they are written."""

from __future__ import annotations

import libcst
import pytest

from savegen.build.scan.declarations import Constant, Other
from savegen.build.scan.expressions import read_value


@pytest.mark.parametrize("text", ["1.5", "-1.5", "+2", "1_000.5e3", "1e308", "-2j"])
def test_a_number_is_a_constant(text: str) -> None:
    found = read_value(libcst.parse_expression(text))
    assert isinstance(found, Constant) and found.value == eval(text)


@pytest.mark.parametrize("text", ["1e999", "-1e999", "+1e9_99"])
def test_an_infinite_number_is_none_that_can_be_written_again(text: str) -> None:
    assert isinstance(read_value(libcst.parse_expression(text)), Other)
