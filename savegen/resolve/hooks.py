"""The marked methods of a class: what the run time calls, and when."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import HOOKS
from savegen.resolve.lineage import Lineage
from savegen.resolve.names import mangled


def hooks_of(name: str, lineage: Lineage) -> Iterator[tuple[str, str]]:
    """Yield mark and method of each hook of a class, once; those of its bases come first.

    A method that overrides a hook is a hook, too, marked again or not.
    """
    found: dict[str, set[str]] = {}
    for symbol in reversed(list(lineage.declarations(name))):
        for method in symbol.declaration.methods:
            if method.decorators:
                words = lineage.names_of(symbol, method.decorators)
                marks = {word.removeprefix("savegen.") for word in words if word}
                attribute = mangled(method.name, symbol.declaration.name)
                found.setdefault(attribute, set()).update(marks.intersection(HOOKS))
    for attribute, marks in found.items():
        yield from ((mark, attribute) for mark in HOOKS if mark in marks)
