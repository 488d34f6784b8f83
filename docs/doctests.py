"""An extension of griffe, which reads the docstrings: examples become blocks of code.

Without it, the `>>>` of an example would be three quotations inside each other.
"""

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """Fences the examples in docstrings."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the examples in the docstring of what was just read."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Return a docstring whose examples are blocks of code."""
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", docstring)
