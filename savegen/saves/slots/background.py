"""Save on another thread. If several saves wait for a slot, only the newest is written."""

from __future__ import annotations

import errno
import os
import threading
import time
from concurrent import futures
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

from savegen.runtime.errors import SaveError, SaveWriteError
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves.file import Progress
from savegen.saves.limits import enough_memory
from savegen.saves.slots.info import SlotSaveReport
from savegen.saves.slots.writer import SaveOrder

# Seconds. Without sleeping, this thread would have the interpreter back before another wakes up.
PAUSE = 1e-4
_ROWS_FREED_AT_ONCE = 250

T = TypeVar("T")
# Writes an order; calls the functions for its progress, and when the file is complete.
Write: TypeAlias = Callable[[SaveOrder, Progress, Callable[[], object]], SlotSaveReport]


class SaveAbandoned(BaseException):
    """Raised if no caller waits for a save or a load any more."""


class PendingSave(Future[SlotSaveReport]):
    """A save that another thread writes, and its report or its error when it has ended.

    A game without asyncio looks at it now and then: `done()` is true when the save has ended;
    then `exception()` returns its error or `None`, and `result()` the report. A game with
    asyncio can `await` it. It cannot be cancelled: `cancel()` returns false, and the save goes
    on.

    >>> from savegen.runtime import SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> from savegen.saves import MemoryStore, SaveSlots
    >>> slots, manager = SaveSlots(MemoryStore()), SaveLoadManager(Registry(FORMAT, ()))
    >>> saving = slots.save_in_background("slot-1", manager)
    >>> slots.wait()
    >>> saving.done(), saving.exception(), saving.result().generation
    (True, None, 1)
    """

    def cancel(self) -> bool:
        return False

    def abandon(self) -> bool:
        """Cancel the save if its file is not complete; return whether it is cancelled."""
        return super().cancel()

    def __await__(self) -> Generator[Any, None, SlotSaveReport]:
        import asyncio

        return asyncio.wrap_future(self).__await__()


class SaveJob:
    """A save to be written, and the callers that wait for its result."""

    def __init__(
        self, order: SaveOrder, write: Write, progress: Progress | None = None
    ) -> None:
        self.order = order
        # Abandoned when no caller waits any more; running once the file is complete.
        self.result = PendingSave()
        self._write = write
        self._progress = progress
        self._callers = 1
        self._lock = threading.Lock()

    def join(self, order: SaveOrder, progress: Progress | None) -> bool:
        """Write a newer save in place of this one, which was not started, for all callers.

        Return false if this one is abandoned.
        """
        with self._lock:
            if self.result.cancelled():
                return False
            is_new = order.new_lineage or self.order.new_lineage
            self.order = order._replace(new_lineage=is_new)
            self._progress = progress
            self._callers += 1
            return True

    def leave(self) -> bool:
        """Stop waiting for the result; return false if the file is complete already."""
        with self._lock:
            self._callers -= 1
            if not self._callers:
                return self.result.abandon()
            return not (self.result.running() or self.result.done())

    def run(self) -> None:
        """Write the save, and pass the result to all callers that wait."""
        with suppress(InvalidStateError):  # all callers have left
            try:
                self._check()
                write = enough_memory(self._write)
                report = write(self.order, self._step, self._confirm)
            except BaseException as error:
                self.result.set_exception(error)
            else:
                self.result.set_result(report)
        if not self.order.is_shared:
            _free(self.order.snapshot)

    def _check(self) -> None:
        if self.result.cancelled():
            raise SaveAbandoned

    def _step(self, done: int, total: int) -> None:
        """Let the game's thread run. Raises `SaveAbandoned` if all callers have left."""
        self._check()
        time.sleep(PAUSE)
        if self._progress is not None:
            self._progress(done, total)

    def _confirm(self) -> None:
        """Prevent callers from leaving. Raises `SaveAbandoned` if all of them have left."""
        if not self.result.set_running_or_notify_cancel():
            raise SaveAbandoned


def _free(snapshot: Snapshot) -> None:
    """Free a snapshot in parts; freeing it at once would delay the game."""
    for table in snapshot.tables.values():
        while table.rows:
            del table.rows[-_ROWS_FREED_AT_ONCE:]
            time.sleep(PAUSE)


class SaveThread:
    """A thread that writes saves in the order of the calls.

    The interpreter waits for it before it exits.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        # Jobs that were not started, by slot and the function that writes them.
        self._waiting: dict[tuple[str, Write], SaveJob] = {}
        self._last: dict[str, Future[None]] = {}  # the last job of each slot
        self._newest: dict[str, PendingSave] = {}  # the result of that job
        self._process = os.getpid()

    @property
    def is_of_this_process(self) -> bool:
        """Whether the thread exists; a forked process does not have the threads of its parent."""
        return self._process == os.getpid()

    def start(
        self, order: SaveOrder, write: Write, progress: Progress | None = None
    ) -> SaveJob:
        """Start to write a save. If one of the same slot and kind is waiting, replace it.

        Raises `SaveWriteError` if there can be no thread.
        """
        key = order.slot, write
        with self._lock:
            job = self._waiting.get(key)
            if job is None or not job.join(order, progress):
                job = SaveJob(order, write, progress)
                self._last[order.slot] = self._submit(job, key)
                self._waiting[key] = job
            self._newest[order.slot] = job.result
        return job

    def start_or_run(self, order: SaveOrder, write: Write) -> PendingSave:
        """Start to write a save; if there can be no thread, write it before this returns."""
        try:
            return self.start(order, write).result
        except SaveWriteError:
            self.wait(order.slot)
            job = SaveJob(order, write)
            job.run()
            return job.result

    def _submit(self, job: SaveJob, key: tuple[str, Write]) -> Future[None]:
        try:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, "savegen saves")
            return self._executor.submit(self._run, job, key)
        except RuntimeError as error:
            # There are too many threads, or the interpreter is exiting.
            self._executor = None
            stage, reason = f"saving {job.order.slot!r}", str(error)
            raise SaveWriteError(errno.EAGAIN, stage, False, reason) from None

    def _run(self, job: SaveJob, key: tuple[str, Write]) -> None:
        with self._lock:
            if self._waiting.get(key) is job:
                del self._waiting[key]
        job.run()

    def is_newest(self, slot: str, saving: PendingSave) -> bool:
        """Return whether no save to a slot was started after a given one."""
        return self._newest.get(slot) is saving

    def wait(self, slot: str | None = None) -> None:
        """Wait until no save is being written to a slot, or to any slot."""
        with self._lock:
            chosen = [*self._last] if slot is None else [slot]
            jobs = [self._last[each] for each in chosen if each in self._last]
        futures.wait(jobs)


async def outcome(job: SaveJob, timeout: float | None) -> SlotSaveReport:
    """Wait for a save; cancelling, or waiting longer than `timeout` seconds, leaves it.

    Once the new file is complete, a timeout waits for the end of the save.
    """
    import asyncio

    waiting = asyncio.wrap_future(job.result)
    # Marks an error as seen, because asyncio logs those of a future that nobody awaits any more.
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        return await asyncio.wait_for(asyncio.shield(waiting), timeout)
    except TimeoutError:
        if not job.leave():
            return await waiting
        reason = f"it took longer than {timeout:g} seconds"
        stage = f"saving {job.order.slot!r}"
        raise SaveWriteError(errno.ETIMEDOUT, stage, False, reason) from None
    except asyncio.CancelledError:
        job.leave()
        raise


async def read_on_thread(
    slot: str,
    read: Callable[[Progress], T],
    timeout: float | None,
    progress: Progress | None,
) -> T:
    """Return the result of `read`, which another thread calls with a function for its progress.

    Reading ends early if this is cancelled, or if it takes longer than `timeout` seconds, which
    raises `SaveError`.
    """
    import asyncio

    is_abandoned = threading.Event()
    report_progress = on_this_loop(progress)

    def step(done: int, total: int) -> None:
        if is_abandoned.is_set():
            raise SaveAbandoned
        if report_progress is not None:
            report_progress(done, total)

    reading = asyncio.create_task(asyncio.to_thread(read, step))
    try:
        # Not `wait_for`: a store may raise a `TimeoutError` of its own.
        await asyncio.wait([reading], timeout=timeout)
        if reading.done():
            return reading.result()
        raise SaveError(
            f"loading {slot!r} took longer than {timeout:g} seconds; the world is unchanged"
        )
    finally:
        is_abandoned.set()
        reading.cancel()


def on_this_loop(progress: Progress | None) -> Progress | None:
    """Return a function for another thread to call, which calls `progress` on this thread."""
    import asyncio

    if progress is None:
        return None
    loop = asyncio.get_running_loop()

    def report_progress(*args: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(progress, *args)

    return report_progress
