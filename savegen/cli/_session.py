"""A run over a project: find its sources, run the passes, write the results, keep the cache."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from savegen import disk
from savegen.build import cache
from savegen.cli._former_outputs import former_outputs
from savegen.cli._lock_file import LOCK_FILE, lock_data
from savegen.cli._lost_numbers import refuse_lost_numbers
from savegen.build.config import Config
from savegen.findings import Report, SavegenError, Span, as_text
from savegen.build.source import Project

if TYPE_CHECKING:
    from savegen.build.emit import Layout
    from savegen.build.lock import Lock, ProvisionalEntries
    from savegen.build.memory import Memory
    from savegen.build.model import SavedModule
    from savegen.build.pipeline import Generated
    from savegen.build.resolve import Settings
    from savegen.build.write import FileChange, Plan


class Session:
    """The files, the settings and the cache of one run."""

    def __init__(
        self,
        config: Config,
        use_cache: bool = True,
        strict: bool = False,
        comparison: cache.Comparison | None = None,
    ) -> None:
        """Raise `SavegenError` if one of the sources does not exist."""
        self.config = config
        # The project is read-only. This is raised only if there is something to write.
        self.write_error: OSError | None = None
        self._strict = strict
        self.report = Report()  # of pass 1
        self.later_report = Report()  # of passes 2 and 3
        self._last_done = 1  # the last pass that is up to date after writing
        self._key = cache.key(config)
        comparison = comparison or cache.compare(config)
        state, sources = comparison.state, comparison.sources
        self._started_ns = comparison.started_ns
        self._unread_stamps = comparison.unread
        self._git = comparison.git
        self._unread: cache.StampedFiles = {}
        self._mark_names: list[str] = []
        self._former_outputs = former_outputs(config, state.outputs, sources)
        self._sources = {
            path: stamp
            for path, stamp in sources.items()
            if not any(path.startswith(f"{old}/") for old in self._former_outputs)
        }
        self.state = state if use_cache else state.of_outputs(self._key)
        self._use_cache = use_cache
        modules = disk.map_modules(
            config.root, self._sources, config.source, config.package
        )
        self.project = Project(
            config.root,
            modules.paths,
            self.state.trusted_digests(self._sources),
            config.output if config.is_bare else None,
        )
        self._shadowed = modules.shadowed
        self._roots = modules.roots
        self._memory: Memory | None = None
        self._has_no_class = False  # every run reports this
        self._left_out: set[str] = set()  # outputs that PATHS exclude
        self._loaded: dict[str, disk.Stamp] = {}  # other files that the game loads
        self._ignores_lock = False
        self._as_written: dict[str, bool] = {}  # the results of `_is_as_written`

    def renewed(self) -> Session:
        """Return a session with the same settings that finds the files as they are now."""
        session = Session(self.config, self._use_cache, self._strict)
        session.write_error = self.write_error
        return session

    @property
    def findings(self) -> Report:
        """The findings of all passes."""
        return Report([*self.report, *self.later_report])

    @property
    def failed(self) -> bool:
        return self.report.failed or self.later_report.failed

    def chosen(self, paths: Iterable[str]) -> set[str] | None:
        """Return the sources that PATHS on the command line name; `None` for all.

        Raises `SavegenError` for a path that is not a source.
        """
        if self.config.is_bare:  # there PATHS define the game
            from savegen.build.config.games import refuse_projects_in

            for folder in filter(disk.is_folder, paths):
                refuse_projects_in(folder, self.config.root, self._sources)
            return None
        chosen = {source for path in paths for source in self._sources_at(path)}
        return chosen or None

    def _sources_at(self, path: str) -> list[str]:
        place = disk.relative(disk.absolute(path), self.config.root)
        prefix = "" if place == "." else f"{place}/"
        sources = [s for s in self._sources if s == place or s.startswith(prefix)]
        sources = sources or self._sources_through_links(path)
        if not sources:
            reason = "is not one of the game's sources"
            raise SavegenError(
                f"{path} {reason if disk.exists(path) else 'does not exist'}"
            )
        return sources

    def _sources_through_links(self, path: str) -> list[str]:
        """Return the sources that a path names through symbolic links."""
        place = disk.resolve(path)
        prefix = disk.join(place, "")
        if disk.resolve(self.config.root).startswith(prefix):
            return []  # a folder that contains the project
        real = {s: disk.resolve(self._path(s)) for s in self._sources}
        return [s for s in real if real[s] == place or real[s].startswith(prefix)]

    @property
    def layout(self) -> Layout:
        return self._layout_of(self.config.output)

    def _layout_of(self, output: str) -> Layout:
        from savegen.build.emit import Layout

        config = self.config
        return Layout(output, config.source, self._roots, config.package, config.style)

    @property
    def settings(self) -> Settings:
        from savegen.build.resolve import Settings

        config, layout = self.config, self.layout
        return Settings(
            dict(config.codecs),
            dict(config.bases),
            config.transient,
            config.presets,
            layout.types_import,
            config.save_version,
            layout.import_name,
            tuple(
                self._layout_of(output).types_import.rpartition(".")[0]
                for output in self._former_outputs
            ),
        )

    def generate(self, ignore_lock: bool = False) -> Generated:
        """Run pass 1 in memory.

        With `ignore_lock`, assign the numbers as if savegen.lock did not exist.
        """
        generated = self._generate(False, ignore_lock)
        assert generated is not None
        return generated

    def generate_if_changed(self) -> Generated | None:
        """Run pass 1 in memory; return `None` if it would write nothing."""
        return self._generate(self.state.is_intact(self.config, 1))

    def _generate(self, is_intact: bool, ignore_lock: bool = False) -> Generated | None:
        from savegen.build import memory
        from savegen.build.pipeline import EarlierFiles, components

        self._report_shadowed()
        self._memory = (
            memory.load(self.config.root, self._key, self.project.paths)
            if self._use_cache
            else memory.Memory(self._key, self.project.paths)
        )
        self._ignores_lock = ignore_lock
        earlier_files = EarlierFiles(
            bytes if ignore_lock else partial(lock_data, self.config.root),
            self._read,
            self._is_as_written,
            is_intact,
        )
        generated = components(
            self.project,
            earlier_files,
            self.layout,
            self._memory,
            self.report,
            self.settings,
            lambda: self._provisional,
        )
        self._report_unread(self._memory)
        self._report_ignored(generated)
        if self._strict:
            failed_before = self.report.failed
            self.report.turn_warnings_into_errors()
            if self.report.failed and not failed_before:
                self._memory = None  # it lists files that will not be written
        model = generated.model if generated else None
        self._has_no_class = model is not None and not any(model.classes)
        return generated

    def add_prefabs(self, generated: Generated) -> bool:
        """Run pass 2 in memory and add its files; return whether it found no error."""
        result = self._run_pass_2(generated, self.later_report)
        if self._strict:
            self.later_report.turn_warnings_into_errors()
        if self.later_report.failed:
            self._memory = None  # it lists files that will not be written
            return False
        generated.model, generated.lock = result.model, result.lock
        generated.files |= result.files
        return True

    def _run_pass_2(self, generated: Generated, report: Report) -> Generated:
        from savegen.build.memory import Memory
        from savegen.build.pipeline import prefabs

        memory = self._memory or Memory(self._key, self.project.paths)
        return prefabs(generated, self.layout, memory, report, self._provisional)

    @cached_property
    def _provisional(self) -> ProvisionalEntries:
        """The entries of the lock that were never committed."""
        from savegen.build.lock import ProvisionalEntries

        return ProvisionalEntries(self._shared_locks)

    def _shared_locks(self) -> list[Lock] | None:
        from savegen.cli._other_locks import shared_locks

        return shared_locks(self.config)

    def confirm_pass_1(self) -> None:
        """Record that the outputs of pass 1 match the current sources."""
        self._last_done = 3 if self.state.has_no_prefab else 1
        self._save(self.state.outputs)

    def confirm_passes_2_and_3_if_no_prefab(self, generated: Generated) -> None:
        """Record that passes 2 and 3 are up to date, if the game has no prefab."""
        later_files = cache.PASS_OF.keys() & cache.listing_of(self.config)
        if any(generated.model.prefabs) or later_files:
            return
        result = self._run_pass_2(generated, self.later_report)
        is_same = result.files.items() <= generated.files.items()
        if is_same and not self.later_report.failed:
            self._last_done = 3

    def _report_shadowed(self) -> None:
        """Report marked files that cannot be imported because another file has the same name."""
        from savegen.build.scan.faults import ShadowedFile

        for path, module in self._shadowed.items():
            data = self._read(path)
            if b"savegen" in data and not _silences_shadowing(path, data):
                other = self.project.paths[module]
                self.report.add(ShadowedFile(Span(path), module, other))

    def _report_unread(self, memory: Memory) -> None:
        """Report the marks in Python files of the project that are no sources of the game."""
        from savegen.build.incremental import exports
        from savegen.build.scan.unread import decorator_names

        self._mark_names = decorator_names(exports(memory))
        is_same = self._mark_names == self.state.mark_names
        known = self.state.trusted_unread(self._unread_stamps) if is_same else {}
        self._unread = {
            path: known.get(path) or (stamp, self._first_mark_in(path))
            for path, stamp in self._unread_stamps.items()
        }
        marked = {path: mark for path, (_, mark) in self._unread.items() if mark}
        if self.config.is_bare:
            from savegen.build.scan.unread import imported_files

            paths = imported_files(self.project)
            marked = {p: mark for p in paths if (mark := self._first_mark_in(p))}
        if marked:
            from savegen.cli._surroundings import unread_marks

            self.report.extend(unread_marks(self.config, marked))

    def _report_ignored(self, generated: Generated | None) -> None:
        """Report that git ignores `savegen.lock` or generated code."""
        if not self._git or not self._sources:
            return
        from savegen.cli._surroundings import ignored_outputs

        output = self.config.output
        outputs = {f"{output}/{name}" for name in cache.listing_of(self.config)}
        if generated is not None:
            outputs |= generated.files.keys() | generated.up_to_date
            if any(generated.model.prefabs):
                outputs |= self.files_of(2, 3)
        outputs = outputs or {self.layout.path("registry.py")}
        self.report.extend(ignored_outputs(self.config, outputs, [*self._sources]))

    def _first_mark_in(self, path: str) -> str:
        """Return the line, the mark and the name of the first mark in a file; "" without one."""
        from savegen.build.scan.unread import first_mark
        from savegen.build.source import SourceFile

        module = path.removesuffix(".py").replace("/", ".")
        file = SourceFile(path, module, self._read(path))
        mark = first_mark(file, self.project, self._mark_names)
        return " ".join(map(str, mark)) if mark else ""

    def _read(self, path: str) -> bytes:
        return self.content(path) or b""

    def outputs(self, generated: Generated, number: int) -> set[str]:
        """Return the paths of the files that pass 1 or 2 generates, changed or not."""
        if number == 1:
            return {LOCK_FILE, *generated.files, *generated.up_to_date}
        shared = {LOCK_FILE, self.layout.path("types.py")}
        return shared | (self.files_of(2) & generated.files.keys())

    def files_of(self, *passes: int) -> set[str]:
        """Return the paths of the files that only the given passes (2, 3) write."""
        output = self.config.output
        return {f"{output}/{name}" for name, n in cache.PASS_OF.items() if n in passes}

    def plan(
        self,
        generated: Generated,
        chosen: set[str] | None = None,
        tracked: bool = False,
        passes: int = 1,
    ) -> Plan:
        """Return the plan that writes the generated files of the first `passes`.

        The plan keeps the files of later passes. With `chosen` (source paths), it writes only
        the mixins of these sources and those that the registry needs. With `tracked`, it removes
        no file that git does not track.
        """
        from savegen.build.write import plan

        old_lock = None if self._ignores_lock else generated.old_lock
        refuse_lost_numbers(generated, old_lock, self.config, self._read)
        files = generated.files
        keep = set(generated.up_to_date)
        if chosen is not None:
            modules = generated.model.modules.values()
            others = (module for module in modules if module.path not in chosen)
            self._left_out = set(
                map(self.layout.mixins, filter(self._can_wait, others))
            )
            keep |= self._left_out
            files = {p: text for p, text in files.items() if p not in self._left_out}
        keep |= self._files_of_later_passes(generated, passes)
        if tracked:
            from savegen.cli._tracked import untracked_outputs

            keep |= untracked_outputs(self.config) - files.keys()
        remembered = {
            p: digest for p, (_, digest) in self.state.outputs.items() if digest
        }
        remembered.pop(LOCK_FILE, None)  # its content has been read and merged
        former = () if tracked else self._former_outputs
        complete = plan(
            self.config.root, self.config.output, files, remembered, keep, former
        )
        if not complete.edited:
            return complete
        # A file that equals the last commit, as after a checkout, was not edited by hand.
        from savegen.cli._tracked import as_committed

        return complete.without_edits(as_committed(self.config, complete.edited))

    def _files_of_later_passes(self, generated: Generated, passes: int) -> set[str]:
        """Return the files of later passes; none if the game has no prefab."""
        if passes == 1:
            return self.files_of(2, 3)
        if any(generated.model.prefabs):
            self._last_done = passes
            return self.files_of(3) if passes == 2 else set()
        self._last_done = 3
        return set()

    def _can_wait(self, module: SavedModule) -> bool:
        """Return whether the written mixins of a module suffice for the new registry."""
        from savegen.build.emit import defines_registry_names

        text = self._read(self.layout.mixins(module)).decode(errors="replace")
        return defines_registry_names(text, module)

    def keep_memory(self) -> None:
        """Save the results of reading the sources, although the run cannot write its files."""
        from savegen.build import memory

        with suppress(OSError):  # a read-only folder is allowed
            if self._memory is not None:
                memory.save(self.config.root, self._memory)

    def apply(self, plan: Plan) -> list[FileChange]:
        """Make the changes of the plan, and save the state of all files for the next run."""
        changes = self.write(plan)
        self._remember(plan)
        return changes

    def write(self, plan: Plan) -> list[FileChange]:
        """Make the changes of the plan, after which another session has to go on."""
        from savegen.build import write

        if self.write_error and plan.changes:
            raise self.write_error
        if plan.changes:
            written = ((step.path, step.new) for step in plan.steps)
            digests = {path: write.digest(new) for path, new in written if new}
            with suppress(OSError):  # the cache is optional
                cache.save_pending(self.config.root, digests)
        return write.apply(plan)

    def _remember(self, plan: Plan) -> None:
        new = {path: self.content(path) for path in plan.up_to_date}
        new |= {step.path: step.new for step in plan.steps}
        outputs = {
            path: stamped
            for path, stamped in self.state.outputs.items()
            if path not in new
            and (self._is_as_written(path) or cache.pass_of(self.config, path) > 1)
        }
        for path in self._left_out:
            _, digest = self.state.outputs.get(path, (cache.NEVER, ""))
            outputs[path] = (cache.NEVER, digest)
        self._save(outputs | self._stamped(new))

    def _stamped(self, files: Mapping[str, bytes | None]) -> cache.StampedFiles:
        """Return the stamps and digests of files that were just written."""
        from savegen.build.write import digest

        return {
            path: (stamp, digest(data))
            for path, data in files.items()
            if data is not None and (stamp := disk.stamp(self._path(path)))
        }

    def _save(self, outputs: cache.StampedFiles) -> None:
        from savegen.build import memory

        config, known_digest = self.config, self.project.known_digest
        self.keep_memory()
        # Without configuration, files beside the sources may change the result too.
        is_final = not (self._has_no_class or config.is_bare)
        self._as_written.clear()
        self.state = cache.State(
            self._key,
            self._started_ns,
            {p: (s, known_digest(p)) for p, s in self._sources.items()},
            outputs,
            cache.listing_of(config),
            repr(config),
            self._last_done if is_final else 0,
            (as_text(self.report), as_text(self.later_report)),
            self._loaded,
            self._unread,
            self._mark_names,
            self._git,
        )
        with suppress(OSError):
            cache.save(config.root, self.state)
            if self._memory is not None:
                paths = self.project.paths
                memory.save_sources(config.root, self._memory, paths, self._sources)
        self._memory = None  # it is saved only once

    def confirm_pass_3(self, loaded: Iterable[str]) -> None:
        """Record that pass 3 is up to date until one of the `loaded` files changes."""
        self._last_done = 3
        others = (path for path in loaded if path not in self._sources)
        stamps = ((path, disk.stamp(self._path(path))) for path in others)
        self._loaded = {path: stamp for path, stamp in stamps if stamp}
        outputs = {path: self.content(path) for path in self.files_of(3)}
        self._save(self.state.outputs | self._stamped(outputs))

    def content(self, path: str) -> bytes | None:
        """Return the bytes of a file of the project; `None` if it cannot be read."""
        try:
            return disk.read(self._path(path))
        except OSError:
            return None

    def has_changed(self, path: str) -> bool:
        """Return whether a source has changed since this session began."""
        stamp = self._sources.get(path)
        return stamp is not None and stamp != disk.stamp(self._path(path))

    @property
    def import_roots(self) -> tuple[str, ...]:
        """The absolute folders that must be in `sys.path` to import the game."""
        config = self.config
        above = "/".join(".." for _ in filter(None, config.package.split(".")))
        roots = [above if above and root == "." else root for root in self._roots]
        if not above and not any(_is_in(config.output, root) for root in roots):
            roots.append(".")
        return tuple(os.path.normpath(self._path(root)) for root in roots)

    def _is_as_written(self, path: str) -> bool:
        """Return whether an output has not changed since savegen wrote it."""
        if path not in self._as_written:
            stamp, _ = self.state.outputs.get(path, (None, ""))
            is_same = stamp is not None and disk.stamp(self._path(path)) == stamp
            self._as_written[path] = is_same
        return self._as_written[path]

    def _path(self, path: str) -> str:
        return disk.join(self.config.root, path)


def _is_in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _silences_shadowing(path: str, data: bytes) -> bool:
    """Return whether line 1 of a shadowed file has an ignore comment for this finding."""
    from savegen.build.scan.faults import ShadowedFile
    from savegen.build.scan.ignore_comments import ignore_comments
    from savegen.build.source import SourceFile, Undecodable

    try:
        comments = ignore_comments(SourceFile(path, "", data))
    except Undecodable:
        return False
    return any(c.code == ShadowedFile.code and 1 in c.lines for c in comments)
