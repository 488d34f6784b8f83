"""Collect the failures of the linking program, with the lines of the game's code that failed."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

_LIBRARIES = ("site-packages", "dist-packages")
_SAVEGEN = os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 3))


class FailurePlace(NamedTuple):
    """A line of the game's code."""

    file: str
    line: int
    function: str


class GameFiles:
    """The source files of the game, without generated files, libraries, savegen and Python."""

    def __init__(self, roots: Iterable[str], excluded: Iterable[str]) -> None:
        """The files are below the folders `roots`, but not below `excluded`."""
        self._roots = tuple(_path_prefix(folder) for folder in roots)
        self._excluded = tuple(_path_prefix(folder) for folder in excluded)

    @classmethod
    def of_main(cls) -> GameFiles:
        """Return the files of the game for which the running program was generated."""
        main: Any = sys.modules["__main__"]
        output = root = os.path.dirname(os.path.abspath(main.__file__))
        name = main.__spec__.name if main.__spec__ else ""
        for _ in range(name.count(".")):
            root = os.path.dirname(root)
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        excluded = [_SAVEGEN, output, *_installed()]
        return cls([root, *filter(None, paths)], excluded)

    def has(self, file: str) -> bool:
        """Return whether a file belongs to the game."""
        path = _normal(file)
        if not path.startswith(self._roots) or path.startswith(self._excluded):
            return False
        return not any(name in path.split(os.sep) for name in _LIBRARIES)

    def imported(self) -> list[str]:
        """Return the files of the game's modules that were imported, sorted."""
        modules = [*sys.modules.values()]
        files = (getattr(module, "__file__", None) for module in modules)
        paths = {os.path.abspath(file) for file in files if isinstance(file, str)}
        return sorted(path for path in paths if self.has(path))

    def place_of(self, error: BaseException) -> FailurePlace | None:
        """Return the last line of the game's code in the traceback of an error."""
        for cause in _chain(error):
            if isinstance(cause, SyntaxError) and self.has(cause.filename or ""):
                file = os.path.abspath(cause.filename or "")
                return FailurePlace(file, cause.lineno or 1, "<module>")
            if places := [*self._places(cause.__traceback__)]:
                return places[-1]
        return None

    def _places(self, trace: TracebackType | None) -> Iterator[FailurePlace]:
        while trace is not None:
            if place := self.place_in(trace.tb_frame.f_code, trace.tb_lineno):
                yield place
            trace = trace.tb_next

    def place_in(self, code: CodeType, line: int) -> FailurePlace | None:
        """Return a line of some code as a place; `None` if it is not the game's code."""
        if not self.has(code.co_filename):
            return None
        return FailurePlace(os.path.abspath(code.co_filename), line, code.co_name)


class Failures:
    """The failures so far."""

    def __init__(self, files: GameFiles) -> None:
        self._files = files
        self.as_json: list[dict[str, Any]] = []

    def add(self, name: str, kind: str, error: BaseException) -> None:
        """Add an error in a prefab or a module."""
        self._add(name, kind, _describe(error), self._files.place_of(error))

    def add_at(
        self, name: str, kind: str, text: str, method: Callable[..., Any]
    ) -> None:
        """Add a fault in a method, with its place if it is in the game's code."""
        code = getattr(method, "__code__", None)
        code = getattr(getattr(method, "__func__", None), "__code__", code)
        place = code and self._files.place_in(code, code.co_firstlineno)
        self._add(name, kind, text, place)

    def _add(self, name: str, kind: str, text: str, place: FailurePlace | None) -> None:
        place = place or FailurePlace("", 0, "")
        failure = {"prefab": name, "kind": kind, "error": text}
        self.as_json.append(failure | place._asdict())


def _installed() -> Iterator[str]:
    """Yield the folders of Python itself and of installed packages."""
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        if path := sysconfig.get_paths().get(name):
            yield path


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _describe(error: BaseException) -> str:
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # `__str__` of a class of the game failed
        return name
    return f"{name}: {text}{_suggestion(error)}" if text else name


def _suggestion(error: BaseException) -> str:
    """Return a suggestion for a misspelled attribute of a class or module; "" if none is close."""
    if not isinstance(error, AttributeError) or not error.name:
        return ""
    owner: object = error.obj
    if not isinstance(owner, (type, ModuleType)):
        return ""
    names = [name for name in vars(owner) if not name.startswith("_")]
    names += getattr(owner, "_member_names_", ())  # of an enumeration
    close = get_close_matches(error.name, names, 1)
    return f" (did you mean `{owner.__name__}.{close[0]}`?)" if close else ""


def _normal(path: str) -> str:
    return os.path.normcase(os.path.abspath(path))


def _path_prefix(folder: str) -> str:
    """Return the text with which the path of each file below a folder begins."""
    path = _normal(folder)
    return path if path.endswith(os.sep) else path + os.sep
