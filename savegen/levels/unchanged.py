"""Keeps the layouts of the levels that were loaded last, as long as their files are unchanged.

The files are read at each load and compared byte by byte, which takes no time beside decoding
them; times and sizes of files can miss a change.
"""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

from savegen.levels.plan import LevelLayout
from savegen.levels.reader import Folder
from savegen.runtime.prefabs.prefabs import PrefabInfo

_MAX_LEVELS = 8
_MAX_PIXELS = 1 << 24  # of all their images; of the last level, any number


class LayoutCache:
    """Valid layouts of one game, the one that was used last at the end.

    >>> cache, folder = LayoutCache(), Folder("levels/cavern", "cavern", b"{}", {})
    >>> layout = LevelLayout("cavern", (), description=None)
    >>> cache.store(folder, layout)
    >>> cache.find(Folder("levels/cavern", "cavern", b"{}", {})) is layout
    True
    >>> cache.find(Folder("levels/cavern", "cavern", b"{ }", {})) is None
    True
    """

    def __init__(self) -> None:
        self._levels: dict[str, tuple[Folder, LevelLayout]] = {}  # by path
        self._lock = Lock()  # several managers in several threads may load levels

    def find(self, folder: Folder) -> LevelLayout | None:
        """Return the layout of a folder, if its content is the same as when it was stored."""
        with self._lock:
            found = self._levels.pop(folder.path, None)
            if found is None or found[0] != folder:
                return None
            self._levels[folder.path] = found
            return found[1]

    def store(self, folder: Folder, layout: LevelLayout) -> None:
        """Keep a layout without errors, and forget those that were not used for longest."""
        with self._lock:
            self._levels.pop(folder.path, None)
            self._levels[folder.path] = folder, layout
            while len(self._levels) > 1 and self._is_full():
                del self._levels[next(iter(self._levels))]

    def _is_full(self) -> bool:
        pixels = sum(_pixels(layout) for _, layout in self._levels.values())
        return len(self._levels) > _MAX_LEVELS or pixels > _MAX_PIXELS


def _pixels(layout: LevelLayout) -> int:
    pictures = (p for it in layout.layers for p in (it.geometry, it.visual))
    sizes = [picture.size for picture in pictures if picture is not None]
    return sum(width * height for width, height in sizes)


_caches: WeakKeyDictionary[PrefabInfo, LayoutCache] = WeakKeyDictionary()


def layouts_of(prefabs: PrefabInfo) -> LayoutCache:
    """Return the layouts of the levels of a game."""
    return _caches.setdefault(prefabs, LayoutCache())
