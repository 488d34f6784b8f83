"""Start other programs; nothing else on the build side does."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, NamedTuple, NoReturn

_MOST = 2**20  # bytes kept of what a program prints beside its result
_GRACE = 2.0  # seconds to print where it is, and to read the end of its output


class Failed(Exception):
    """A program could not be started, or it failed; the message comes from the program."""


class Done(NamedTuple):
    """The result of a watched program."""

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
    """Run a program with a time limit; end it and all programs that it started.

    It gets no input. Python with `-X faulthandler` prints where it was when the time ran out.
    If this process ends, so does the program. Raises `Failed` if the program cannot start.
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
        if hasattr(os, "killpg"):  # elsewhere it could not print where it is
            process.send_signal(signal.SIGABRT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    return None


@contextmanager
def _no_core() -> Iterator[None]:
    """Start programs without core dumps."""
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
    """End a program when the block ends, even by a signal to this process."""
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
    """End a program and, where process groups exist, all programs that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


class _Reader(threading.Thread):
    """Read all that a program prints, so that it never blocks; keep it, or the end of it."""

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
        """Return what was printed, without waiting for other programs that hold the pipe open."""
        self.join(_GRACE)
        return bytes(self._said)
