"""Scan and resolve the modules that have changed, and reuse the stored results of the others.

`cache.py` knows whether any file has changed at all. If one has, three comparisons of digests
decide how much a run does again:

- A module is resolved again if its file or one that it depends on has changed (`resolve`).
- If none of the results differs in its `pass_1_inputs`, the run ends there (`confirm_unchanged`).
- If the lock and all `shared_inputs` are the same, only the modules that differ, and those related
  to them by inheritance, are numbered and rendered again (`unaffected`); otherwise all modules.
"""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from savegen.build.check import check_module
from savegen.build.check.forgotten_state import (
    class_state,
    decoded,
    forgotten_attribute,
    shared_attributes,
    unsaved_counter,
)
from savegen.build.memory import Memory, ResolvedModule
from savegen.build.model import (
    Model,
    SavedModule,
    SharedAttribute,
    UnsavedCounter,
    pass_1_inputs,
    shared_inputs,
    without_check_data,
)
from savegen.build.resolve import Resolver
from savegen.build.resolve import Settings as Settings
from savegen.build.resolve.assigned_elsewhere import assigned_elsewhere
from savegen.build.resolve.dependencies import SUBCLASSES_OF
from savegen.build.scan.assignments import Assignments, read_assignments
from savegen.build.scan.declarations import IgnoreComment, Module
from savegen.build.scan.discover import find_marked
from savegen.build.scan.facts import Facts, read_facts
from savegen.build.scan.faults import StaleImport, UnknownName, UnreadableFile
from savegen.build.scan.generated import (
    GeneratedImport,
    GeneratedNames,
    generated_names,
)
from savegen.build.scan.marks import PACKAGE
from savegen.build.scan.read import read
from savegen.build.scan.subclasses import Bases, Subclasses, bases_in
from savegen.build.scan.words import searchable
from savegen.build.source import Project
from savegen.findings import (
    Finding,
    Report,
    Severity,
    Span,
    StoredFinding,
    with_severity,
)

if TYPE_CHECKING:
    from savegen.build.lock import Lock


_encode = msgspec.msgpack.Encoder().encode
T = TypeVar("T")


_decoders: dict[object, msgspec.msgpack.Decoder[Any]] = {}  # by type


def _decode(data: bytes, type: type[T]) -> T:
    if type not in _decoders:  # creating one takes time
        _decoders[type] = msgspec.msgpack.Decoder(type)
    decoded: T = _decoders[type].decode(data)
    return decoded


_Shared = tuple[SharedAttribute, ...]
_Counters = tuple[UnsavedCounter, ...]
_NOTHING = _encode(())
_MAX_DECODED = 1_000  # modules whose declarations are kept decoded


class _Search(msgspec.Struct, array_like=True):
    """The result of the last search for marked modules."""

    exports: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    facts: dict[str, tuple[str, Facts | None]] = {}  # module → digest, facts
    bases: dict[str, Bases] = {}  # the classes with bases, by module


def exports(memory: Memory) -> tuple[str, ...]:
    """Return the names that mean a mark in at least one module, as the last search found them."""
    return _decode(memory.search, _Search).exports if memory.search else ()


class _AssignmentSearch(msgspec.Struct, array_like=True):
    """The result of the last search for assignments to attributes with certain names."""

    names: frozenset[str] = frozenset()
    files: dict[str, tuple[str, Assignments]] = {}  # module → digest, assignments


class _Digests(dict[str, str]):
    """The digests of what a result depends on: of modules, and of the subclasses of classes.

    The project is asked only once for each.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self.subclasses = Subclasses({})

    def __missing__(self, name: str) -> str:
        simple_name = name.removeprefix(SUBCLASSES_OF)
        if simple_name != name:
            found = sorted(self.subclasses.possible([simple_name]))
            digest = _digest(repr(found).encode()).hex() if found else ""
        else:
            digest = self._project.digest(name)
        self[name] = digest
        return digest


class Modules:
    """The modules of a project: changed ones are read and resolved, others come from memory."""

    def __init__(
        self,
        project: Project,
        memory: Memory,
        report: Report,
        settings: Settings = Settings(),
    ) -> None:
        self._project = project
        self.with_progress = project.with_progress
        self._digests = _Digests(project)
        self._settings = settings
        self._memory = memory
        self._report = report
        self._read: dict[str, Module] = {}  # at most about `_MAX_DECODED`
        self._resolver = self._new_resolver()
        self._entries: dict[str, ResolvedModule] = {}  # of all modules, as they are now
        self._changed: dict[str, SavedModule] = {}  # those resolved in this run
        self._imports: list[tuple[GeneratedImport, ...]] = []  # of generated modules
        self._all_ancestors: tuple[str, ...] = ()
        self._recalled: dict[str, SavedModule] = {}
        self._is_same_lock = False  # as at the end of the last run
        self._shared = b""
        self.ignore_comments: dict[str, tuple[IgnoreComment, ...]] = {}  # by path

    def declarations(self, name: str) -> Module | None:
        """Return the declarations of a module; `None` if the project has no such module."""
        return self._declared(name) if name in self._project else None

    def _declared(self, name: str, tree: ast.Module | None = None) -> Module:
        if name not in self._read:
            if len(self._read) > _MAX_DECODED:
                self._forget()
            self._read[name] = (
                self._recall(name)
                or self._scan(name, tree)
                or Module(self._project.paths[name], name, is_unread=True)
            )
        return self._read[name]

    def _forget(self) -> None:
        """Drop the decoded declarations, which take much space in a big game.

        They can be decoded again. Only modules that could not be read are kept.
        """
        self._read = {n: module for n, module in self._read.items() if module.is_unread}
        self._resolver = self._new_resolver()

    def _new_resolver(self) -> Resolver:
        return Resolver(self.declarations, self._settings, self._with_subclasses_of)

    def _with_subclasses_of(self, simple_name: str) -> list[str]:
        """Return the modules that may define subclasses of a class of this simple name."""
        possible = self._digests.subclasses.possible([simple_name])
        return sorted({module for module, _ in possible})

    @property
    def complete(self) -> bool:
        """Whether all modules that were needed could be read."""
        return not any(module.is_unread for module in self._read.values())

    def marked(self) -> tuple[str, ...]:
        """Return the modules that may contain marked classes or ignore comments, sorted."""
        digest = self._project.digest
        stored = self._memory.search
        search = _decode(stored, _Search) if stored else _Search()
        if not self._is_still_valid(search):
            valid = {n: f for n, (old, f) in search.facts.items() if old == digest(n)}
            files = find_marked(
                self._project,
                valid,
                search.exports,
                self._declared,
                search.bases,
                self._settings.output_packages,
            )
            facts_by_name = {n: (digest(n), f) for n, f in files.facts.items()}
            search = _Search(files.exports, files.modules, facts_by_name, files.bases)
        self._digests.subclasses = Subclasses(search.bases)
        self._memory.search = _encode(search)
        self._imports = [f.generated for _, f in search.facts.values() if f]
        self._report.extend(self._unknown_names(search))
        unreadable = filter(
            None, map(self._project.module_at, self._project.unreadable)
        )
        # A file without marks may have an ignore comment, which then is reported as useless.
        silencing = (n for n, (_, f) in search.facts.items() if f and f.silences)
        return tuple(sorted({*search.marked, *unreadable, *silencing}))

    def _unknown_names(self, search: _Search) -> Iterator[Finding]:
        """Yield a finding for each imported name that savegen does not have.

        If savegen has no similar name, the name may not be a misspelling, so the finding is
        only a warning.
        """
        if PACKAGE in self._project:  # the game has its own package of that name
            return
        for _, facts in search.facts.values():
            for missing in facts.missing if facts else ():
                finding = UnknownName(missing.span, missing.package, missing.name)
                severity = Severity.ERROR if finding.suggestion else Severity.WARNING
                yield with_severity(finding, severity)

    def _is_still_valid(self, search: _Search) -> bool:
        """Return whether the same modules are marked as in the last search.

        Updates the digests of changed files in `search`.
        """
        digest = self._project.digest
        if search.facts.keys() != set(self._project):
            return False
        for name, (old_digest, facts) in search.facts.items():
            if digest(name) == old_digest:
                continue
            if facts is None or not facts.surely_marked:
                return False
            file = self._project.file(name)
            new = read_facts(file, self._settings.output_packages)
            if msgspec.structs.replace(new, generated=facts.generated) != facts:
                return False
            search.facts[name] = (digest(name), new)
            search.bases[name] = bases_in(searchable(file))
        return True

    def resolve(self, marked: Iterable[str]) -> None:
        """Resolve the marked modules that changed; report the findings of all of them.

        The same is done for modules that may define subclasses of saveable classes.
        """
        reusable = {name: self._reusable(name) for name in marked}
        saveable = self._saveable_names(reusable)
        possible = self._digests.subclasses.possible(saveable)
        others = {module for module, _ in possible} | self._with_values(reusable)
        for name in sorted(others):
            reusable.setdefault(name, self._reusable(name))
        ancestors = self._ancestors(reusable)
        self._all_ancestors = tuple(sorted(ancestors))
        if self._all_ancestors != self._memory.all_ancestors:
            reusable = dict.fromkeys(reusable)
        for name in self._project.with_progress("checking", reusable):
            entry = reusable[name]
            if entry is not None:
                self._entries[name] = entry
                findings = map(StoredFinding.from_facts, entry.findings)
                self._report.extend(map(decoded, findings))
                if entry.has_ignore_comments:
                    self._note_ignore_comments(self.declarations(name))
            elif module := self._resolved(name, ancestors):
                self._changed[name] = module
        self._forget()
        self._report.extend(self._state_elsewhere())
        self._report.extend(self._stale_imports())

    def _with_values(self, marked: dict[str, ResolvedModule | None]) -> set[str]:
        """Return the modules that may define subclasses of types that fields hold, like `list`.

        Marked modules import them, or a package around them.
        """
        bases = self._resolver.value_bases()
        possible = self._digests.subclasses.possible(bases)
        modules = {module for module, _ in possible} - marked.keys()
        if not modules:
            return modules
        imported: set[str] = set()
        for name, entry in marked.items():
            module = None if entry else self.declarations(name)
            imported.update(entry.imports if entry else _imports(module))
        return {name for name in modules if not imported.isdisjoint(_packages(name))}

    def _state_elsewhere(self) -> Iterator[Finding]:
        """Yield a finding for each class attribute and each counter that is state of the game."""
        entries = self._entries.values()
        shared = [e for entry in entries for e in _decode(entry.shared, _Shared)]
        counters = [e for entry in entries for e in _decode(entry.counters, _Counters)]
        names = frozenset(each.forgotten.attribute for each in shared)
        assignments = self._assignments(names) if names or counters else {}
        # The game saves these itself.
        states = {name for each in assignments.values() for name in each.states}
        is_module = self._project.__contains__
        for found, place, of_class in assigned_elsewhere(
            shared, assignments, is_module
        ):
            if not (of_class and found.attribute in states):
                yield (class_state if of_class else forgotten_attribute)(found, place)
        yield from (
            unsaved_counter(each) for each in counters if each.name not in states
        )

    def _stale_imports(self) -> Iterator[Finding]:
        """Yield a finding for each import of something that is no longer generated."""
        if not self._settings.output_package or not self.complete:
            return
        names = self._generated_names()
        for each in chain.from_iterable(self._imports):
            if names.is_stale(each.name):
                finding = StaleImport(each.span, each.name, names.home_of(each.name))
                optional = Severity.WARNING if each.is_optional else Severity.ERROR
                yield with_severity(finding, optional)

    def _generated_names(self) -> GeneratedNames:
        entries = self._entries
        mixins_module, paths = self._settings.mixins_module, self._project.paths
        return generated_names(
            self._settings.output_package,
            self._settings.former_packages,
            {mixins_module(paths[n]): e.mixins for n, e in entries.items() if e.mixins},
            any(entry.has_prefabs for entry in entries.values()),
        )

    def _assignments(self, names: frozenset[str]) -> dict[str, Assignments]:
        """Return the assignments to attributes with these names, by module."""
        stored = self._memory.assignments
        last = _decode(stored, _AssignmentSearch) if stored else _AssignmentSearch()
        if not names <= last.names:
            last = _AssignmentSearch(names)
        files: dict[str, tuple[str, Assignments]] = {}
        for module in self._project:
            digest, nothing = self._project.digest(module), ("", Assignments())
            files[module] = last.files.get(module, nothing)
            if files[module][0] != digest:
                found = read_assignments(self._project.file(module), last.names)
                files[module] = digest, found
                self._project.forget([module])
        self._memory.assignments = _encode(_AssignmentSearch(last.names, files))
        return {module: found for module, (_, found) in files.items()}

    def confirm_unchanged(self) -> bool:
        """Return whether no change affects the generated text or the stable numbers.

        If so, update the memory to the modules as they are now, and report the findings about the
        whole project again.
        """
        before, now = self._memory.resolved, self._entries
        if self._report.failed or not self.complete or before.keys() != now.keys():
            return False
        if any(before[name].inputs != now[name].inputs for name in now):
            return False
        findings = [*map(StoredFinding.from_facts, self._memory.project_findings)]
        paths = {module.path for module in self._changed.values()}
        if any(finding.span.path in paths for finding in findings):
            return False  # its place may have changed
        self._memory.resolved = now
        self._memory.all_ancestors = self._all_ancestors
        self._report.extend(findings)
        # Without any class the result is false, so that the run reports that no class is marked.
        return any(entry.mixins for entry in now.values())

    def model(self) -> Model:
        """Return all marked modules with their saveable classes. Call this only once."""
        self._recalled = {
            name: _decode(entry.saved, SavedModule)
            for name, entry in self._entries.items()
            if name not in self._changed
        }
        changed, self._changed = self._changed, {}
        modules = self._recalled.values(), changed.values()
        return Model(chain(*modules), save_version=self._settings.save_version)

    def lock(self, data: bytes) -> Lock:
        """Return the content of `savegen.lock`. Raises `LockError` if it cannot be read."""
        from savegen.build.lock import Lock, read

        digest, stored = self._memory.lock
        self._is_same_lock = digest == _digest(data)
        return _decode(stored, Lock) if self._is_same_lock else read(data)

    def unaffected(self, model: Model) -> frozenset[str]:
        """Return the modules whose numbers and registry entries cannot have changed.

        They are unchanged, and so are the lock, all that modules share, and the modules of
        their base classes and subclasses.
        """
        self._shared = _digest(_encode(shared_inputs(model)))
        if not self._is_same_lock or self._shared != self._memory.shared:
            return frozenset()
        families = _families(model)
        waiting = [name for name in model.modules if not self._is_numbered(name)]
        affected: set[str] = set()
        while waiting:
            if (name := waiting.pop()) not in affected:
                affected.add(name)
                waiting += families[name]
        return frozenset(model.modules) - affected

    def _is_numbered(self, name: str) -> bool:
        """Return whether the last run has numbered this module, and it is unchanged."""
        module = self._recalled.get(name)
        return module is not None and all(cls.number for cls in module.classes)

    def is_unchanged(self, module: SavedModule) -> bool:
        """Return whether a module is the same as in the last run, so its generated text is too."""
        return self._recalled.get(module.name) == module

    def remember(
        self, model: Model, lock: Lock, text: bytes, findings: Iterable[Finding]
    ) -> None:
        """Put the numbered modules of `model` into the memory, and drop all other modules.

        `text` is that of the new lock. `findings` are those about the whole project.
        """
        memory, entries = self._memory, self._entries
        memory.resolved = {n: e for n, e in entries.items() if n in model.modules}
        memory.project_findings = [StoredFinding.of(each).facts for each in findings]
        # Set only now, because a failed run must not change the stored results.
        memory.all_ancestors = self._all_ancestors
        memory.shared = self._shared
        if memory.lock[0] != (digest := _digest(text)):
            memory.lock = digest, _encode(lock)
        for name, entry in memory.resolved.items():
            if not self.is_unchanged(model.modules[name]):
                entry.saved = _encode(model.modules[name])

    def _reusable(self, name: str) -> ResolvedModule | None:
        """Return the stored result of a module if no file that it depends on has changed."""
        entry = self._memory.resolved.get(name)
        digests = self._digests
        if entry is None or entry.digest != digests[name]:
            return None
        others = entry.dependencies.items()
        return entry if all(digests[name] == old for name, old in others) else None

    def _saveable_names(
        self, reusable: dict[str, ResolvedModule | None]
    ) -> frozenset[str]:
        """Return the simple names of the saveable classes of all modules."""
        names: set[str] = set()
        for name, entry in reusable.items():
            if entry is not None:
                names.update(entry.saveable)
            elif module := self.declarations(name):
                names.update(self._resolver.saveable_names(module))
        return frozenset(names)

    def _ancestors(self, reusable: dict[str, ResolvedModule | None]) -> frozenset[str]:
        """Return the ancestors of the classes of all modules."""
        ancestors: set[str] = set()
        for name, entry in reusable.items():
            if entry is not None:
                ancestors.update(entry.ancestors)
            elif module := self.declarations(name):
                ancestors |= self._resolver.ancestors(module)
        return frozenset(ancestors)

    def _resolved(self, name: str, ancestors: frozenset[str]) -> SavedModule | None:
        module = self.declarations(name)
        if module is None or module.is_unread:
            return None
        self._note_ignore_comments(module)
        saved = self._resolver.resolve(module, ancestors)
        findings = list(check_module(saved))
        self._report.extend(findings)
        shared = [each for cls in saved.classes for each in shared_attributes(cls)]
        counters = [each for cls in saved.classes for each in cls.counters]
        kept = without_check_data(saved)
        self._entries[name] = ResolvedModule(
            self._project.digest(name),
            {other: self._digests[other] for other in saved.dependencies},
            tuple(sorted(self._resolver.ancestors(module))),
            _encode(kept),
            _digest(_encode(pass_1_inputs(saved))),
            self._resolver.saveable_names(module),
            _imports(module),
            tuple(cls.mixin for cls in saved.classes),
            bool(saved.prefabs),
            [StoredFinding.of(finding).facts for finding in findings],
            bool(module.ignore_comments),
            _encode(shared) if shared else _NOTHING,
            _encode(counters) if counters else _NOTHING,
        )
        return kept

    def _note_ignore_comments(self, module: Module | None) -> None:
        if module is not None and module.ignore_comments:
            self.ignore_comments[module.path] = module.ignore_comments

    def _recall(self, name: str) -> Module | None:
        digest, data = self._memory.declarations.get(name, ("", b""))
        if digest != self._project.digest(name):
            return None
        return _decode(data, Module)

    def _scan(self, name: str, tree: ast.Module | None) -> Module | None:
        file = self._project.file(name)
        if reason := self._project.unreadable.get(file.path):
            self._report.add(UnreadableFile(Span(file.path), reason))
            return None
        module = read(file, self._report, tree)
        self._memory.declarations.pop(name, None)
        if module is not None:
            entry = (self._project.digest(name), _encode(module))
            self._memory.declarations[name] = entry
        self._project.forget([name])
        return module


def _imports(module: Module | None) -> tuple[str, ...]:
    """Return the modules that a module imports, and the names that it imports from them."""
    if module is None:
        return ()
    names = {*module.star_imports}
    for target in module.imports.values():
        names.add(target.module)
        if target.name is not None:
            names.add(f"{target.module}.{target.name}")
    return tuple(sorted(names))


def _packages(name: str) -> Iterator[str]:
    """Yield a module and the packages around it."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _families(model: Model) -> dict[str, set[str]]:
    """Return the modules with a base class or subclass of one in each module."""
    families: dict[str, set[str]] = defaultdict(set)
    for cls in model.classes:
        for ancestor in cls.ancestors:
            other = ancestor.partition(":")[0]
            if other in model.modules:
                families[cls.module].add(other)
                families[other].add(cls.module)
    return families
