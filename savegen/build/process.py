"""Run other programs: the game and git. Only this module of the build side starts programs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, NamedTuple, NoReturn

_ERROR_SIZE = 2**20  # bytes kept from the end of the error output
_GRACE = 2.0  # seconds to print a traceback, and to read the rest of the output


class Failed(Exception):
    """A program could not be started, or it failed; the message comes from the program."""


class Result(NamedTuple):
    """The exit code and the output of a program."""

    code: int | None  # None: the time limit was reached
    out: bytes
    err: bytes  # only the end of a long output


def output(command: Sequence[str], folder: str, data: bytes | None = None) -> bytes:
    """Run a program in a folder, with `data` as its input, and return what it prints.

    Raises `Failed`.
    """
    try:
        result = subprocess.run(
            command, cwd=folder, input=data, capture_output=True, check=False
        )
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None
    if result.returncode:
        text = result.stderr.decode(errors="replace").strip()
        code = f"{command[0]} ended with exit code {result.returncode}"
        raise Failed(text.partition("\n")[0] or code)
    return result.stdout


def run(command: Sequence[str], folder: str) -> int:
    """Run a program in a folder, in this terminal; return its exit code. Raises `Failed`."""
    try:
        return subprocess.run(command, cwd=folder, check=False).returncode
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None


def run_with_limit(
    command: Sequence[str], folder: str, env: Mapping[str, str], seconds: float
) -> Result:
    """Run a program with a time limit; at the end, kill it and all programs that it started.

    The program gets no input. Python with `-X faulthandler` prints a traceback when the time
    limit is reached. If this process ends, the program is killed too.

    Raises `Failed` if the program cannot start.
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
        out, err = _OutputReader(process.stdout), _OutputReader(
            process.stderr, _ERROR_SIZE
        )
        code = _wait(process, seconds)
    return Result(code, out.all(), err.all())


class Background:
    """A command that the shell runs beside this process. It gets no input."""

    def __init__(self, command: str, folder: str, at_end: Callable[[], None]) -> None:
        """Call `at_end` in another thread when the command ends."""
        self._process = subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._at_end = at_end
        self._waiter = threading.Thread(target=self._wait, daemon=True)
        self._waiter.start()

    def _wait(self) -> None:
        self._process.wait()
        self._at_end()

    def has_ended(self, seconds: float) -> bool:
        """Return whether the command and `at_end` have ended; wait for that for some seconds."""
        self._waiter.join(seconds)
        return not self._waiter.is_alive()

    def stop(self) -> None:
        """End the command and all programs that it started; return when it has ended."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                _terminate(self._process)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
        _kill(self._process)
        self._waiter.join()


def _terminate(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):  # not on Windows, where it would print no traceback
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
    """Kill a program when the block ends, even if a signal ends this process."""
    with ended_by_signals():
        try:
            yield
        finally:
            _kill(process)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise `SystemExit` when SIGTERM or SIGHUP arrives, so that cleanup runs."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals only in the main thread
        return
    names = ("SIGTERM", "SIGHUP")
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handlers = {number: signal.signal(number, _exit) for number in signals}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and, where process groups exist, all programs that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        # A Ctrl-C during `process.wait(seconds)` can leave the lock of the process locked, and
        # then `process.wait()` would wait for ever. The system call needs no lock.
        with suppress(ChildProcessError):
            os.waitpid(process.pid, 0)
    else:
        process.kill()
        process.wait()


class _OutputReader(threading.Thread):
    """Reads all output of a program, so that it never blocks; keeps the last `limit` bytes."""

    def __init__(self, stream: IO[bytes], limit: int | None = None) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._limit = limit
        self._output = bytearray()
        self.start()

    def run(self) -> None:
        while data := self._stream.read1(2**16):  # type: ignore[attr-defined]
            self._output += data
            if self._limit is not None:
                del self._output[: -self._limit]

    def all(self) -> bytes:
        """Return the output so far; do not wait for child programs that keep the pipe open."""
        self.join(_GRACE)
        return bytes(self._output)
