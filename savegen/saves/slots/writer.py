"""Write the next save of a slot, and remove saves that are no longer kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import asdict, replace

from savegen.runtime.snapshot import Snapshot
from savegen.runtime.errors import NoSuchSave, SaveError, SaveWriteError
from savegen.saves.file import Metadata, Progress
from savegen.saves import coding, file
from savegen.saves.reports import SaveReport
from savegen.saves.schema import fingerprint
from savegen.saves.slots.info import (
    SaveInfo,
    SaveOptions,
    SlotSaveReport,
    check_options,
    info_of,
)
from savegen.saves.slots.save_files import (
    MOST,
    SaveFile,
    generations,
    is_journal,
    kept,
    number_of,
)
from savegen.saves.slots.reader import SlotSave, SlotReader
from savegen.saves.stores import durable

if TYPE_CHECKING:
    from savegen.runtime import SaveLoadManager

_REPLACED = (
    16  # the most replaced lineages in the metadata; a slot never keeps saves of more
)

_tickets = count(1)


class SaveOrder(NamedTuple):
    """A snapshot to be saved, with its options."""

    slot: str
    snapshot: Snapshot
    ticket: int  # higher for later snapshots
    metadata: Metadata
    options: SaveOptions
    new_lineage: bool
    after: int = 0  # the generation must be higher than this


class LineagePosition(NamedTuple):
    """The save of a slot that the next one will follow: loaded or written by this process."""

    lineage: str
    digest: str
    replaces: tuple[str, ...]


class SlotWriter:
    """Writes saves to slots, and remembers which save the next one of a slot follows."""

    def __init__(self, reader: SlotReader, keep: int, game_version: str) -> None:
        self._reader = reader
        self._store = reader.store
        self._keep = keep
        self._game_version = game_version
        self._positions: dict[str, LineagePosition] = {}
        self.refused: dict[str, str] = {}  # the reasons for refusing saves, by slot
        # The last report of each slot, with the ticket of its order.
        self._newest: dict[str, tuple[int, SlotSaveReport]] = {}

    def order(
        self,
        slot: str,
        manager: SaveLoadManager,
        options: SaveOptions,
        after: int = 0,
        snapshot: Snapshot | None = None,
    ) -> SaveOrder:
        """Take a snapshot, if there is none yet.

        Raises `SaveError` if saves to the slot are refused.
        """
        if not options.get("new_lineage"):
            self.check_open(slot)
        metadata = self.metadata(manager, options)
        if snapshot is None:
            snapshot = manager.create_snapshot()
        is_new = options.get("new_lineage", False)
        return SaveOrder(
            slot, snapshot, next(_tickets), metadata, options, is_new, after
        )

    def metadata(self, manager: SaveLoadManager, options: SaveOptions) -> Metadata:
        """Return the metadata of a new save. Raises `SaveError` for bad options."""
        check_options(options)
        registry = manager.world.registry
        return Metadata(
            title=options.get("title", ""),
            time=now(),
            playtime=options.get("playtime", 0.0),
            game_version=self._game_version,
            save_version=registry.save_version,
            schema=fingerprint(registry),
            level=options.get("level"),
            level_digest=options.get("level_digest", ""),
            extra=options.get("extra", {}),
        )

    # -- writing

    def write(
        self,
        order: SaveOrder,
        step: Progress | None = None,
        confirm: Callable[[], object] | None = None,
    ) -> SlotSaveReport:
        """Write the next generation of a slot, and remove saves that are no longer kept.

        Returns the report of a later snapshot if one was already written. Raises
        `SaveWriteError`, `SlotBusyError`, and `SaveError` if saves to the slot are refused.
        """
        slot = order.slot
        if not order.new_lineage:
            self.check_open(slot)
        with self._store.lock(slot):
            ticket, report = self._newest.get(slot, (0, None))
            if report is not None and ticket > order.ticket:
                return report
            files = self._reader.files(slot)
            saves = generations(self._store, files)
            about = self._placed(order, files, saves)
            made, found = self._written(order, about, step, confirm)
            info = info_of(slot, made, self._prune(files, [made, *saves]))
            report = SlotSaveReport(info=info, **asdict(found))
        self._newest[slot] = order.ticket, report
        return report

    def _placed(
        self, order: SaveOrder, files: list[str], saves: list[SaveFile]
    ) -> Metadata:
        """Return the metadata of a save with its generation, lineage and parent.

        If this process has neither loaded nor saved the slot, a new lineage begins.
        """
        number = max([order.after, *map(number_of, files)]) + 1
        if number > MOST:  # it would not be recognised as a save
            raise SaveError(
                f"{order.slot!r} has a file with the highest possible number: save to"
                " another slot, or remove that file"
            )
        position = None if order.new_lineage else self._positions.get(order.slot)
        lineage, parent, replaces = position or _beginning(saves)
        about = replace(order.metadata, slot=order.slot, generation=number)
        return replace(about, lineage=lineage, parent=parent, replaces=replaces)

    def _written(
        self,
        order: SaveOrder,
        about: Metadata,
        step: Progress | None,
        confirm: Callable[[], object] | None,
    ) -> tuple[SaveFile, SaveReport]:
        pieces, report = coding.encoded(
            order.snapshot,
            about,
            order.options.get("thumbnail", b""),
            step,
            compress=order.options.get("compress", ""),
            limits=self._reader.limits,
        )
        made = SaveFile(
            name=f"{order.slot}/{about.generation}.sav",
            number=about.generation,
            metadata=about,
            digest=file.digest_of(pieces[-1]),
            size=sum(map(len, pieces)),
        )
        fault: SaveWriteError | None = None
        try:
            self._store.write(made.name, pieces, confirm)
        except SaveWriteError as error:
            if not error.committed:
                raise
            fault = error
        self.stand(order.slot, made)
        if fault:
            raise fault
        return made, report

    def _prune(self, files: list[str], saves: list[SaveFile]) -> list[SaveFile]:
        """Remove saves that are no longer kept, with their journals; return the others."""
        stay = kept(saves, self._keep)
        rest = [each for each in saves if each.name in stay]
        numbers = {each.number for each in rest}
        gone = [each.name for each in reversed(saves) if each.name not in stay]
        gone += [n for n in files if is_journal(n) and number_of(n) not in numbers]
        for name in gone:
            try:
                self._store.remove(name)
            except NoSuchSave:
                continue
            except SaveWriteError as error:  # the new save is written nevertheless
                raise durable.with_committed(error, committed=True) from None
        return rest

    def place(self, slot: str, found: SlotSave) -> SaveInfo:
        """Write an existing save as the first save of an empty slot."""
        with self._store.lock(slot):
            number = self._reader.check_free(slot)
            self._store.write(
                f"{slot}/{number}.sav", [found.whole(self._reader.limits)]
            )
        self.leave(slot)
        info = self._reader.info(slot, self._reader.saves(slot))
        return replace(info, notes=found.info.notes)

    # -- which save comes next

    def stand(self, slot: str, save: SaveFile | SaveInfo) -> None:
        """Make the next save of a slot follow this save."""
        about = save.metadata
        self._positions[slot] = LineagePosition(
            about.lineage, save.digest, about.replaces
        )
        self.refused.pop(slot, None)

    def leave(self, slot: str) -> None:
        """Make the next save of a slot start a new lineage."""
        self._positions.pop(slot, None)
        self.refused.pop(slot, None)

    def refuse(self, slot: str, why: str) -> None:
        """Refuse saves to a slot until it is loaded or a new lineage is started."""
        self.refused[slot] = why

    def check_open(self, slot: str) -> None:
        """Raise `SaveError` if saves to the slot are refused."""
        if slot in self.refused:
            raise SaveError(
                f"nothing is saved to {slot!r}: {self.refused[slot]}; save to another slot, or"
                " keep its saves and add a new one with `new_lineage=True`"
            )


def _beginning(saves: list[SaveFile]) -> LineagePosition:
    """Return the position of a new lineage, which replaces that of the given saves."""
    read = [each for each in saves if each.digest and not each.is_copy]
    lineages = [(each.metadata.lineage, *each.metadata.replaces) for each in read]
    replaced = tuple(dict.fromkeys(chain.from_iterable(lineages)))[:_REPLACED]
    return LineagePosition(
        os.urandom(8).hex(), read[0].digest if read else "", replaced
    )


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
