"""A snapshot on its way into a slot: at once, or on a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.registry import Registry
from savegen.runtime.saves.container import container
from savegen.runtime.saves.world import pack
from savegen.runtime.saves.container.container import Progress
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.slots.info import SaveInfo
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.slots.options import SaveOptions, check_options
from savegen.runtime.saves.world.schema import schema_of
from savegen.runtime.saves.stores.store import at_once
from savegen.runtime.saves.slots.writer import Writer
from savegen.runtime.snapshot import Snapshot

if TYPE_CHECKING:
    from concurrent.futures import Future

    from savegen.runtime.saves.slots.background import Background, Job

_tickets = count(1)  # of snapshots: the later one has the higher one


class SaveOrder(NamedTuple):
    """A snapshot, and where it is to go."""

    slot: str
    snapshot: Snapshot
    ticket: int
    about: Metadata
    options: SaveOptions
    after: int = 0  # the newest generation of the slots that take turns with this one

    @property
    def new_lineage(self) -> bool:
        return self.options.get("new_lineage", False)


class Saving:
    """Takes snapshots, and writes them in the order in which they were taken."""

    def __init__(self, writer: Writer, limits: Limits, game_version: str) -> None:
        self._writer = writer
        self._limits = limits
        self._game_version = game_version
        self._background: Background | None = None
        self._newest: dict[str, tuple[int, SaveInfo]] = {}  # ticket and save, by slot

    def order(
        self, slot: str, manager: SaveLoadManager, options: SaveOptions, after: int = 0
    ) -> SaveOrder:
        """Take a snapshot. Raises `SaveError` if the slot must not be saved to."""
        if not options.get("new_lineage"):
            self.check_open(slot)
        snapshot = manager.create_snapshot()
        about = self.about(snapshot.world.registry, options)
        return SaveOrder(slot, snapshot, next(_tickets), about, options, after)

    def check_open(self, slot: str) -> None:
        """Raise `SaveError` if the slot must not be saved to."""
        self._writer.check_open(slot)

    def about(self, registry: Registry, options: SaveOptions) -> Metadata:
        """Return what is said of a save that is made now. Raises `SaveError` if nothing can."""
        check_options(options)
        return Metadata(
            title=options.get("title", ""),
            time=now(),
            playtime=options.get("playtime", 0.0),
            game_version=self._game_version,
            save_version=registry.save_version,
            schema=schema_of(registry),
            level=options.get("level"),
            level_digest=options.get("level_digest", ""),
            extra=options.get("extra", {}),
        )

    def write(self, order: SaveOrder) -> SaveInfo:
        """Write on this thread, behind what the other one still has for the slot."""
        self.settle(order.slot)
        return self._write(
            order,
            lambda: pack.Packing(order.snapshot).document(),
            at_once,
            order.new_lineage,
        )

    def start(self, order: SaveOrder, progress: Progress | None) -> Future[SaveInfo]:
        """Begin to write on another thread; return what will have the outcome."""
        from savegen.runtime.saves.slots.background import Background, Job, let_run

        def write(job: Job) -> SaveInfo:
            def document() -> Document:
                packing = pack.Packing(order.snapshot, job.pause)
                # All at once it would hold up the game's thread for longer than a frame.
                job.tidy = partial(packing.let_go, let_run)
                return job.watched(packing.document())

            return self._write(order, document, job.agree, job.new_lineage)

        background = self._at_work()
        if background is None:
            background = self._background = Background()
        job = Job(order.slot, write, progress, order.new_lineage)
        future = job.wait()
        background.submit(job)
        return future

    def settle(self, slot: str | None = None) -> None:
        """Return when the other thread has nothing for a slot, or for any."""
        if background := self._at_work():
            background.settle(slot)

    def _at_work(self) -> Background | None:
        """Return what writes on another thread, if there is any in this process.

        One that was forked has what its parent had, and no thread that would ever end it.
        """
        background = self._background
        return background if background and background.is_of_this_process else None

    def _write(
        self,
        order: SaveOrder,
        document: Callable[[], Document],
        agree: Callable[[], object],
        new_lineage: bool,
    ) -> SaveInfo:
        options = order.options

        def encode(about: Metadata) -> Iterable[bytes]:
            self._check_latest(order)
            return container.write(
                document(),
                about,
                options.get("thumbnail", b""),
                compress=options.get("compress", False),
                format=options.get("format", "msgpack"),
                limits=self._limits,
            )

        try:
            info = self._writer.write(
                order.slot,
                encode,
                order.about,
                new_lineage=new_lineage,
                after=order.after,
                agree=agree,
            )
        except _Overtaken as overtaken:
            return overtaken.info
        self._newest[order.slot] = order.ticket, info
        return info

    def _check_latest(self, order: SaveOrder) -> None:
        if order.slot in self._newest:
            ticket, info = self._newest[order.slot]
            if ticket > order.ticket:
                raise _Overtaken(info)


class _Overtaken(Exception):
    """A later snapshot is in the slot already."""

    def __init__(self, info: SaveInfo) -> None:
        self.info = info


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
