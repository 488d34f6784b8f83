"""Load levels that are drawn in an image editor.

The images in a level folder place objects; its file `level.lvl` maps colours to prefabs. Loading
levels needs `pip install "savegen[levels]"`; numpy and Pillow are imported at their first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Not imported lazily: otherwise the name `partition` would mean the subpackage.
from savegen.levels.partition import Partition as Partition
from savegen.levels.partition import partition as partition

if TYPE_CHECKING:
    from savegen.levels.loading import Level as Level
    from savegen.levels.loading import StaticTile as StaticTile
    from savegen.levels.loading import load_level as load_level

__all__ = ["Level", "Partition", "StaticTile", "load_level", "partition"]


def __getattr__(name: str) -> Any:
    if name not in ("Level", "StaticTile", "load_level"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from savegen.levels import loading

    return getattr(loading, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
