"""The options for saving to a slot, and the information and reports that games get."""

from __future__ import annotations

from math import isfinite
from typing import Any, TypedDict

import msgspec

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
    nearest,
)
from savegen.saves.file import Compression, Metadata, check_compression
from savegen.runtime.reports import LoadReport
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves.reports import SaveReport
from savegen.saves.slots.save_files import SaveFile, tips


class SaveOptions(TypedDict, total=False):
    """The options of `SaveSlots.save`."""

    title: str
    playtime: float  # seconds
    thumbnail: bytes  # an image file, such as a PNG
    level: str | None  # to start before the save is applied
    level_digest: str
    extra: dict[str, Any]  # plain JSON, for the game's own use
    compress: Compression  # makes files smaller and saving slower
    new_lineage: bool  # start a new lineage in the slot
    snapshot: Snapshot  # of the whole world; saved in place of a new one


_TYPES: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "playtime": (int, float),
    "thumbnail": (bytes,),
    "level": (str, type(None)),
    "level_digest": (str,),
    "extra": (dict,),
    "compress": (str,),
    "new_lineage": (bool,),
    "snapshot": (Snapshot,),
}


def check_options(options: SaveOptions) -> None:
    """Raise `SaveError` for an unknown option, or a value of a wrong type."""
    for name, value in options.items():
        types = _TYPES.get(name)
        if types is None:
            raise SaveError(f"a save has no option {nearest(name, _TYPES)}")
        if not isinstance(value, types) or type(value) is bool and bool not in types:
            expected = " or ".join(each.__name__ for each in types)
            actual = type(value).__name__
            raise SaveError(
                f"the option `{name}` of a save must be {expected}, not {actual}"
            )
    _check_playtime(options.get("playtime", 0.0))
    check_compression(options.get("compress", ""))


def _check_playtime(playtime: float) -> None:
    try:
        if isfinite(playtime):
            return
        shown = str(playtime)
    except OverflowError:  # an int that no float can hold
        shown = "a larger one"
    raise SaveError(
        "the option `playtime` of a save must be a finite number of seconds that fits in a"
        f" float, not {shown}"
    )


# -- reports


class SaveInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Information on one save of a slot: the newest readable one, or a requested generation.

    >>> SaveInfo(slot="slot-1", generation=3, metadata=Metadata(title="At the gate")).title
    'At the gate'
    """

    slot: str
    generation: int
    metadata: Metadata = Metadata()
    size: int = 0  # bytes
    digest: str = ""
    generations: tuple[int, ...] = ()  # of all saves in the slot, newest first
    # Whether the slot has several lineages: two computers may have continued from the same save.
    # A load takes the newest save, and the others are kept.
    diverged: bool = False
    is_newest: bool = (
        True  # if not, newer ones are damaged, or an older one was requested
    )
    notes: tuple[str, ...] = ()  # which saves were skipped, and why
    fault: str = ""  # why no save of the slot can be read

    @property
    def title(self) -> str:
        return self.metadata.title

    @property
    def time(self) -> str:
        """The time of the save in UTC: `2026-01-31T18:05:09Z`."""
        return self.metadata.time

    @property
    def playtime(self) -> float:
        """The playtime in seconds, as given by the game."""
        return self.metadata.playtime

    @property
    def level(self) -> str | None:
        return self.metadata.level


class SlotSaveReport(SaveReport, frozen=True, kw_only=True):
    """The report of a save to a slot.

    >>> SlotSaveReport(info=SaveInfo(slot="slot-1", generation=3)).generation
    3
    """

    info: SaveInfo

    @property
    def slot(self) -> str:
        return self.info.slot

    @property
    def generation(self) -> int:
        return self.info.generation


class SlotLoadReport(LoadReport, frozen=True, kw_only=True):
    """The report of a load from a slot.

    >>> SlotLoadReport(info=SaveInfo(slot="slot-1", generation=2), created=1).info.generation
    2
    """

    info: SaveInfo

    @property
    def is_newest(self) -> bool:
        """Whether the save is the newest of its slot."""
        return self.info.is_newest


# -- errors


class SaveErrorContext:
    """Adds the name of the save to errors in a `with` block.

    If the save is too new or too large, and the game may choose a generation, it also names an
    older one to load.
    `SaveCorruptError` is unchanged, because damaged saves are skipped and named in a note.
    A class, unlike a generator, also works after a `MemoryError`.
    """

    def __init__(self, info: SaveInfo, may_choose: bool = True) -> None:
        self._info = info
        self._may_choose = may_choose

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not isinstance(error, SaveError) or isinstance(error, SaveCorruptError):
            return
        info = self._info
        message = f"{info.slot}/{info.generation}.sav: {error}"
        older = [each for each in info.generations if each < info.generation]
        is_unfit = isinstance(error, (SaveVersionError, SaveLimitError))
        if older and is_unfit and self._may_choose:
            message += f"; `generation={older[0]}` loads the save before it"
        error.args = (message,)


def info_of(
    slot: str, save: SaveFile, saves: list[SaveFile], notes: tuple[str, ...] = ()
) -> SaveInfo:
    return SaveInfo(
        slot=slot,
        generation=save.generation,
        metadata=save.metadata,
        size=save.size,
        digest=save.digest,
        generations=tuple(dict.fromkeys(each.generation for each in saves)),
        diverged=len({each.digest for each in tips(saves)}) > 1,
        is_newest=save.generation == saves[0].generation,
        notes=notes,
        fault=save.fault,
    )
