"""A record of the modules that a result depends on, and a cache for such results."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
# Results with the modules that each depends on.
Cache: TypeAlias = dict[_K, tuple[_V, frozenset[str]]]


SUBCLASSES_OF = "subclasses of "  # before the simple name of a class


class Dependencies:
    """Collects what was looked up: modules, whether or not they exist, and subclasses of classes.

    The entry for the subclasses of a class is `SUBCLASSES_OF` and its simple name.
    """

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
        cache: Cache[_K, _V],
        key: _K,
        preliminary: _V,
        compute: Callable[[], _V],
    ) -> _V:
        """Return the result in `cache`, and add the modules that it depends on.

        A missing result is computed. If that asks for the same key again, the answer is
        `preliminary`, which ends the recursion.
        """
        cached = cache.get(key)
        if cached is None:
            outer, self._modules = self._modules, set()
            cache[key] = (preliminary, frozenset())
            result = compute()
            cached = cache[key] = (result, frozenset(self._modules))
            self._modules = outer
        self._modules |= cached[1]
        return cached[0]
