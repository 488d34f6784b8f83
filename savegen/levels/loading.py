"""Load a level folder into a world completely, or list everything that is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from savegen.levels.layout import Layout, layout_of
from savegen.levels.level import Level as Level
from savegen.levels.places import Region, View, standings
from savegen.levels.reader import read_folder
from savegen.levels.spawning import Spawning
from savegen.levels.rules import GameRules
from savegen.findings import Finding, Severity
from savegen.runtime.collecting import Paused
from savegen.runtime.errors import LevelError, SaveError, a
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.prefabs import PrefabInfo

_MOST = 20  # findings that the error of a level shows


def load_level(
    folder: str | os.PathLike[str],
    manager: SaveLoadManager,
    region: tuple[int, int, int, int] | None = None,
    *,
    y_up: bool = False,
    anchor: str = "center",
) -> Level:
    """Place all that a level folder says in the world of a manager, and return the level.

    A tile stands at the centre of its rectangle, in units, and is scaled to its size; a sprite
    at the centre of its pixel. Both are shifted by the position of their layer. y points down,
    as in the image; with `y_up` the same places have the opposite y, so that all that is drawn
    is below 0. `anchor` names another point than the centre, as pygame does: "midbottom", say.

    With a `region`, (left, top, width, height) in units of the images, only what is inside is
    placed: sprites whose pixel is, and tiles cut to it. Placement ids are the same as those of
    the whole level; a tile that begins outside has that of the first cell inside, so load the
    regions that were there before a save of them. Other regions may be there already, or come
    later: a reference may lead into any that is in the world, but into none that is not yet.
    Objects that refer to each other have to be in one region.

    `@on_activate` methods are called with `PLACED` when everything is there: tiles, then
    sprites, layer by layer.

    Raises `LevelError` with all findings if anything is wrong with the level, or something else
    in the world has a name that it gives; `SaveError` if it is there itself, a hook raises, or
    the call is wrong. What a constructor raises comes out as it is. The world is then as it was
    before.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from savegen.levels.writing import new_level
    >>> from savegen.runtime.prefabs import FORMAT as TABLE
    >>> from savegen.runtime.registry import FORMAT, Registry
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
    view = View.checked(y_up, anchor)
    wanted = None if region is None else Region.checked(region)
    with Paused():
        return _loaded(folder, manager, wanted, view)


def _check_call(folder: object, manager: object) -> None:
    """Raises `SaveError` if that is no path, or no manager that can load anything now."""
    if not isinstance(folder, (str, bytes, os.PathLike)):
        cls = a(type(folder).__name__)
        raise SaveError(
            f"the path of a level folder must be a string or path, not {cls}"
        )
    if not isinstance(manager, SaveLoadManager):
        cls = a(type(manager).__name__)
        raise SaveError(f"the second argument must be a `SaveLoadManager`, not {cls}")
    manager.check_free("load a level")


def _loaded(
    folder: str | os.PathLike[str],
    manager: SaveLoadManager,
    wanted: Region | None,
    view: View,
) -> Level:
    prefabs = _prefabs(manager)
    rules = GameRules(prefabs, manager.assets)
    layout = _layout(folder, rules)
    spawning = Spawning(layout.name, layout.description, manager, prefabs, rules)
    try:
        spawning.build(standings(layout, wanted, view))
        _check(layout.name, spawning.findings)
        placements = spawning.place()
    except BaseException:
        spawning.give_up()
        raise
    return Level(layout, wanted, manager, placements)


def _prefabs(manager: SaveLoadManager) -> PrefabInfo:
    found = manager.prefabs
    if not isinstance(found, PrefabInfo):
        raise SaveError(
            "to load levels, pass the generated `PREFAB_INFO` to the `SaveLoadManager`"
        )
    return found


def _layout(folder: str | os.PathLike[str], rules: GameRules) -> Layout:
    read = read_folder(folder)
    layout, findings = layout_of(read, rules)
    _check(read.name, findings)
    assert layout is not None  # nothing is an error
    return layout


def _check(level: str, findings: Iterable[Finding]) -> None:
    """Raise `LevelError` with all findings if any of them is an error."""
    found = list(findings)
    errors = [each for each in found if each.severity is Severity.ERROR]
    if errors:
        lines = "\n".join(_lines(errors))
        raise LevelError(f"the level {level!r} cannot be loaded:\n{lines}", found)


def _lines(errors: Sequence[Finding]) -> Iterator[str]:
    yield from map(_line, errors[:_MOST])
    if (more := len(errors) - _MOST) > 0:
        yield f"  … and {more:,} more; see `findings` of this error"


def _line(finding: Finding) -> str:
    span = finding.span
    place = f"{span.path}:{span.line}:{span.column}"
    return f"  {place}: {finding.code} {finding.message}"
