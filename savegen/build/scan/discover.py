"""Finds the files that can use marks, whatever name and module they have them from."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from savegen.build.scan.facts import Binding, Facts, facts, facts_and_tree
from savegen.build.scan.marks import MARKS, PACKAGE
from savegen.build.scan.names import absolute_module
from savegen.build.scan.words import Words, can_import, searchable
from savegen.build.source import Project, SourceFile

__all__ = ["Facts", "Marked", "facts", "find_marked"]

_Place: TypeAlias = tuple[str, str]  # a module, and a dotted name in it

_HELD = 128 * 2**20  # bytes of sources kept while it is open which of them are marked
_DEEPEST = 16  # dots in a name; an alias of its own attribute has no end
_MOST = 10_000  # places that one name is followed to: beyond, it may lead to a mark


class Marked(msgspec.Struct, frozen=True):
    """The files that can use marks, and what makes it quick to find them again."""

    modules: tuple[str, ...]  # sorted
    exports: tuple[str, ...]  # names that stand for marks in some module, sorted
    facts: dict[str, Facts | None]  # of every file; None: nothing in it mattered


def find_marked(
    project: Project,
    remembered: Mapping[str, Facts | None],
    exports: Collection[str] = (),
    at_once: Callable[[str, ast.Module], object] = lambda module, tree: None,
) -> Marked:
    """Find the files of a project that can use marks.

    Such a file has a class or a function with a decorator, and a name in it leads to a mark
    over any number of modules. A file
    that names savegen and cannot be parsed counts too, so that the scanner says what is wrong.
    Not found: a function that wraps a mark, and names that only the running program knows.

    `remembered` and `exports` are the `facts` and `exports` of an earlier result, less the facts
    of files that have changed since: only what is missing is read, unless the exports grew. The
    bytes of marked files that were read stay in the project, those of others are dropped.
    `at_once` is called with a module that nothing else can unmark, and with its tree, when that
    has been read: whoever needs the tree too need not make it again.

    Raises `OSError` if a file cannot be read.
    """
    search = _Search(project, frozenset(exports), at_once)
    for module in project.watched("reading", tuple(project)):
        if module in remembered:
            search.recall(module, remembered[module])
        else:
            search.read(module)
    modules = search.finish()
    return Marked(modules, tuple(sorted(search.exports)), search.facts)


class _Search:
    """The fixpoint: exports lead to files that hold them, and these may export more."""

    def __init__(
        self,
        project: Project,
        sought: frozenset[str],
        at_once: Callable[[str, ast.Module], object],
    ) -> None:
        self._at_once = at_once
        self.facts: dict[str, Facts | None] = {}
        self.exports: set[str] = set()
        self._sought = sought  # what every file was searched for
        self._words = Words(sought)
        self._files = _Files(project)
        self._paths = _Paths(project, self._learn)
        self._waiting: defaultdict[str, list[tuple[str, Binding]]] = defaultdict(list)
        self._ready: list[tuple[str, Binding]] = []  # bindings that can lead to a mark

    def recall(self, module: str, known: Facts | None) -> None:
        """Take over what is known of a module; None if it need not be parsed yet."""
        self.facts[module] = known
        for binding in known.bindings if known else ():
            if binding.from_savegen:
                self._ready.append((module, binding))
            elif binding.path:
                self._waiting[binding.last].append((module, binding))
                if binding.last in self.exports:
                    self._ready.append((module, binding))

    def read(self, module: str) -> None:
        file = self._files.get(module)
        source = searchable(file)
        known, tree = None, None
        if PACKAGE.encode() in source:
            known, tree = facts_and_tree(file)
        self.recall(module, known)
        self._look(module, source)
        if known and known.plain and tree:
            self._at_once(module, tree)

    def finish(self) -> tuple[str, ...]:
        """Return the marked modules, when there is nothing new to look for."""
        while True:
            self._settle()
            if not self._sought.issuperset(self.exports):
                self._look_everywhere()
                continue
            marked = sorted(filter(self._is_marked, list(self.facts)))
            if not self._ready:  # following names can have parsed more files
                self._files.close(keep=marked)
                # It leads back here: only the collector could free both.
                del self._paths
                return tuple(marked)

    def _settle(self) -> None:
        """Find what the modules that were parsed export."""
        while self._ready:
            module, binding = self._ready.pop()
            if binding.from_savegen and _can_be_module(binding):
                self._export(MARKS)
            elif binding.top and binding.name not in self.exports:
                if self._paths.lead(self._paths.behind(module, binding)):
                    self._export((binding.name,))

    def _export(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.exports:
                self.exports.add(name)
                self._ready += self._waiting[name]

    def _look_everywhere(self) -> None:
        self._words = Words(self.exports - self._sought)
        self._sought |= self.exports
        for module, known in list(self.facts.items()):
            if known is None or _is_open(known):
                self._look(module, searchable(self._files.get(module)))

    def _look(self, module: str, source: bytes) -> None:
        """Note which exports a file uses, and parse it if it can have imported one."""
        known = self.facts[module]
        if known is not None and not _is_open(known):
            return
        uses = self._words.uses(source)
        if known is None and uses and can_import(source, uses):
            known = self._learn(module)
        if known is not None and _is_open(known):
            found = known.relevant(uses).union(known.uses)
            self.facts[module] = replace(known, uses=tuple(sorted(found)))

    def _learn(self, module: str) -> Facts | None:
        """Return the facts of a module, parsed now if it was not; None: not of the project."""
        if module in self.facts and self.facts[module] is None:
            self.recall(module, facts(self._files.get(module)))
        return self.facts.get(module)

    def _is_marked(self, module: str) -> bool:
        known = self.facts[module]
        if known is None or not _is_open(known):
            return known is not None and known.plain
        return any(map(self._paths.lead, self._meant(module, known)))

    def _meant(self, module: str, known: Facts) -> Iterator[_Place]:
        """Yield where a file imports marks from, if they are marks."""
        for binding in known.bindings:
            if binding.last in self.exports:
                yield self._paths.behind(module, binding)
        for use in known.uses:
            # What is remembered may have been looked for when more was exported.
            if use.rpartition(".")[2] not in self.exports:
                continue
            first, _, rest = use.partition(".")
            for binding in known.bindings:
                if binding.name == "*":
                    yield self._paths.behind(module, binding, use)
                elif binding.name == first:
                    yield self._paths.behind(module, binding, rest)


class _Files:
    """Reads each file once, as long as memory lasts."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._held: set[str] = set()
        self._room = _HELD

    def get(self, module: str) -> SourceFile:
        file = self._project.file(module)
        if module not in self._held:
            if len(file.data) > self._room:
                self._project.forget([module])
            else:
                self._room -= len(file.data)
                self._held.add(module)
        return file

    def close(self, keep: Iterable[str]) -> None:
        self._project.forget(self._held.difference(keep))


class _Paths:
    """Follows names from module to module, to a mark or to nothing."""

    def __init__(
        self, project: Project, facts_of: Callable[[str], Facts | None]
    ) -> None:
        self._project = project
        self._facts_of = facts_of
        self._known: dict[_Place, bool] = {}

    def behind(self, module: str, binding: Binding, rest: str = "") -> _Place:
        """Return what `rest` of a binding in `module` stands for."""
        path = ".".join(filter(None, (binding.path, rest)))
        return self._home(module, binding.source), path

    def lead(self, place: _Place) -> bool:
        """Tell whether a name leads to a mark, or may: a file too many costs only time."""
        seen = {place: None}
        waiting = [place]
        while waiting:
            here = waiting.pop()
            if self._known.get(here) or _is_mark(*here) or len(seen) > _MOST:
                self._known[place] = True
                return True
            if here not in self._known:
                steps = [step for step in self._steps(*here) if step not in seen]
                waiting += steps
                seen.update(dict.fromkeys(steps))
        # All that can be reached was: none of it leads to a mark.
        self._known.update(dict.fromkeys(seen, False))
        return False

    def _steps(self, module: str, path: str) -> Iterator[_Place]:
        first, _, rest = path.partition(".")
        if rest:
            yield f"{module}.{first}", rest
        if not path or path.count(".") > _DEEPEST:
            return
        known = self._facts_of(module)
        for binding in known.bindings if known else ():
            if binding.top and binding.name in (first, "*"):
                left = path if binding.name == "*" else rest
                yield self.behind(module, binding, left)

    def _home(self, module: str, source: str) -> str:
        if not source.startswith("."):
            return source or module
        name = source.lstrip(".")
        file = self._project.paths[module].rpartition("/")[2]
        is_package = file == "__init__.py"
        level = len(source) - len(name)
        return absolute_module(module, is_package, level, name) or ""


def _is_open(known: Facts) -> bool:
    """Tell whether other files decide if this one is marked."""
    return known.markable and not known.plain


def _can_be_module(binding: Binding) -> bool:
    """Tell whether a name from savegen can be a module of it, or stands for all its names."""
    return not binding.path or (binding.path.islower() and binding.path not in MARKS)


def _is_mark(module: str, path: str) -> bool:
    inside = module == PACKAGE or module.startswith(f"{PACKAGE}.")
    return inside and path.rpartition(".")[2] in MARKS
