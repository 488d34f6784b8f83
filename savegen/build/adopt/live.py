"""Run a script of the game, and record the types that attributes have while it runs.

`savegen adopt --run SCRIPT` starts this file as a separate program. It records the objects that
the script pickles, those that functions of the script hold when they return, and those that are
left at the end. It imports savegen only at the end, so that the game runs as usual.
"""

from __future__ import annotations

import json
import os
import pickle
import runpy
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

_MAX_OBJECTS = 200_000  # visited in one walk
_MAX_ELEMENTS = 1_000  # of one container whose types are recorded
_MAX_DEPTH = 6  # of nested containers in one type
_SHARE = 0.2  # of the running time that walks may take
_ATOMS = (bool, int, float, complex, str, bytes, type(None))

# A type as JSON: its name and a list of its arguments; `None` for a type of no single name
Shape = tuple[str, list[Any]]


class Recorder:
    """The types of attributes of the objects that were seen, by class and attribute."""

    def __init__(self, classes: Iterable[str], main: str) -> None:
        self._classes = frozenset(classes)
        self._main = main  # the module name of the script
        self.seen: dict[str, dict[str, list[Shape]]] = {}
        self._spent = 0.0
        self._started = time.perf_counter()

    def name(self, cls: type) -> str:
        module = self._main if cls.__module__ == "__main__" else cls.__module__
        return (
            cls.__qualname__ if module == "builtins" else f"{module}.{cls.__qualname__}"
        )

    def is_due(self) -> bool:
        """Return whether walks have taken less than their share of the time so far."""
        return self._spent < _SHARE * (time.perf_counter() - self._started) + 0.05

    def walk(self, roots: Iterable[object]) -> None:
        """Record the objects that `roots` reach through attributes and containers."""
        started = time.perf_counter()
        waiting = deque(roots)
        visited: dict[int, object] = {}
        while waiting and len(visited) < _MAX_OBJECTS:
            value = waiting.popleft()
            if isinstance(value, _ATOMS) or id(value) in visited:
                continue
            visited[id(value)] = value
            waiting.extend(self._parts(value))
        self._spent += time.perf_counter() - started

    def _parts(self, value: object) -> Iterator[object]:
        if isinstance(value, dict):
            yield from [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset | deque):
            yield from [*value]
        elif not isinstance(value, type) and self.name(type(value)) in self._classes:
            attributes = dict(_attributes(value))
            self._record(type(value), attributes)
            yield from attributes.values()

    def _record(self, cls: type, attributes: dict[str, object]) -> None:
        seen = self.seen.setdefault(self.name(cls), {})
        for name, value in attributes.items():
            shapes = seen.setdefault(name, [])
            shape = self.shape(value, 0)
            if shape not in shapes:
                shapes.append(shape)

    def shape(self, value: object, depth: int) -> Shape:
        cls = type(value)
        if cls is type(None):
            return "None", []
        name = self.name(cls)
        if depth == _MAX_DEPTH:
            return "?deep", []
        if isinstance(value, type):
            return "type", [[(self.name(value), [])]]
        if isinstance(value, dict):
            pairs = [*value.items()][:_MAX_ELEMENTS]
            return name, [
                self._union((k for k, _ in pairs), depth),
                self._union((v for _, v in pairs), depth),
            ]
        if isinstance(value, tuple) and cls is tuple:
            return name, [self._union([part], depth) for part in value[:_MAX_ELEMENTS]]
        if isinstance(value, list | set | frozenset | deque):
            return name, [self._union([*value][:_MAX_ELEMENTS], depth)]
        if callable(value) and name not in self._classes:
            return "?callable", []
        return name, []

    def _union(self, values: Iterable[object], depth: int) -> list[Shape]:
        shapes: list[Shape] = []
        for value in values:
            shape = self.shape(value, depth + 1)
            if shape not in shapes:
                shapes.append(shape)
        return shapes


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    """Yield the attributes of an object, without calling code of the game."""
    yield from (
        object.__getattribute__(value, "__dict__").items() if _has_dict(value) else ()
    )
    for cls in type(value).__mro__:
        for name, slot in vars(cls).items():
            if type(slot).__name__ == "member_descriptor":
                try:
                    yield name, slot.__get__(value)
                except AttributeError:
                    continue


def _has_dict(value: object) -> bool:
    try:
        return isinstance(object.__getattribute__(value, "__dict__"), dict)
    except AttributeError:
        return False


def _watch_pickle(recorder: Recorder) -> None:
    for name in ("dump", "dumps"):
        setattr(pickle, name, _watching(getattr(pickle, name), recorder))


def _watching(function: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    def call(value: object, *arguments: Any, **options: Any) -> Any:
        recorder.walk([value])
        return function(value, *arguments, **options)

    return call


def _watch_returns(recorder: Recorder, script: str) -> None:
    def profile(frame: FrameType, event: str, argument: object) -> None:
        if (
            event == "return"
            and frame.f_code.co_filename == script
            and recorder.is_due()
        ):
            recorder.walk(frame.f_locals.values())

    sys.setprofile(profile)


def run(request: dict[str, Any]) -> None:
    """Run the script of a request, and write to its result file what was recorded.

    The file also has the exit code of the script and the last line of its error.
    """
    script, result = request["script"], request["result"]
    recorder = Recorder(request["classes"], request["module"])
    sys.argv = [script, *request["arguments"]]
    sys.path.insert(0, os.path.dirname(script))
    _watch_pickle(recorder)
    _watch_returns(recorder, script)
    left: dict[str, Any] = {}
    code, error = 0, ""
    try:
        left = runpy.run_path(script, run_name="__main__")
    except KeyboardInterrupt:
        pass
    except SystemExit as end:
        code, error = _exit_code(end.code)
    except BaseException as failure:
        code, error = 1, traceback.format_exception_only(failure)[-1].strip()
        _print_traceback(failure, script)
    sys.setprofile(None)
    modules = [vars(m) for m in [*sys.modules.values()] if hasattr(m, "__dict__")]
    recorder.walk([left, *modules])
    from savegen import disk

    record = {"seen": recorder.seen, "code": code, "error": error}
    disk.write(result, json.dumps(record).encode())


def _exit_code(argument: object) -> tuple[int, str]:
    """Return the exit code that `sys.exit(argument)` causes, and the message in it."""
    if argument is None or isinstance(argument, int):
        return argument or 0, ""
    return 1, str(argument).strip()


def _print_traceback(error: BaseException, script: str) -> None:
    """Print an error as Python does for a script, without the frames that started it."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != script:
        frames = frames.tb_next
    traceback.print_exception(error.with_traceback(frames or error.__traceback__))


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
