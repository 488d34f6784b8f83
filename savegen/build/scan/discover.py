"""Find the files that may use marks, even if the marks are renamed or re-exported."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from savegen.build.scan.facts import (
    Binding,
    Facts,
    output_words,
    read_facts,
    read_facts_and_tree,
)
from savegen.build.scan.marks import MARKS, PACKAGE, is_in_savegen
from savegen.build.scan.names import absolute_module
from savegen.build.scan.subclasses import Bases, bases_in
from savegen.build.scan.words import WordSearch, can_import, searchable
from savegen.build.source import Project, SourceFile

_Place: TypeAlias = tuple[str, str]  # a module, and a dotted name in it

_MAX_CACHED_BYTES = 128 * 2**20  # of files, kept until the marked files are known
_MAX_DOTS = 16  # in one name; following `a = a.b` adds a dot each time
_MAX_PLACES = 10_000  # visited for one name; a name with more counts as a mark


class MarkedFiles(msgspec.Struct, frozen=True):
    """The files that may use marks, and data that makes the next search faster."""

    modules: tuple[str, ...]  # sorted
    exports: tuple[str, ...]  # names that mean a mark in at least one module, sorted
    facts: dict[str, Facts | None]  # by module; None if the file cannot use marks
    bases: dict[str, Bases] = {}  # the classes with bases, by module


def find_marked(
    project: Project,
    remembered: Mapping[str, Facts | None],
    exports: Collection[str] = (),
    on_marked: Callable[[str, ast.Module], object] = lambda module, tree: None,
    bases: Mapping[str, Bases] = {},
    packages: Collection[str] = (),
) -> MarkedFiles:
    """Return the files of a project that may use marks.

    Such a file contains a class or a decorated function, and imports a mark directly or through
    other modules. A file that mentions savegen but cannot be parsed is included too, so that the
    scanner reports the error. Functions that wrap a mark, and names that exist only at run time,
    are not found.

    `remembered`, `exports` and `bases` are the `facts`, `exports` and `bases` of an earlier
    result, without those of files that have changed since. Files in `remembered` are read only if new exports
    are found. The project keeps the contents of marked files and drops the other contents.
    `on_marked` is called with the name and the tree of a module as soon as the module is known
    to be marked, so that the caller need not parse it again.

    `packages` are the output packages, whose imports the facts list.

    Raises `OSError` if a file cannot be read.
    """
    search = _Search(project, frozenset(exports), on_marked, packages)
    for module in project.with_progress("reading", tuple(project)):
        if module in remembered:
            search.add_facts(module, remembered[module])
            if module in bases:
                search.bases[module] = bases[module]
        else:
            search.read(module)
    modules = search.finish()
    exported = tuple(sorted(search.exports))
    return MarkedFiles(modules, exported, search.facts, search.bases)


class _Search:
    """Searches files for marks, and then for the names by which other files import marks."""

    def __init__(
        self,
        project: Project,
        exports: frozenset[str],
        on_marked: Callable[[str, ast.Module], object],
        packages: Collection[str],
    ) -> None:
        self._on_marked = on_marked
        self._packages = packages
        others = (w for w in output_words(packages) if PACKAGE.encode() not in w)
        self._words_of_interest = [PACKAGE.encode(), *others]
        self.facts: dict[str, Facts | None] = {}
        self.bases: dict[str, Bases] = {}
        self.exports: set[str] = set()
        self._searched = exports  # names for which all files were already searched
        self._words = WordSearch(exports)
        self._files = _FileCache(project)
        self._names = _NameResolver(project, self._facts_of_module)
        # Bindings by the last part of their path; they may mean a mark if that is exported.
        self._waiting: defaultdict[str, list[tuple[str, Binding]]] = defaultdict(list)
        self._ready: list[tuple[str, Binding]] = []  # bindings that may mean a mark

    def add_facts(self, module: str, facts: Facts | None) -> None:
        """Add the facts of a module. `facts` is `None` if the module has not been parsed."""
        self.facts[module] = facts
        for binding in facts.bindings if facts else ():
            if binding.from_savegen:
                self._ready.append((module, binding))
            elif binding.path:
                self._waiting[binding.last].append((module, binding))
                if binding.last in self.exports:
                    self._ready.append((module, binding))

    def read(self, module: str) -> None:
        file = self._files.get(module)
        source = searchable(file)
        facts, tree = None, None
        if any(word in source for word in self._words_of_interest):
            facts, tree = read_facts_and_tree(file, self._packages)
        self.add_facts(module, facts)
        if classes := bases_in(source):
            self.bases[module] = classes
        self._search_file(module, source)
        if facts and facts.surely_marked and tree:
            self._on_marked(module, tree)

    def finish(self) -> tuple[str, ...]:
        """Search until no new exports are found, then return the marked modules."""
        while True:
            self._follow_bindings()
            if not self._searched.issuperset(self.exports):
                self._search_undecided()
                continue
            marked = sorted(filter(self._is_marked, list(self.facts)))
            if not self._ready:  # following names may have parsed more files
                self._files.close(keep=marked)
                # Break the reference cycle, so that the memory is freed at once.
                del self._names
                return tuple(marked)

    def _follow_bindings(self) -> None:
        """Add to the exports each name in a parsed module that may refer to a mark."""
        while self._ready:
            module, binding = self._ready.pop()
            if binding.from_savegen and _can_be_module(binding):
                self._add_exports(MARKS)
            elif binding.top and binding.name not in self.exports:
                if self._names.can_reach_mark(self._names.target(module, binding)):
                    self._add_exports((binding.name,))

    def _add_exports(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.exports:
                self.exports.add(name)
                self._ready += self._waiting[name]

    def _search_undecided(self) -> None:
        self._words = WordSearch(self.exports - self._searched)
        self._searched |= self.exports
        for module, facts in list(self.facts.items()):
            if facts is None or _is_undecided(facts):
                self._search_file(module, searchable(self._files.get(module)))

    def _search_file(self, module: str, source: bytes) -> None:
        """Record which exports a file uses; parse the file if it may import one."""
        facts = self.facts[module]
        if facts is not None and not _is_undecided(facts):
            return
        uses = self._words.uses(source)
        if facts is None and uses and can_import(source, uses):
            facts = self._facts_of_module(module)
        if facts is not None and _is_undecided(facts):
            all_uses = facts.relevant(uses).union(facts.uses)
            self.facts[module] = replace(facts, uses=tuple(sorted(all_uses)))

    def _facts_of_module(self, module: str) -> Facts | None:
        """Return the facts of a module, parsing it if needed; `None` outside the project."""
        if module in self.facts and self.facts[module] is None:
            file = self._files.get(module)
            self.add_facts(module, read_facts(file, self._packages))
        return self.facts.get(module)

    def _is_marked(self, module: str) -> bool:
        facts = self.facts[module]
        if facts is None or not _is_undecided(facts):
            return facts is not None and facts.surely_marked
        return any(map(self._names.can_reach_mark, self._used_places(module, facts)))

    def _used_places(self, module: str, facts: Facts) -> Iterator[_Place]:
        """Yield the places in other modules that may define marks which a file uses."""
        for binding in facts.bindings:
            if binding.last in self.exports:
                yield self._names.target(module, binding)
        for use in facts.uses:
            # Remembered uses may contain names that are no longer exported.
            if use.rpartition(".")[2] not in self.exports:
                continue
            first, _, attribute = use.partition(".")
            for binding in facts.bindings:
                if binding.name == "*":
                    yield self._names.target(module, binding, use)
                elif binding.name == first:
                    yield self._names.target(module, binding, attribute)


class _FileCache:
    """Reads files, and keeps their contents up to a total size."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._cached: set[str] = set()  # modules
        self._free_bytes = _MAX_CACHED_BYTES

    def get(self, module: str) -> SourceFile:
        file = self._project.file(module)
        if module not in self._cached:
            if len(file.data) > self._free_bytes:
                self._project.forget([module])
            else:
                self._free_bytes -= len(file.data)
                self._cached.add(module)
        return file

    def close(self, keep: Iterable[str]) -> None:
        self._project.forget(self._cached.difference(keep))


class _NameResolver:
    """Follows names from import to import, to find out which of them mean a mark."""

    def __init__(
        self, project: Project, facts_of: Callable[[str], Facts | None]
    ) -> None:
        self._project = project
        self._facts_of = facts_of
        self._results: dict[_Place, bool] = {}

    def target(self, module: str, binding: Binding, attribute: str = "") -> _Place:
        """Return the place that a binding in `module`, followed by `.attribute`, refers to."""
        path = ".".join(filter(None, (binding.path, attribute)))
        return self._source_module(module, binding.source), path

    def can_reach_mark(self, place: _Place) -> bool:
        """Return whether a name may mean a mark; true if that is uncertain."""
        seen = {place: None}
        waiting = [place]
        while waiting:
            current = waiting.pop()
            if (
                self._results.get(current)
                or _is_mark(*current)
                or len(seen) > _MAX_PLACES
            ):
                self._results[place] = True
                return True
            if current not in self._results:
                steps = [step for step in self._steps(*current) if step not in seen]
                waiting += steps
                seen.update(dict.fromkeys(steps))
        # All reachable places were visited, and none is a mark.
        self._results.update(dict.fromkeys(seen, False))
        return False

    def _steps(self, module: str, path: str) -> Iterator[_Place]:
        """Yield the places that a name in a module may refer to directly."""
        first, _, attribute = path.partition(".")
        if attribute:
            yield f"{module}.{first}", attribute
        if not path or path.count(".") > _MAX_DOTS:
            return
        facts = self._facts_of(module)
        for binding in facts.bindings if facts else ():
            if binding.top and binding.name in (first, "*"):
                remaining = path if binding.name == "*" else attribute
                yield self.target(module, binding, remaining)

    def _source_module(self, module: str, source: str) -> str:
        if not source.startswith("."):
            return source or module
        name = source.lstrip(".")
        file = self._project.paths[module].rpartition("/")[2]
        is_package = file == "__init__.py"
        dots = len(source) - len(name)
        return absolute_module(module, is_package, dots, name) or ""


def _is_undecided(facts: Facts) -> bool:
    """Return whether only other files can show if this one is marked."""
    return facts.markable and not facts.surely_marked


def _can_be_module(binding: Binding) -> bool:
    """Return whether a name imported from savegen may be one of its modules, or `*`."""
    return not binding.path or (binding.path.islower() and binding.path not in MARKS)


def _is_mark(module: str, path: str) -> bool:
    return is_in_savegen(module) and path.rpartition(".")[2] in MARKS
