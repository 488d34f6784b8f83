"""Which modules must be looked at again, and what is known of the others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import msgspec

from savegen.build.check import check_module
from savegen.build.check.forgotten_state import restored
from savegen.build.memory import Memory, Resolved
from savegen.build.model import Model, SavedModule, checked, essence, renumbered
from savegen.build.resolve import Resolver
from savegen.build.resolve import Settings as Settings
from savegen.build.scan.declarations import Module, Silencer
from savegen.build.scan.discover import find_marked
from savegen.build.scan.facts import Facts, read_facts
from savegen.build.scan.faults import UnknownName, UnreadableFile
from savegen.build.scan.marks import PACKAGE
from savegen.build.scan.read import read
from savegen.build.source import Project
from savegen.findings import Finding, Recalled, Report, Span, softened

_encode = msgspec.msgpack.Encoder().encode
_decode_declarations = msgspec.msgpack.Decoder(Module).decode
_decode_saved = msgspec.msgpack.Decoder(SavedModule).decode


_ROOM = 1_000  # modules whose declarations are held at once


class _Search(msgspec.Struct, array_like=True):
    """How the marked files were found."""

    exports: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    facts: dict[str, tuple[str, Facts | None]] = {}  # module → digest, what matters


def _silences(known: Facts | None) -> bool:
    return known is not None and known.silences


_decode_search = msgspec.msgpack.Decoder(_Search).decode


class Modules:
    """Reads and resolves what has changed; remembers the rest."""

    def __init__(
        self,
        project: Project,
        memory: Memory,
        report: Report,
        settings: Settings = Settings(),
    ) -> None:
        self._project = project
        self._settings = settings
        self._memory = memory
        self._report = report
        self._read: dict[str, Module] = {}  # as many as there is room for
        self._resolver = Resolver(self.declarations, settings)
        self._kept: dict[str, Resolved] = {}  # still true
        self._changed: dict[str, SavedModule] = {}  # resolved in this run
        self._new: dict[str, Resolved] = {}  # what to remember of those
        self._all_ancestors: tuple[str, ...] = ()
        self._recalled: dict[str, SavedModule] = {}
        self.silencers: dict[str, tuple[Silencer, ...]] = {}  # by path

    def declarations(self, name: str) -> Module | None:
        """Return the declarations of a module; `None` if it is not there."""
        return self._declared(name) if name in self._project else None

    def _declared(self, name: str, tree: ast.Module | None = None) -> Module:
        if name not in self._read:
            if len(self._read) > _ROOM:
                self._forget()
            self._read[name] = (
                self._recall(name)
                or self._scan(name, tree)
                or Module(self._project.paths[name], name, unread=True)
            )
        return self._read[name]

    def _forget(self) -> None:
        """Drop what is known of the declarations: of a big game it is much to be held.

        It can be recalled, except where nothing could be read.
        """
        self._read = {n: module for n, module in self._read.items() if module.unread}
        self._resolver = Resolver(self.declarations, self._settings)

    @property
    def complete(self) -> bool:
        """Whether all could be read that was asked for."""
        return not any(module.unread for module in self._read.values())

    def marked(self) -> tuple[str, ...]:
        """Return the modules that can use marks."""
        digest = self._project.digest
        search = (
            _decode_search(self._memory.search) if self._memory.search else _Search()
        )
        if not self._leads_where_it_did(search):
            known = {n: f for n, (then, f) in search.facts.items() if then == digest(n)}
            found = find_marked(self._project, known, search.exports, self._declared)
            facts_by_name = {n: (digest(n), f) for n, f in found.facts.items()}
            search = _Search(found.exports, found.modules, facts_by_name)
        self._memory.search = _encode(search)
        self._report.extend(self._unknown_names(search))
        unreadable = filter(
            None, map(self._project.module_at, self._project.unreadable)
        )
        # What a silencer was for may be gone from a file, and its marks with it.
        silencing = (n for n, (_, known) in search.facts.items() if _silences(known))
        return tuple(sorted({*search.marked, *unreadable, *silencing}))

    def _unknown_names(self, search: _Search) -> Iterator[Finding]:
        """Yield the names that files take from savegen in vain.

        If savegen has no such name, nor one like it, the file may know what it does.
        """
        if (
            PACKAGE in self._project
        ):  # then the game imports another package of that name
            return
        for _, known in search.facts.values():
            for each in known.missing if known else ():
                found = UnknownName(each.span, each.package, each.name)
                yield found if found.suggestion else softened(found)

    def _leads_where_it_did(self, search: _Search) -> bool:
        """Tell whether no file has changed that could make another one marked, or not.

        If so, the new digests are noted.
        """
        digest = self._project.digest
        if search.facts.keys() != set(self._project):
            return False
        for name, (then, known) in search.facts.items():
            now = digest(name)
            if now == then:
                continue
            if known is None or not known.surely_marked:
                return False
            if read_facts(self._project.file(name)) != known:
                return False
            search.facts[name] = (now, known)
        return True

    def look(self, marked: Iterable[str]) -> None:
        """Resolve the marked modules that must be; report what is wrong in any of them."""
        known = {name: self._known(name) for name in marked}
        ancestors = self._ancestors(known)
        self._all_ancestors = tuple(sorted(ancestors))
        if self._all_ancestors != self._memory.all_ancestors:
            known = dict.fromkeys(known)
        for name in self._project.watched("checking", known):
            entry = known[name]
            if entry is not None:
                self._kept[name] = entry
                findings = map(Recalled.from_facts, entry.findings)
                self._report.extend(map(restored, findings))
                if entry.silences:
                    self._note_silencers(self.declarations(name))
            elif module := self._resolved(name, ancestors):
                self._changed[name] = module
        self._forget()

    def settle(self) -> bool:
        """Tell whether nothing that text or numbers are made of has changed.

        If so, it is remembered as it is now.
        """
        before = self._memory.resolved
        if self._report.failed or not self.complete:
            return False
        if before.keys() != self._kept.keys() | self._changed.keys():
            return False
        old = {name: _decode_saved(before[name].saved) for name in self._changed}
        for name, module in self._changed.items():
            if essence(module) != essence(old[name]):
                return False
            if module.loose or bool(module.prefabs) != bool(old[name].prefabs):
                return False  # it may be open now whether there is work for pass 2
        for name, module in self._changed.items():
            self._new[name].saved = _encode(renumbered(module, old[name]))
        self._memory.resolved = {**self._kept, **self._new}
        self._memory.all_ancestors = self._all_ancestors
        # A run that finds no class at all has more to say than this.
        return any(_decode_saved(e.saved).classes for e in before.values())

    def all(self) -> list[SavedModule]:
        """Hand over the saveable classes of all marked modules, changed or not."""
        self._recalled = {
            name: _decode_saved(entry.saved) for name, entry in self._kept.items()
        }
        changed, self._changed = self._changed, {}
        return [*self._recalled.values(), *changed.values()]

    def as_remembered(self, module: SavedModule) -> bool:
        """Tell whether nothing that the text is made of has changed."""
        return self._recalled.get(module.name) == module

    def remember(self, model: Model) -> None:
        """Keep the numbered modules for the next run, and forget those that are gone."""
        entries = {**self._kept, **self._new}
        self._memory.resolved = {n: e for n, e in entries.items() if n in model.modules}
        # Not before: what a run that failed has found out is not remembered either.
        self._memory.all_ancestors = self._all_ancestors
        for name, entry in self._memory.resolved.items():
            if not self.as_remembered(model.modules[name]):
                entry.saved = _encode(model.modules[name])

    def _known(self, name: str) -> Resolved | None:
        """Return what is remembered of a module, if all that it depends on is the same."""
        entry = self._memory.resolved.get(name)
        digest = self._project.digest
        if entry is None or entry.digest != digest(name):
            return None
        same = all(digest(other) == then for other, then in entry.asked.items())
        return entry if same else None

    def _ancestors(self, known: dict[str, Resolved | None]) -> frozenset[str]:
        found: set[str] = set()
        for name, entry in known.items():
            if entry is not None:
                found.update(entry.ancestors)
            elif module := self.declarations(name):
                found |= self._resolver.ancestors(module)
        return frozenset(found)

    def _resolved(self, name: str, ancestors: frozenset[str]) -> SavedModule | None:
        module = self.declarations(name)
        if module is None or module.unread:
            return None
        self._note_silencers(module)
        saved = self._resolver.resolve(module, ancestors)
        findings = list(check_module(saved))
        self._report.extend(findings)
        self._new[name] = Resolved(
            self._project.digest(name),
            {other: self._project.digest(other) for other in saved.asked},
            tuple(sorted(self._resolver.ancestors(module))),
            b"",
            [Recalled.of(finding).facts for finding in findings],
            bool(module.silencers),
        )
        return checked(saved)

    def _note_silencers(self, module: Module | None) -> None:
        if module is not None and module.silencers:
            self.silencers[module.path] = module.silencers

    def _recall(self, name: str) -> Module | None:
        digest, data = self._memory.declarations.get(name, ("", b""))
        if digest != self._project.digest(name):
            return None
        module: Module = _decode_declarations(data)
        return module

    def _scan(self, name: str, tree: ast.Module | None) -> Module | None:
        file = self._project.file(name)
        if why := self._project.unreadable.get(file.path):
            self._report.add(UnreadableFile(Span(file.path), why))
            return None
        module = read(file, self._report, tree)
        self._memory.declarations.pop(name, None)
        if module is not None:
            entry = (self._project.digest(name), _encode(module))
            self._memory.declarations[name] = entry
        self._project.forget([name])
        return module
