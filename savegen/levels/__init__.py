"""Read level folders: images say where things are, and a file says what colours mean.

What is here needs `pip install "savegen[levels]"`; nothing of that is loaded before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Not lazily: once the folder of that name is imported, the name would be the folder's.
from savegen.levels.partition import Partition as Partition
from savegen.levels.partition import partition as partition

if TYPE_CHECKING:
    from savegen.levels.loading import Level as Level
    from savegen.levels.loading import load_level as load_level

__all__ = ["Level", "Partition", "load_level", "partition"]


def __getattr__(name: str) -> Any:
    if name not in ("Level", "load_level"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from savegen.levels import loading

    return getattr(loading, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
