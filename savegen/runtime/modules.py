"""Modules of the game that generated code imports when it first needs a class of theirs."""

from __future__ import annotations

from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.named import imported


class _Lazy:
    """Finds a class in a module when it is first asked for, and keeps it."""

    def __init__(self, name: str) -> None:
        self.__dict__["\0name"] = name  # no class can be called that

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__["\0name"]
        try:
            found = imported(f"{module}:{name}")
        except ImportError as error:
            raise SaveError(
                f"`{name}` of `{module}` cannot be found: {error}"
            ) from error
        self.__dict__[name] = found
        return found


def lazy(name: str) -> Any:
    """Return what stands for a module that is imported on first use.

    So the game's module, which imports the generated one, is loaded before it is asked.

    >>> fractions = lazy("fractions")
    >>> fractions.Fraction(1, 2)
    Fraction(1, 2)
    """
    return _Lazy(name)
