"""The failures of a run, with their places in the game's code."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from types import ModuleType, TracebackType
from typing import Any, NamedTuple

_LIBRARIES = ("site-packages", "dist-packages")
_SAVEGEN = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


class Place(NamedTuple):
    """A line of the game's code."""

    file: str
    line: int
    function: str


class Project:
    """The files of the game itself: not of Python, a library or savegen, and not generated."""

    def __init__(self, roots: Iterable[str], others: Iterable[str]) -> None:
        """The game's modules are in the folders `roots`, but not in `others`."""
        self._roots = tuple(_below(root) for root in roots)
        self._others = tuple(_below(other) for other in others)

    @classmethod
    def of_main(cls) -> Project:
        """Return the project in which the running program was generated."""
        main: Any = sys.modules["__main__"]
        output = root = os.path.dirname(os.path.abspath(main.__file__))
        name = main.__spec__.name if main.__spec__ else ""
        for _ in range(name.count(".")):
            root = os.path.dirname(root)
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        own = [_SAVEGEN, output]
        return cls([root, *filter(None, paths)], [*own, *_installed()])

    def has(self, file: str) -> bool:
        """Return whether a file belongs to the game."""
        path = _normal(file)
        if not path.startswith(self._roots) or path.startswith(self._others):
            return False
        return not any(name in path.split(os.sep) for name in _LIBRARIES)

    def loaded(self) -> list[str]:
        """Return the files of the modules that were imported, sorted."""
        files = (getattr(m, "__file__", None) for m in [*sys.modules.values()])
        texts = {os.path.abspath(f) for f in files if isinstance(f, str)}
        return sorted(file for file in texts if self.has(file))

    def place_of(self, error: BaseException) -> Place | None:
        """Return the last line of the game's code in the traceback of an error."""
        for each in _chain(error):
            if isinstance(each, SyntaxError) and self.has(each.filename or ""):
                return Place(_full(each.filename), each.lineno or 1, "<module>")
            places = [*self._places(each.__traceback__)]
            if places:
                return places[-1]
        return None

    def _places(self, trace: TracebackType | None) -> Iterator[Place]:
        while trace is not None:
            code = trace.tb_frame.f_code
            if self.has(code.co_filename):
                yield Place(_full(code.co_filename), trace.tb_lineno, code.co_name)
            trace = trace.tb_next


class Failures:
    """The failures so far, as they are printed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.found: list[dict[str, Any]] = []

    def add(self, name: str, kind: str, error: BaseException) -> None:
        """Add an error in a prefab or a module."""
        self._add(name, kind, _told(error), self._project.place_of(error))

    def add_at(
        self, name: str, kind: str, text: str, method: Callable[..., Any]
    ) -> None:
        """Add a fault in a method, with its place if it is in the game's code."""
        code = getattr(method, "__code__", None)
        code = getattr(getattr(method, "__func__", None), "__code__", code)
        place = None
        if code is not None and self._project.has(code.co_filename):
            place = Place(_full(code.co_filename), code.co_firstlineno, code.co_name)
        self._add(name, kind, text, place)

    def _add(self, name: str, kind: str, text: str, place: Place | None) -> None:
        place = place or Place("", 0, "")
        failure = {"prefab": name, "kind": kind, "error": text}
        self.found.append(failure | place._asdict())


def _installed() -> Iterator[str]:
    """Yield the folders of Python itself and of installed packages."""
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        if path := sysconfig.get_paths().get(name):
            yield path


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _told(error: BaseException) -> str:
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # the game's own class
        return name
    return f"{name}: {text}{_meant(error)}" if text else name


def _meant(error: BaseException) -> str:
    """Return a suggestion for a misspelled member of a class or module."""
    if not isinstance(error, AttributeError) or not error.name:
        return ""
    owner: object = error.obj
    if not isinstance(owner, (type, ModuleType)):
        return ""
    names = [name for name in vars(owner) if not name.startswith("_")]
    names += getattr(owner, "_member_names_", ())  # a member of an enumeration
    close = get_close_matches(error.name, names, 1)
    return f" (did you mean `{owner.__name__}.{close[0]}`?)" if close else ""


def _full(file: str | None) -> str:
    return os.path.abspath(file or "")


def _normal(file: str) -> str:
    return os.path.normcase(os.path.abspath(file))


def _below(folder: str) -> str:
    """Return the prefix of the path of each file in a folder."""
    path = _normal(folder)
    return path if path.endswith(os.sep) else path + os.sep
