"""The only programs that the build side starts."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, NamedTuple, NoReturn

_MOST = 2**20  # bytes that are kept of what a program says beside its result
_GRACE = 2.0  # seconds to say where it is, and to see the end of what it said


class Failed(Exception):
    """A program could not be started, or did not end well; the message is its own."""


class Done(NamedTuple):
    """What came of a program that was watched."""

    code: int | None  # None: it did not end in time
    out: bytes
    err: bytes  # the end of it, if it is long


def output(command: Sequence[str], folder: str) -> bytes:
    """Run a program in a folder and return what it prints. Raises `Failed`."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise Failed(said.partition("\n")[0] or f"{command[0]} exits {done.returncode}")
    return done.stdout


def watched(
    command: Sequence[str], folder: str, env: Mapping[str, str], seconds: float
) -> Done:
    """Run a program that may do anything; it ends in time, with all that it has started.

    It gets no input. A Python one that has `-X faulthandler` says where it was when its time
    was over. Whatever ends this process ends that one too. Raises `Failed` if it cannot start.
    """
    try:
        with _no_core():
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
    except OSError as error:
        raise Failed(error.strerror or str(error)) from None
    with _ends_with_us(process):
        assert process.stdout and process.stderr
        out, err = _Reader(process.stdout), _Reader(process.stderr, _MOST)
        code = _wait(process, seconds)
    return Done(code, out.all(), err.all())


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):  # elsewhere nobody could say where it is
            process.send_signal(signal.SIGABRT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    return None


@contextmanager
def _no_core() -> Iterator[None]:
    """Start programs that leave no image of their memory behind when they die."""
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


@contextmanager
def _ends_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a program on the way out, also when a signal ends this one."""
    with _as_exceptions("SIGTERM", "SIGHUP"):
        try:
            yield
        finally:
            _end(process)


@contextmanager
def _as_exceptions(*names: str) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # elsewhere Python handles no signals
        return
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {each: signal.signal(each, _exit) for each in known}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program, and where there are process groups also what it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


class _Reader(threading.Thread):
    """Reads all that a program says, so that it never waits; keeps it, or the end of it."""

    def __init__(self, stream: IO[bytes], most: int | None = None) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._most = most
        self._said = bytearray()
        self.start()

    def run(self) -> None:
        while data := self._stream.read1(2**16):  # type: ignore[attr-defined]
            self._said += data
            if self._most is not None:
                del self._said[: -self._most]

    def all(self) -> bytes:
        """Return what was said. What is still held open by others is not waited for."""
        self.join(_GRACE)
        return bytes(self._said)
