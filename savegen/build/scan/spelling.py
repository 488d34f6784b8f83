"""Names as Python stores them: however `ﬁ` is typed, the attribute is called `fi`."""

from __future__ import annotations

import unicodedata
from typing import TypeVar

import libcst as cst

_N = TypeVar("_N", bound=cst.CSTNode)


def as_stored(tree: _N, text: str) -> _N:
    """Return a tree with its names as Python stores them; `text` is what it was parsed from."""
    if unicodedata.is_normalized("NFKC", text):
        return tree
    normal = tree.visit(_Names())
    assert isinstance(normal, type(tree))
    return normal


class _Names(cst.CSTTransformer):
    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        name = unicodedata.normalize("NFKC", updated_node.value)
        return updated_node.with_changes(value=name)
