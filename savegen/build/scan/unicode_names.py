"""Normalise names as Python does: `ﬁ` and `fi` are the same name."""

from __future__ import annotations

import unicodedata
from typing import TypeVar

import libcst as cst

_N = TypeVar("_N", bound=cst.CSTNode)


def with_normalised_names(tree: _N, text: str) -> _N:
    """Return a tree, parsed from `text`, with its names normalised as Python does."""
    if unicodedata.is_normalized("NFKC", text):
        return tree
    normalised = tree.visit(_NameNormaliser())
    assert isinstance(normalised, type(tree))
    return normalised


class _NameNormaliser(cst.CSTTransformer):
    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        name = unicodedata.normalize("NFKC", updated_node.value)
        return updated_node.with_changes(value=name)
