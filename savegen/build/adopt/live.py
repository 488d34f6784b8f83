"""Run a script of the game, and record the types that attributes have while it runs.

`savegen adopt --run SCRIPT` starts this file as a separate program. It records the objects that
are alive when the script pickles something, when a function returns to the script, and at the
end. It imports savegen only at the end, so that the game runs as usual.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import runpy
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import FrameType
from typing import Any

_MAX_ELEMENTS = 50_000  # of one container whose types are recorded
_MAX_DEPTH = 6  # of nested containers in one type
_SHARE = 0.2  # of the running time that records may take,
_FREE = 0.5  # after the first seconds

# A type as JSON: its name and a list of its arguments; `None` for a type of no single name
Shape = tuple[str, list[Any]]


class ObservedRun:
    """The types of attributes of the objects that were seen, by class and attribute."""

    def __init__(
        self, classes: Iterable[str], containers: Iterable[type], main: str
    ) -> None:
        """`containers` are the classes of containers whose elements have one type."""
        self._classes = frozenset(classes)
        self._of_elements = tuple(containers)
        self._main = main  # the module name of the script
        self.seen: dict[str, dict[str, list[Shape]]] = {}
        self._spent = 0.0
        self._started = time.perf_counter()

    def name(self, cls: type) -> str:
        # `cls.__module__` might run code of a metaclass.
        module = type.__getattribute__(cls, "__module__")
        qualname = str(type.__getattribute__(cls, "__qualname__"))
        if module == "builtins" or not isinstance(module, str):
            return qualname
        return f"{self._main if module == '__main__' else module}.{qualname}"

    def is_due(self) -> bool:
        """Return whether records have taken less than their share of the time so far."""
        return self._spent < _SHARE * (time.perf_counter() - self._started) + _FREE

    def record(self) -> None:
        """Record all objects of the game's classes that are alive, whatever holds them."""
        started = time.perf_counter()
        alive = gc.get_objects()
        # `isinstance` might run code of an object.
        types: list[Any] = [o for o in alive if issubclass(type(o), type)]
        classes = {id(cls) for cls in types if self.name(cls) in self._classes}
        for value in alive:
            if id(type(value)) in classes:
                self._record(type(value), dict(_attributes(value)))
        self._spent += time.perf_counter() - started

    def _record(self, cls: type, attributes: dict[str, object]) -> None:
        seen = self.seen.setdefault(self.name(cls), {})
        for name, value in attributes.items():
            shapes = seen.setdefault(name, [])
            shape = self.shape(value, 0)
            if shape not in shapes:
                shapes.append(shape)

    def shape(self, value: Any, depth: int) -> Shape:
        cls = type(value)
        if cls is type(None):
            return "None", []
        name = self.name(cls)
        is_container = issubclass(cls, (dict, tuple, *self._of_elements))
        is_large = is_container and len(value) > _MAX_ELEMENTS
        if depth == _MAX_DEPTH or is_large:
            return "?deep", []
        if issubclass(cls, type):
            return "type", [[(self.name(value), [])]]
        if issubclass(cls, dict):
            keys, values = [*value.keys()], [*value.values()]
            return name, [self._union(keys, depth), self._union(values, depth)]
        if cls is tuple:
            return name, [self._union([part], depth) for part in value]
        if issubclass(cls, self._of_elements):
            return name, [self._union([*value], depth)]
        if callable(value) and name not in self._classes:
            return "?callable", []
        return name, []

    def _union(self, values: Iterable[object], depth: int) -> list[Shape]:
        shapes: list[Shape] = []
        atoms: set[int] = set()  # the types of atoms that are recorded
        for value in values:
            if id(type(value)) in atoms:
                continue
            if type(value) in (int, float, bool, str, type(None)):
                atoms.add(id(type(value)))
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


def _watch_pickle(recorder: ObservedRun) -> None:
    for name in ("dump", "dumps"):
        setattr(pickle, name, _watching(getattr(pickle, name), recorder))


def _watching(
    function: Callable[..., Any], recorder: ObservedRun
) -> Callable[..., Any]:
    def call(value: object, *arguments: Any, **options: Any) -> Any:
        recorder.record()
        return function(value, *arguments, **options)

    return call


def _watch_returns(recorder: ObservedRun, script: str) -> None:
    """Record what is alive when functions return to the script, or functions of it return."""

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "return" and _is_near(frame, script) and recorder.is_due():
            recorder.record()

    sys.setprofile(profile)


def _is_near(frame: FrameType, script: str) -> bool:
    caller = frame.f_back
    file = frame.f_code.co_filename
    if caller is None or file.startswith("<frozen"):  # an import
        return False
    return script in (file, caller.f_code.co_filename)


def run(request: dict[str, Any]) -> None:
    """Run the script of a request, and write to its result file what was recorded.

    The file also has the exit code of the script and the last line of its error.
    """
    script, result = request["script"], request["result"]
    containers = [getattr(import_module(m), n) for m, n in request["containers"]]
    recorder = ObservedRun(request["classes"], containers, request["module"])
    sys.argv = [script, *request["arguments"]]
    sys.path.insert(0, os.path.dirname(script))
    _watch_pickle(recorder)
    _watch_returns(recorder, script)
    code, error = 0, ""
    try:
        _play(script, recorder)
    except KeyboardInterrupt:
        pass
    except SystemExit as end:
        code, error = _exit_code(end.code)
    except BaseException as failure:
        code, error = 1, traceback.format_exception_only(failure)[-1].strip()
        _print_traceback(failure, script)
    from savegen import disk

    record = {"seen": recorder.seen, "code": code, "error": error}
    disk.write(result, json.dumps(record).encode())


def _play(script: str, recorder: ObservedRun) -> None:
    """Run a script, and record what is alive before its variables are gone."""
    try:
        left = runpy.run_path(script, run_name="__main__")  # keeps them
    finally:
        sys.setprofile(None)
        recorder.record()


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
