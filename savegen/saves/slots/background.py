"""Save on another thread. If several saves wait for a slot, only the newest is written."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from savegen.runtime.errors import SaveWriteError
from savegen.saves.file import Progress
from savegen.saves.slots.info import SlotSaveReport
from savegen.saves.slots.writer import SaveOrder, SlotWriter

# Seconds. Without sleeping, this thread would have the interpreter back before another wakes up.
PAUSE = 1e-4
_ROWS_FREED_AT_ONCE = 250


class SaveAbandoned(BaseException):
    """Raised if all callers that waited for a save have cancelled it."""


class SaveJob:
    """A save to be written, with the callers that wait for it."""

    def __init__(self, order: SaveOrder, progress: Progress | None = None) -> None:
        self.order = order
        self.waiting: list[Future[SlotSaveReport]] = [Future()]
        self._progress = progress

    def take_over(self, older: SaveJob) -> None:
        """Replace an older save that was not started; its callers get the result of this one."""
        if older.order.new_lineage and not older.is_abandoned:
            self.order = self.order._replace(new_lineage=True)
        self.waiting += older.waiting

    @property
    def is_abandoned(self) -> bool:
        return all(future.cancelled() for future in self.waiting)

    def run(self, writer: SlotWriter) -> None:
        """Write the save, and pass the result to all callers that wait."""
        try:
            self._check()
            report = writer.write(self.order, self._step, self._confirm)
        except BaseException as error:
            self._end(Future.set_exception, error)
        else:
            self._end(Future.set_result, report)
        self._free()

    def _end(
        self, end: Callable[[Future[SlotSaveReport], Any], None], result: Any
    ) -> None:
        for future in self.waiting:
            with suppress(InvalidStateError):  # it was cancelled
                end(future, result)

    def _check(self) -> None:
        if self.is_abandoned:
            raise SaveAbandoned

    def _step(self, done: int, total: int) -> None:
        """Let the game's thread run. Raises `SaveAbandoned` if all callers have cancelled."""
        self._check()
        time.sleep(PAUSE)
        if self._progress is not None:
            self._progress(done, total)

    def _confirm(self) -> None:
        """Prevent callers from cancelling. Raises `SaveAbandoned` if all of them have cancelled."""
        self.waiting = [
            future for future in self.waiting if future.set_running_or_notify_cancel()
        ]
        self._check()

    def _free(self) -> None:
        """Free the snapshot in parts; freeing it at once would delay the game."""
        for table in self.order.snapshot.tables.values():
            while table.rows:
                del table.rows[-_ROWS_FREED_AT_ONCE:]
                time.sleep(PAUSE)


class SaveThread:
    """A thread that writes saves in the order of the calls.

    The interpreter waits for it before it exits.
    """

    def __init__(self, writer: SlotWriter) -> None:
        self._writer = writer
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._waiting: dict[str, SaveJob] = {}  # jobs that were not started, by slot
        self._last: dict[str, Future[None]] = {}  # the last job of each slot
        self._process = os.getpid()

    @property
    def is_of_this_process(self) -> bool:
        """Whether the thread exists; a forked process does not have the threads of its parent."""
        return self._process == os.getpid()

    def start(
        self, order: SaveOrder, progress: Progress | None
    ) -> Future[SlotSaveReport]:
        """Start to write a save; return a future with the result.

        A waiting save of the same slot is replaced, and gets the same result. The future can be
        cancelled until the file is complete. Raises `SaveWriteError`.
        """
        job = SaveJob(order, progress)
        future = job.waiting[0]
        with self._lock:
            if older := self._waiting.get(order.slot):
                job.take_over(older)
            self._waiting[order.slot] = job
            try:
                self._last[order.slot] = self._submit(job)
            except RuntimeError as error:
                # There are too many threads, or the interpreter is exiting.
                del self._waiting[order.slot]
                self._executor = None
                stage = f"saving {order.slot!r}"
                reason = str(error)
                raise SaveWriteError(errno.EAGAIN, stage, False, reason) from None
        return future

    def _submit(self, job: SaveJob) -> Future[None]:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(1, "savegen saves")
        return self._executor.submit(self._run, job)

    def _run(self, job: SaveJob) -> None:
        slot = job.order.slot
        with self._lock:
            if self._waiting.get(slot) is not job:
                return  # a later job has replaced this one
            del self._waiting[slot]
        job.run(self._writer)

    def wait(self, slot: str | None = None) -> None:
        """Wait until no save is being written to a slot, or to any slot."""
        with self._lock:
            chosen = [*self._last] if slot is None else [slot]
            jobs = [self._last[each] for each in chosen if each in self._last]
        futures.wait(jobs)


async def outcome(
    future: Future[SlotSaveReport], timeout: float | None, slot: str
) -> SlotSaveReport:
    """Wait for a save; cancelling, or waiting longer than `timeout` seconds, cancels it.

    Once the new file is complete, a save cannot be cancelled; a timeout then waits for its end.
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
    """Return a function for another thread to call, which calls `progress` on this thread."""
    if progress is None:
        return None
    loop = asyncio.get_running_loop()

    def report_progress(*args: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(progress, *args)

    return report_progress
