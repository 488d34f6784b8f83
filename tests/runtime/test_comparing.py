"""Objects that are compared with their rows, without a generated project."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Any

from msgspec import UNSET

from savegen.runtime.generated.comparing import compared, differing
from savegen.runtime.values.references import NO_REFERENCES
from savegen.runtime.values.stored import parse


class Colour(Enum):
    RED = 1
    BLUE = 2


def test_an_enum_field_differs_in_no_object_but_those_with_another_value() -> None:
    pairs: list[tuple[Any, Any, bool]] = [
        (Colour.RED, "RED", False),
        (None, None, False),
        (Colour.BLUE, "RED", True),
        (Colour.RED, None, True),
        (None, "RED", True),
        (Colour.RED, "GONE", True),
        (None, "GONE", True),
        (Colour.RED, UNSET, True),
        ("RED", "RED", True),
        ([], "RED", True),
        (Colour.BLUE, "BLUE", False),
    ]
    stored = parse(f"optional<enum {__name__}.Colour{{RED BLUE}}>")
    fields = compared([("colour", "colour", stored)])
    entry: Any = SimpleNamespace(compared=fields, differs=None)
    values = [SimpleNamespace(colour=value) for value, _, _ in pairs]
    rows = [SimpleNamespace(colour=cell) for _, cell, _ in pairs]
    expected = [n for n, (_, _, differs) in enumerate(pairs) if differs]
    assert differing(entry, values, rows, NO_REFERENCES) == expected
    odd = [SimpleNamespace(colour="RED")]  # no object has a member
    assert differing(entry, odd, rows[:1], NO_REFERENCES) == [0]
