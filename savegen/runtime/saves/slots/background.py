"""Saves on a thread of their own: one after the other, and of each slot the latest alone."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

import msgspec

from savegen.runtime.errors import SaveWriteError
from savegen.runtime.saves.container.container import Progress
from savegen.runtime.saves.document import Document, Piece
from savegen.runtime.saves.slots.info import SaveInfo
from savegen.runtime.saves.stores.store import at_once

# Seconds. A thread that only lets go of the interpreter has it back before another one has
# woken up; so it sleeps, as short as the system can.
PAUSE = 1e-4


def let_run() -> None:
    """Let the game's thread run."""
    time.sleep(PAUSE)


class Abandoned(BaseException):
    """Nobody waits for the save any more, and nothing of it is there yet."""


class Job:
    """One save that is to be written, and those who wait for it."""

    def __init__(
        self,
        slot: str,
        write: Callable[[Job], SaveInfo],
        progress: Progress | None = None,
        new_lineage: bool = False,
    ) -> None:
        self.slot = slot
        self.new_lineage = new_lineage
        self._write = write
        self._progress = progress
        self._waiting: list[Future[SaveInfo]] = []
        self.tidy: Callable[[], object] = at_once  # called when everybody was told

    def wait(self) -> Future[SaveInfo]:
        """Return what will have the outcome. Until `agree` it can be cancelled."""
        future: Future[SaveInfo] = Future()
        self._waiting.append(future)
        return future

    def take_over(self, other: Job) -> None:
        """Do what those want who wait for another job, and tell them the outcome."""
        if other.new_lineage and not other._is_abandoned:
            self.new_lineage = True
        self._waiting += other._waiting

    def check(self) -> None:
        """Raise `Abandoned` if nobody waits."""
        if self._is_abandoned:
            raise Abandoned

    @property
    def _is_abandoned(self) -> bool:
        return all(future.cancelled() for future in self._waiting)

    def agree(self) -> None:
        """Let nobody cancel from here on. Raises `Abandoned` if all have."""
        self._waiting = [
            future for future in self._waiting if future.set_running_or_notify_cancel()
        ]
        self.check()

    def pause(self) -> None:
        """Let the game run. Raises `Abandoned` if nobody waits."""
        self.check()
        let_run()

    def watched(self, document: Document) -> Document:
        """Return a document that lets the game run between its pieces, and counts rows."""
        total = sum(table.count for table in document.tables)
        done = 0

        def step(piece: Piece) -> None:
            nonlocal done
            self.pause()
            done = min(done + len(piece[0]) if piece else done, total)
            if self._progress:
                self._progress(done, total)

        tables = [
            msgspec.structs.replace(table, pieces=_Watched(table.pieces, step))
            for table in document.tables
        ]
        return msgspec.structs.replace(document, tables=tables)

    def run(self) -> None:
        """Write, and tell everybody."""
        try:
            self.check()
            info = self._write(self)
        except BaseException as error:
            self._tell(lambda future: future.set_exception(error))
        else:
            self._tell(lambda future: future.set_result(info))
        self.tidy()

    def _tell(self, tell: Callable[[Future[SaveInfo]], object]) -> None:
        for future in self._waiting:
            with suppress(InvalidStateError):  # it was cancelled
                tell(future)


class _Watched:
    def __init__(self, pieces: Iterable[Piece], step: Callable[[Piece], None]) -> None:
        self._pieces = pieces
        self._step = step

    def __iter__(self) -> Iterator[Piece]:
        for piece in self._pieces:
            yield piece
            self._step(piece)


class Background:
    """One thread that does the jobs. It ends when there are none; the interpreter waits for it."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}  # that have not begun, by slot
        self._slot = ""  # that is being written
        self._is_at_work = False
        self._changed = threading.Condition()
        self._process = os.getpid()

    @property
    def is_of_this_process(self) -> bool:
        return self._process == os.getpid()

    def submit(self, job: Job) -> None:
        """Do a job; one for the same slot that has not begun is left out, and ends with it."""
        with self._changed:
            if older := self._jobs.pop(job.slot, None):
                job.take_over(older)
            self._jobs[job.slot] = job
            if not self._is_at_work:
                self._begin(job)
                self._is_at_work = True

    def _begin(self, job: Job) -> None:
        try:
            threading.Thread(target=self._work, name="savegen saves").start()
        except RuntimeError as error:  # too many threads, or the interpreter ends
            del self._jobs[job.slot]  # or whoever saves there next waits for ever
            stage = f"saving {job.slot!r}"
            raise SaveWriteError(errno.EAGAIN, stage, False, str(error)) from None

    def settle(self, slot: str | None = None) -> None:
        """Return when nothing is being written to a slot, or to any."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_writing(slot))

    def _is_writing(self, slot: str | None) -> bool:
        if slot is None:
            return self._is_at_work
        return slot == self._slot or slot in self._jobs

    def _work(self) -> None:
        while job := self._next():
            job.run()

    def _next(self) -> Job | None:
        with self._changed:
            job = self._jobs.pop(next(iter(self._jobs), ""), None)
            self._slot = job.slot if job else ""
            self._is_at_work = job is not None
            self._changed.notify_all()
            return job


async def outcome(
    future: Future[SaveInfo], timeout: float | None, slot: str
) -> SaveInfo:
    """Wait for a save; who is cancelled, or waits longer than `timeout` seconds, gives it up.

    It is too late for that once the new file is whole: a timeout waits for the rest then.
    """
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.wait_for(asyncio.shield(waiting), timeout)
    except TimeoutError:
        if not future.cancel():
            return await waiting
        reason = f"it took longer than {timeout:g} seconds"
        stage = f"saving {slot!r}"
        raise SaveWriteError(errno.ETIMEDOUT, stage, False, reason) from None
    except asyncio.CancelledError:
        future.cancel()
        raise


def on_this_loop(progress: Progress | None) -> Progress | None:
    """Return a function for other threads that has `progress` called on this one."""
    if progress is None:
        return None
    loop = asyncio.get_running_loop()

    def tell(*args: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(progress, *args)

    return tell
