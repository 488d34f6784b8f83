"""Remembers which modules an answer depended on, through answers that are remembered too."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Dependencies:
    """Collects the names of the modules that were asked for, found or not."""

    def __init__(self) -> None:
        self._modules: set[str] = set()

    def add(self, module: str) -> None:
        self._modules.add(module)

    def take(self) -> frozenset[str]:
        """Return what was asked for since the last call."""
        taken = frozenset(self._modules)
        self._modules = set()
        return taken

    def remember(
        self,
        table: dict[_K, tuple[_V, frozenset[str]]],
        key: _K,
        meanwhile: _V,
        compute: Callable[[], _V],
    ) -> _V:
        """Return the answer in `table`, computed if it is not there.

        `meanwhile` is the answer to the same question asked while it is computed.
        """
        found = table.get(key)
        if found is None:
            outer, self._modules = self._modules, set()
            table[key] = (meanwhile, frozenset())
            answer = compute()
            found = table[key] = (answer, frozenset(self._modules))
            self._modules = outer
        self._modules |= found[1]
        return found[0]
