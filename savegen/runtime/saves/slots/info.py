"""What is told of saves: in lists, after saving, after loading."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
)
from savegen.runtime.load import LoadReport
from savegen.runtime.saves.slots.lineage import Generation, heads
from savegen.runtime.saves.metadata import Metadata


class SaveInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One save of a slot, the newest that can be read unless another one was asked for.

    >>> SaveInfo(slot="slot-1", generation=3, metadata=Metadata(title="At the gate")).title
    'At the gate'
    """

    slot: str
    generation: int
    metadata: Metadata = Metadata()
    size: int = 0  # bytes
    digest: str = ""
    generations: tuple[int, ...] = ()  # all that the slot has, the newest first
    # Another save in the slot is not an earlier one of this: two computers went on from
    # the same save, say. The newer one is loaded, and the other is kept.
    diverged: bool = False
    is_newest: bool = True  # newer ones are there, but broken
    notes: tuple[str, ...] = ()  # what was passed over, and why
    fault: str = ""  # why it cannot be read; all of the slot's are broken then

    @property
    def title(self) -> str:
        return self.metadata.title

    @property
    def time(self) -> str:
        """When it was saved, in UTC: `2026-01-31T18:05:09Z`."""
        return self.metadata.time

    @property
    def playtime(self) -> float:
        """Seconds, as the game has told."""
        return self.metadata.playtime

    @property
    def level(self) -> str | None:
        return self.metadata.level


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What a load has read, and what it did.

    >>> info = SaveInfo(slot="slot-1", generation=2)
    >>> Loaded(info=info, report=LoadReport(created=1)).report.created
    1
    """

    info: SaveInfo
    report: LoadReport
    is_newest: bool = True
    notes: tuple[str, ...] = ()  # what was passed over, and why


@contextmanager
def told_of(info: SaveInfo) -> Iterator[None]:
    """Let what goes wrong say with which save, and which older one could be loaded.

    A damaged one is passed over: what is said of it is up to who does that.
    """
    try:
        yield
    except SaveCorruptError:
        raise
    except SaveError as error:
        words = f"{info.slot}/{info.generation}.sav: {error}"
        older = [each for each in info.generations if each < info.generation]
        if older and isinstance(error, (SaveVersionError, SaveLimitError)):
            words += f"; `generation={older[0]}` loads the one before it"
        error.args = (words,)
        raise


def info_of(
    slot: str,
    found: Generation,
    saves: list[Generation],
    notes: tuple[str, ...] = (),
) -> SaveInfo:
    """Return what there is to tell of one of the saves of a slot."""
    ends = heads(saves)
    return SaveInfo(
        slot=slot,
        generation=found.number,
        metadata=found.metadata,
        size=found.size,
        digest=found.digest,
        generations=tuple(dict.fromkeys(each.number for each in saves)),
        diverged=len({each.digest for each in ends}) > 1,
        is_newest=found.number == saves[0].number,
        notes=notes,
        fault=found.fault,
    )
