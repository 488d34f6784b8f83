"""Run other programs: the game and git. Only this module of the build side starts programs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, NamedTuple, NoReturn

_MOST = 2**20  # bytes of the error output that are kept
_GRACE = 2.0  # seconds to print a traceback, and to read the rest of the output


class Failed(Exception):
    """A program could not be started, or it failed; the message comes from the program."""


class Done(NamedTuple):
    """The result of a watched program."""

    code: int | None  # None: it reached the time limit
    out: bytes
    err: bytes  # only the end, if it is long


def output(command: Sequence[str], folder: str) -> bytes:
    """Run a program in a folder and return what it prints. Raises `Failed`."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip()
        raise Failed(text.partition("\n")[0] or f"{command[0]} exits {done.returncode}")
    return done.stdout


def watched(
    command: Sequence[str], folder: str, env: Mapping[str, str], seconds: float
) -> Done:
    """Run a program with a time limit; end it and all programs that it started.

    It gets no input. Python with `-X faulthandler` prints a traceback when the time limit is
    reached. If this process ends, the program is ended too. Raises `Failed` if it cannot start.
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
        if hasattr(os, "killpg"):  # on Windows it could not print a traceback
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
    """End a program when the block ends, even if a signal ends this process."""
    with _as_exceptions("SIGTERM", "SIGHUP"):
        try:
            yield
        finally:
            _end(process)


@contextmanager
def _as_exceptions(*names: str) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals only in the main thread
        return
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {each: signal.signal(each, _exit) for each in signals}
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
    """Read all output of a program, so that it never blocks; keep the last `most` bytes."""

    def __init__(self, stream: IO[bytes], most: int | None = None) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._most = most
        self._output = bytearray()
        self.start()

    def run(self) -> None:
        while data := self._stream.read1(2**16):  # type: ignore[attr-defined]
            self._output += data
            if self._most is not None:
                del self._output[: -self._most]

    def all(self) -> bytes:
        """Return what was printed, without waiting for other programs that hold the pipe open."""
        self.join(_GRACE)
        return bytes(self._output)
