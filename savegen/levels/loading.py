"""`load_level`: place all objects of a level folder in a world, or raise one error."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from savegen.levels.layout import layout_of
from savegen.levels.plan import LevelLayout
from savegen.levels.level import Level as Level
from savegen.levels.places import (
    CoordinateSystem,
    Region,
    StaticTile as StaticTile,
    object_positions,
    static_tiles,
)
from savegen.levels.reader import read_folder
from savegen.levels.spawning import LevelSpawner
from savegen.levels.rules import GameRules
from savegen.levels.unchanged import LayoutCache, layouts_of
from savegen.findings import Finding, Severity
from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.errors import LevelError, SaveError, with_article
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.prefabs.prefabs import PrefabInfo

_MAX_SHOWN_ERRORS = 20  # in the text of a `LevelError`


def load_level(
    folder: str | os.PathLike[str],
    manager: SaveLoadManager,
    region: tuple[int, int, int, int] | None = None,
    *,
    y_up: bool = False,
    anchor: str = "center",
    unit: float = 1,
) -> Level:
    """Place the objects of a level folder in the world of a manager, and return the level.

    A tile has the centre of its rectangle as its position, in units, and the size of the
    rectangle as its scale. A sprite has the centre of its pixel. Both are shifted by the position
    of their layer. y points down, as in the image; with `y_up` it points up, and is negative below
    the top of the image. `anchor` chooses a point other than the centre, by its name in pygame,
    such as "midbottom". Positions and sizes are multiplied by `unit`: if your game counts in
    pixels, it is the size of one unit in pixels, such as 32.

    Prefabs marked `static=True` have no objects: their rectangles are in `Level.static`.

    A `region` is (left, top, width, height), in units of the images. Only sprites whose pixel is
    inside are placed, and tiles are cut to the region. Placement ids are the same as in the whole
    level, except that a tile which begins outside is named by its first cell inside. So before
    you load a save, load the same regions that were loaded when it was written. You can load
    other regions of the level before or after this one. An object can refer to objects in its
    region and in regions that were loaded before.

    When all objects are in the world, their `@on_activate` methods are called with `PLACED`, layer
    by layer, first for tiles, then for sprites.

    Raises `LevelError` with all findings if the level has errors, or if another object in the
    world has one of its ids. Raises `SaveError` if the level is already loaded, a hook raises, or
    an argument is wrong. Errors that a constructor raises are passed on. In all these cases the
    world does not change.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from savegen.levels.writing import new_level
    >>> from savegen.runtime.prefabs.prefabs import FORMAT as TABLE
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()), PrefabInfo(TABLE, ()))
    >>> with tempfile.TemporaryDirectory() as home:
    ...     for name, data in new_level(b'{"version": 1}', (32, 18), 16).items():
    ...         path = Path(home, "cavern", name)
    ...         path.parent.mkdir(parents=True, exist_ok=True)
    ...         _ = path.write_bytes(data)
    ...     level = load_level(Path(home, "cavern"), manager)
    >>> level, level.visuals[0].image.shape
    (<Level 'cavern' of 0 objects>, (288, 512, 4))
    >>> load_level("no/such/cavern", manager)
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.LevelError: the level 'cavern' cannot be loaded:
      no/such/cavern:1:1: SG501 `no/such/cavern` is missing
    """
    _check_call(folder, manager)
    coordinates = CoordinateSystem.checked(y_up, anchor, unit)
    checked = None if region is None else Region.checked(region)
    with PausedCollector():
        return _loaded(folder, manager, checked, coordinates)


def _check_call(folder: object, manager: object) -> None:
    """Raise `SaveError` if an argument has a wrong type, or the manager cannot load now."""
    if not isinstance(folder, (str, bytes, os.PathLike)):
        cls = with_article(type(folder).__name__)
        raise SaveError(
            f"the path of a level folder must be a string or path, not {cls}"
        )
    if not isinstance(manager, SaveLoadManager):
        cls = with_article(type(manager).__name__)
        raise SaveError(f"the second argument must be a `SaveLoadManager`, not {cls}")
    manager._check_free("load a level")


def _loaded(
    folder: str | os.PathLike[str],
    manager: SaveLoadManager,
    region: Region | None,
    coordinates: CoordinateSystem,
) -> Level:
    prefabs = _prefabs(manager)
    rules = GameRules(prefabs, manager.assets)
    layout = _layout(folder, rules, layouts_of(prefabs))
    spawner = LevelSpawner(layout, manager, prefabs, rules)
    try:
        spawner.build(object_positions(layout, region, coordinates, layout.static))
        _check(layout.name, spawner.findings)
    except BaseException as error:
        spawner.discard(error)
        raise
    static = partial(static_tiles, layout, region, coordinates, spawner.static)
    return Level(layout, region, manager, spawner.place(), static)


def _prefabs(manager: SaveLoadManager) -> PrefabInfo:
    prefabs = manager._game.prefabs
    if not isinstance(prefabs, PrefabInfo):
        raise SaveError(
            "to load levels, pass the generated `PREFAB_INFO` to the `SaveLoadManager`"
        )
    return prefabs


def _layout(
    folder: str | os.PathLike[str], rules: GameRules, unchanged: LayoutCache
) -> LevelLayout:
    content = read_folder(folder)
    layout = unchanged.find(content)
    if layout is None:
        layout, findings = layout_of(content, rules)
        _check(content.name, findings)
        assert layout is not None  # there are no errors
        unchanged.store(content, layout)
    return layout


def _check(level: str, findings: Iterable[Finding]) -> None:
    """Raise `LevelError` with all findings if any of them is an error."""
    findings = list(findings)
    errors = [it for it in findings if it.severity is Severity.ERROR]
    if errors:
        lines = "\n".join(_lines(errors))
        raise LevelError(f"the level {level!r} cannot be loaded:\n{lines}", findings)


def _lines(errors: Sequence[Finding]) -> Iterator[str]:
    yield from map(_line, errors[:_MAX_SHOWN_ERRORS])
    if (hidden := len(errors) - _MAX_SHOWN_ERRORS) > 0:
        yield f"  … and {hidden:,} more; see `findings` of this error"


def _line(finding: Finding) -> str:
    span = finding.span
    place = f"{span.path}:{span.line}:{span.column}"
    return f"  {place}: {finding.code} {finding.message}"
