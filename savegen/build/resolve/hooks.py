"""The marked methods of a class: what the run time calls, and when."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import HOOKS
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol, mangled
from savegen.build.scan.declarations import Constant


def hooks_of(name: str, lineage: Lineage) -> Iterator[tuple[str, str]]:
    """Yield mark and method of each hook of a class, once; those of its bases come first.

    A method that overrides a hook is a hook, too, marked again or not; `wake = None` ends it.
    """
    found: dict[str, set[str]] = {}
    chain = list(lineage.declarations(name))
    for symbol in reversed(chain):
        for method in symbol.declaration.methods:
            if method.decorators:
                words = lineage.names_of(symbol, method.decorators)
                marks = {word.removeprefix("savegen.") for word in words if word}
                attribute = mangled(method.name, symbol.declaration.name)
                found.setdefault(attribute, set()).update(marks.intersection(HOOKS))
    for attribute, marks in found.items():
        if not _is_none(attribute, chain):
            yield from ((mark, attribute) for mark in HOOKS if mark in marks)


def _is_none(stored: str, chain: list[ClassSymbol]) -> bool:
    """Return whether the nearest class that has an attribute sets it to `None`."""
    for _, declaration in chain:
        for each in declaration.attributes:
            if each.method is None and mangled(each.name, declaration.name) == stored:
                return each.default == Constant("None")
        methods = declaration.methods
        if any(mangled(each.name, declaration.name) == stored for each in methods):
            return False
    return False
