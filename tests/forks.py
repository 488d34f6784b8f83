"""Python programs in forks of a process that has imported the slow libraries for all of them.

To import numpy, pygame and the helpers of the tests takes many times as long as most programs
of the tests run. A fork has them at once, and nothing else of the programs before it.
"""

from __future__ import annotations

import atexit
import builtins
import importlib
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import ModuleType, TracebackType
from typing import IO, Any

ROOT = Path(__file__).parents[1]
TIMEOUT = 240  # seconds
LIKE_ALL = {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
# What most commands of savegen import when they run.
SAVEGEN = ("savegen.cli._session", "savegen.build.emit", "savegen.build.codemod")
SLOW = re.compile(r"^(?:from|import) +((?:tests|numpy|pygame)\b[\w.]*)", re.M)


def can_fork(arguments: tuple[str, ...]) -> bool:
    """Return whether a fork does what a new process would with these arguments."""
    way, *rest = arguments
    ours = way == "-m" and rest[0].partition(".")[0] in ("savegen", "tests")
    return hasattr(os, "fork") and (ours or way == "-c" or way.endswith(".py"))


def run_in_fork(
    arguments: tuple[str, ...],
    folder: Path,
    environment: Mapping[str, str],
    together: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `-c text`, `-m module` or a script in a folder; return what came of it.

    What it prints on both channels is one text, if it is to be `together`.
    """
    job = {
        "arguments": arguments,
        "folder": str(folder),
        "environment": dict(environment),
    }
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        forker = _forker(_libraries(arguments, folder))
        code = forker.run(job, out, out if together else err)
        return subprocess.CompletedProcess(arguments, code, _text(out), _text(err))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")


def _libraries(arguments: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the slow libraries that a program imports itself, in its order."""
    way, *rest = arguments
    if way == "-m":
        return SAVEGEN if rest[0] == "savegen" else (rest[0],)
    text = rest[0] if way == "-c" else (folder / way).read_text(encoding="utf-8")
    return tuple(SLOW.findall(text))


class _Forker:
    """A process that waits for jobs, and does each of them in a fork of its own."""

    def __init__(self, libraries: tuple[str, ...]) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        ours.settimeout(TIMEOUT)
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno()), *libraries],
            cwd=ROOT,
            env=os.environ | LIKE_ALL | {"OPENBLAS_NUM_THREADS": "1"},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        atexit.register(self.end)

    def run(self, job: dict[str, Any], out: IO[bytes], err: IO[bytes]) -> int:
        """Do a job; return its exit code."""
        message = json.dumps(job).encode()
        size = len(message).to_bytes(8, "big")
        socket.send_fds(self._socket, [size], [out.fileno(), err.fileno()])
        try:
            self._socket.sendall(message)
            return int(self._socket.recv(16))
        except BaseException:  # too late, or interrupted: the job would still run
            self.end()
            _forker.cache_clear()
            raise

    def end(self) -> None:
        """End the process, and what it runs."""
        self._socket.close()
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


_forker = lru_cache(maxsize=None)(_Forker)


# -- in the process that forks


def _wait_for_job(connection: socket.socket) -> dict[str, Any] | None:
    """Return a job in each fork, and nothing in the first process, at its end."""
    while True:
        size, files, _, _ = socket.recv_fds(connection, 8, 2)
        if not size:
            return None
        length, message = int.from_bytes(size, "big"), b""
        while len(message) < length:
            part = connection.recv(length - len(message))
            if not part:  # the tests were killed before they had sent all of it
                return None
            message += part
        child = os.fork()
        if child == 0:
            connection.close()
            for ours, file in enumerate(files, 1):
                os.dup2(file, ours)
                os.close(file)
            job: dict[str, Any] = json.loads(message)
            return job
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        connection.sendall(b"%d" % os.waitstatus_to_exitcode(status))


def _do(job: dict[str, Any]) -> None:
    """Run a program as Python would that was started with its arguments."""
    way, *rest = job["arguments"]
    os.chdir(job["folder"])
    os.environ.update(job["environment"])
    sys.path[0] = "" if way == "-c" else job["folder"]
    sys.excepthook = _print_from_program
    importlib.invalidate_caches()
    if way == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        return
    main: Any = ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    if way == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), main.__dict__)
    else:
        sys.argv = job["arguments"]
        main.__file__ = str(Path(way).absolute())
        text = Path(way).read_bytes()
        exec(compile(text, main.__file__, "exec"), main.__dict__)


def _print_from_program(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an error without the lines of this file, and of what ran it, that led to it."""
    step = trace
    while step is not None:
        if step.tb_frame.f_globals is globals():
            trace = step.tb_next
        step = step.tb_next
    traceback.print_exception(kind, error, trace)


if __name__ == "__main__":
    for library in ("savegen.runtime", *sys.argv[2:]):
        importlib.import_module(library)
    found = _wait_for_job(socket.socket(fileno=int(sys.argv[1])))
    if found is not None:
        _do(found)
