"""A prefab inside a function cannot be imported."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab
from savegen.report import Finding


def in_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    # A saveable class inside a function is `local_class` already.
    if prefab.local and not prefab.is_class:
        yield LocalPrefab(prefab.span, prefab.simple_name)


class LocalPrefab(Finding, frozen=True):
    code = "SG408"
    MESSAGE = (
        "prefab `{name}` is inside a function, so levels and saves cannot import it"
    )
    HELP = "move it to module level"

    name: str
