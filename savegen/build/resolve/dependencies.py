"""Cached answers that remember which modules they depend on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Dependencies:
    """Collects the names of the modules that were looked up, whether or not they exist."""

    def __init__(self) -> None:
        self._modules: set[str] = set()

    def add(self, module: str) -> None:
        self._modules.add(module)

    def take(self) -> frozenset[str]:
        """Return the modules that were looked up since the last call."""
        taken = frozenset(self._modules)
        self._modules = set()
        return taken

    def remember(
        self,
        cache: dict[_K, tuple[_V, frozenset[str]]],
        key: _K,
        meanwhile: _V,
        compute: Callable[[], _V],
    ) -> _V:
        """Return the answer in `cache`; compute it first if it is missing.

        Add the modules that it depends on. `meanwhile` is the answer for the same key while
        it is being computed, which ends recursion.
        """
        cached = cache.get(key)
        if cached is None:
            outer, self._modules = self._modules, set()
            cache[key] = (meanwhile, frozenset())
            answer = compute()
            cached = cache[key] = (answer, frozenset(self._modules))
            self._modules = outer
        self._modules |= cached[1]
        return cached[0]
