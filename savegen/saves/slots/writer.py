"""Write the next save of a slot, and remove old saves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import asdict, replace

from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.errors import NoSuchSave, SaveError, SaveWriteError
from savegen.saves.file import Compression, Metadata, Progress
from savegen.saves import coding, file
from savegen.saves.arguments import check_manager
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
    MAX_GENERATION,
    SaveFile,
    generation_of,
    is_journal,
    names_to_keep,
    save_files,
)
from savegen.saves.slots.reader import SlotReader, SlotSave
from savegen.saves.stores import durable

if TYPE_CHECKING:
    from savegen.runtime import SaveLoadManager

_MAX_REPLACED = 16  # lineages in `Metadata.replaces`; further ones are left out

_tickets = count(1)


class SaveOrder(NamedTuple):
    """A snapshot to be saved, with its options."""

    slot: str
    snapshot: Snapshot
    ticket: int  # higher for later snapshots
    metadata: Metadata
    options: SaveOptions
    new_lineage: bool
    after: int = 0  # a generation; the new save gets a higher one
    is_shared: bool = False  # whether the snapshot is used elsewhere, too
    # For a shared save, the digests of other saves that need not be merged any more.
    merged: tuple[str, ...] | None = None


class SlotWriter:
    """Writes saves to slots, and remembers which save the next one of a slot follows."""

    def __init__(
        self, reader: SlotReader, keep: int, game_version: str, compress: Compression
    ) -> None:
        self._reader = reader
        self._store = reader.store
        self._keep = keep
        self._game_version = game_version
        self._compress = compress
        # By slot, the save that the next one will follow: the last one loaded or written.
        self._followed: dict[str, SaveFile | SaveInfo] = {}
        self.refused: dict[str, str] = {}  # the reasons for refusing saves, by slot
        # The last report of each slot, with the ticket of its order.
        self._newest: dict[str, tuple[int, SlotSaveReport]] = {}

    def order(
        self,
        slot: str,
        manager: SaveLoadManager,
        options: SaveOptions,
        after: int = 0,
        since: Snapshot | None = None,
    ) -> SaveOrder:
        """Return an order to save the snapshot in `options`, or one that is taken now.

        With the last snapshot in `since`, rows that did not change are reused. Raises `SaveError`
        if saves to the slot are refused.
        """
        is_new = options.get("new_lineage", False)
        if not is_new:
            self.check_not_refused(slot)
        options = {"compress": self._compress, **options}
        metadata = self._metadata(manager, options)
        given = options.get("snapshot")
        if given is not None:
            _check_complete(given, manager)
            snapshot = given
        elif since is None:
            snapshot = manager.create_snapshot()
            manager._check_rebuilt(
                lambda: coding.decode(coding.encode(snapshot), manager)
            )
        else:
            snapshot = manager._track(since)
        is_shared = given is not None or since is not None
        ticket = next(_tickets)
        return SaveOrder(
            slot, snapshot, ticket, metadata, options, is_new, after, is_shared
        )

    def _metadata(self, manager: SaveLoadManager, options: SaveOptions) -> Metadata:
        """Return the metadata of a new save. Raises `SaveError` for invalid options."""
        check_manager(manager)
        check_options(options)
        registry = manager._world.registry
        return Metadata(
            title=options.get("title", ""),
            time=now(),
            playtime=float(options.get("playtime", 0.0)),
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
        spare: int = 0,
    ) -> SlotSaveReport:
        """Write the next generation of a slot, and remove saves that are no longer kept.

        The files of the generation `spare` are not removed. If a later snapshot was already
        written, return its report. Raises `SaveWriteError`,
        `SlotBusyError`, and `SaveError` if saves to the slot are refused.
        """
        slot = order.slot
        if not order.new_lineage:
            self.check_not_refused(slot)
        with self._store.lock(slot):
            ticket, report = self._newest.get(slot, (0, None))
            if report is not None and ticket > order.ticket:
                return report
            files = self._reader.files(slot)
            saves = save_files(self._store, files)
            metadata = self._metadata_in_slot(order, files, saves)
            save, save_report = self._write_file(order, metadata, step, confirm)
            info = info_of(slot, save, self._prune(files, [save, *saves], spare))
            report = SlotSaveReport(info=info, **asdict(save_report))
        self.remember_newest(order, report)
        return report

    def remember_newest(self, order: SaveOrder, report: SlotSaveReport) -> None:
        """Remember that an order was written, so that no earlier one is written after it."""
        self._newest[order.slot] = order.ticket, report

    def is_newest(self, order: SaveOrder) -> bool:
        """Return whether an order was the last to be written to its slot."""
        return order.slot in self._newest and (
            self._newest[order.slot][0] == order.ticket
        )

    def _metadata_in_slot(
        self, order: SaveOrder, files: list[str], saves: list[SaveFile]
    ) -> Metadata:
        """Return the metadata of a save with its generation, lineage and parent.

        If this process has neither loaded nor saved the slot, a new lineage begins.
        """
        generation = max([order.after, *map(generation_of, files)]) + 1
        if generation > MAX_GENERATION:  # the file would not be recognised as a save
            raise SaveError(
                f"{order.slot!r} has a file with the highest possible number: save to"
                " another slot, or remove that file"
            )
        metadata = replace(order.metadata, slot=order.slot, generation=generation)
        last = None if order.new_lineage else self._followed.get(order.slot)
        if last is None and order.merged is None:
            return _in_new_lineage(metadata, saves)
        lineage, parent, replaces = _new_lineage(), "", tuple[str, ...]()
        if last is not None:
            lineage, parent = last.metadata.lineage, last.digest
            replaces = last.metadata.replaces
        if order.merged is not None:
            # Digests of files that are gone need not be remembered.
            present = {save.digest for save in saves}
            merged = dict.fromkeys((*order.merged, *replaces))
            replaces = tuple(filter(present.__contains__, merged))[:_MAX_REPLACED]
        return replace(metadata, lineage=lineage, parent=parent, replaces=replaces)

    def _write_file(
        self,
        order: SaveOrder,
        metadata: Metadata,
        step: Progress | None,
        confirm: Callable[[], object] | None,
    ) -> tuple[SaveFile, SaveReport]:
        parts, report = coding.encoded(
            order.snapshot,
            metadata,
            order.options.get("thumbnail", b""),
            step,
            compress=order.options.get("compress", ""),
            limits=self._reader.limits,
            is_own=not order.is_shared,
        )
        save = SaveFile(
            name=f"{order.slot}/{metadata.generation}.sav",
            generation=metadata.generation,
            metadata=metadata,
            digest=file.digest_of(parts[-1]),
            size=sum(map(len, parts)),
        )
        try:
            self._store.write(save.name, parts, confirm)
        except SaveWriteError as error:
            if error.committed:
                self.follow(order.slot, save)
            raise
        self.follow(order.slot, save)
        return save, report

    def _prune(
        self, files: list[str], saves: list[SaveFile], spare: int
    ) -> list[SaveFile]:
        """Remove saves that are no longer kept, with their journals; return the others."""
        names = names_to_keep(saves, self._keep)
        names |= {save.name for save in saves if save.generation == spare}
        kept = [save for save in saves if save.name in names]
        generations = {save.generation for save in kept} | {spare}
        removed = [save.name for save in reversed(saves) if save.name not in names]
        journals = filter(is_journal, files)
        removed += [name for name in journals if generation_of(name) not in generations]
        for name in removed:
            try:
                self._store.remove(name)
            except NoSuchSave:
                continue
            except SaveWriteError as error:  # the new save is written nevertheless
                raise durable.with_committed(error, committed=True) from None
        return kept

    def write_copy(self, slot: str, save: SlotSave) -> SaveInfo:
        """Write an existing save as the first save of an empty slot."""
        with self._store.lock(slot):
            name = f"{slot}/{self._reader.first_generation(slot)}.sav"
            self._store.write(name, [save.to_bytes(self._reader.limits)])
        self.start_new_lineage(slot)
        info = self._reader.info(slot, self._reader.saves(slot))
        return replace(info, notes=save.info.notes)

    # -- the lineage of the next save

    def follow(self, slot: str, save: SaveFile | SaveInfo) -> None:
        """Make the next save of a slot follow this save."""
        self._followed[slot] = save
        self.refused.pop(slot, None)

    def last_digest(self, slot: str) -> str:
        """Return the digest of the save that the next one of a slot will follow, or ""."""
        return self._followed[slot].digest if slot in self._followed else ""

    def start_new_lineage(self, slot: str) -> None:
        """Make the next save of a slot start a new lineage."""
        self._followed.pop(slot, None)
        self.refused.pop(slot, None)

    def refuse(self, slot: str, reason: str) -> None:
        """Refuse saves to a slot until it is loaded or a new lineage is started."""
        self.refused[slot] = reason

    def check_not_refused(self, slot: str) -> None:
        if slot in self.refused:
            raise SaveError(
                f"saves to {slot!r} are refused: {self.refused[slot]}; save to another slot, or"
                " keep its saves and add a new one with `new_lineage=True`"
            )


def _check_complete(snapshot: Snapshot, manager: SaveLoadManager) -> None:
    """Raise `SaveError` if a snapshot is not one of the whole world of a manager."""
    if snapshot.world is not manager._world:
        fault = "is not one of this manager"
    elif snapshot.covers is not None:
        fault = "was taken with a filter"
    else:
        return
    raise SaveError(
        f"the option `snapshot` of a save {fault}: pass what `manager.create_snapshot()` returns"
    )


def _in_new_lineage(metadata: Metadata, saves: list[SaveFile]) -> Metadata:
    """Return metadata with a new lineage, which replaces those of the given saves."""
    readable = [save for save in saves if save.digest and not save.is_copy]
    lineages = [(save.metadata.lineage, *save.metadata.replaces) for save in readable]
    replaced = tuple(dict.fromkeys(chain.from_iterable(lineages)))[:_MAX_REPLACED]
    parent = readable[0].digest if readable else ""
    return replace(metadata, lineage=_new_lineage(), parent=parent, replaces=replaced)


def _new_lineage() -> str:
    return os.urandom(8).hex()


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
