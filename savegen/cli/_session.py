"""One run over a project: what is on disk goes in, and comes out as a plan or as changes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from savegen import disk
from savegen.build import cache
from savegen.cli._lock_file import LOCK_FILE, read_lock
from savegen.cli._numbers import refuse_other_numbers
from savegen.build.config import Config
from savegen.findings import Report, SavegenError, Span, as_text
from savegen.build.source import Project

if TYPE_CHECKING:
    from savegen.build.emit import Layout
    from savegen.build.lock import Lock, Provisional
    from savegen.build.memory import Memory
    from savegen.build.model import SavedModule
    from savegen.build.pipeline import Generated
    from savegen.build.resolve import Settings
    from savegen.build.write import Change, Plan


class Session:
    """The files, the settings and the cache of one run."""

    def __init__(
        self,
        config: Config,
        use_cache: bool = True,
        strict: bool = False,
    ) -> None:
        """Find the sources. Raises `SavegenError` if one is not there."""
        self.config = config
        # Why nothing can be written: that matters only if there is something to write.
        self.refused: OSError | None = None
        self._strict = strict
        self.report = Report()  # of pass 1
        self.later = Report()  # of the other passes
        self._reached = 1  # the last pass that has nothing to do when all is written
        self._started = time.time_ns()
        self._found = _sources(config)
        self._key = cache.key(config)
        state = cache.load(config.root, self._key)
        self.state = state if use_cache else state.of_outputs(self._key)
        self._use_cache = use_cache
        named = disk.modules(config.root, self._found, config.source, config.package)
        self.project = Project(
            config.root,
            named.paths,
            self.state.trusted_digests(self._found),
            config.output if config.is_bare else None,
        )
        self._shadowed = named.shadowed
        self._roots = named.roots
        self._memory: Memory | None = None
        self._is_empty = False  # no class is marked, and each run is to say so
        self._left_out: set[str] = set()  # outputs that this run is not to write
        # What the game loads beside its sources.
        self._watched: dict[str, disk.Stamp] = {}
        self._lock: Lock | None = None  # as it was read; None if it does not count
        self._provisional: Provisional | None = None  # entries that nobody needs

    @property
    def findings(self) -> Report:
        """What there is to tell of all passes."""
        return Report([*self.report, *self.later])

    @property
    def failed(self) -> bool:
        return self.report.failed or self.later.failed

    def chosen(self, paths: Iterable[str]) -> set[str] | None:
        """Return the sources that PATHS on the command line name; `None` for all.

        Raises `SavegenError` for a path that names none.
        """
        if self.config.is_bare:  # there they tell what the game is
            from savegen.build.config.games import refuse_projects_in

            for folder in filter(disk.is_folder, paths):
                refuse_projects_in(folder, self.config.root, self._found)
            return None
        chosen = {source for path in paths for source in self._named(path)}
        return chosen or None

    def _named(self, path: str) -> list[str]:
        place = disk.relative(disk.absolute(path), self.config.root)
        below = "" if place == "." else f"{place}/"
        found = [p for p in self._found if p == place or p.startswith(below)]
        found = found or self._linked(path)
        if not found:
            reason = "is not one of the game's sources"
            raise SavegenError(
                f"{path} {reason if disk.exists(path) else 'does not exist'}"
            )
        return found

    def _linked(self, path: str) -> list[str]:
        """Return the sources that a path names by way of symbolic links."""
        place = disk.resolve(path)
        below = disk.join(place, "")
        if disk.resolve(self.config.root).startswith(below):
            return []  # a folder around the project
        real = {p: disk.resolve(self._path(p)) for p in self._found}
        return [p for p in real if real[p] == place or real[p].startswith(below)]

    @property
    def layout(self) -> Layout:
        from savegen.build.emit import Layout

        config = self.config
        return Layout(
            config.output, config.source, self._roots, config.package, config.style
        )

    @property
    def _settings(self) -> Settings:
        from savegen.build.resolve import Settings

        config = self.config
        return Settings(
            dict(config.codecs),
            dict(config.bases),
            config.transient,
            config.presets,
            self.layout.types_import,
            config.save_version,
        )

    def generate(self, whole: bool = True, anew: bool = False) -> Generated:
        """Run pass 1 in memory; not the `whole` of it where nothing would be written.

        With `anew` it is numbered as if there had never been a lock.
        """
        from savegen.build import memory
        from savegen.build.lock import Lock
        from savegen.build.pipeline import components

        self._report_shadowed()
        self._memory = (
            memory.load(self.config.root, self._key)
            if self._use_cache
            else memory.Memory(self._key)
        )
        generated = components(
            self.project,
            Lock if anew else self._read_lock,
            self.layout,
            self._memory,
            self.report,
            not whole and self.state.is_intact(self.config, 1),
            self._settings,
            self._provisional_entries(),
            self._as_written,
        )
        if self._strict:
            self._harden()
        self._is_empty = not (generated.settled or any(generated.model.classes))
        return generated

    def add_prefabs(self, generated: Generated) -> bool:
        """Run pass 2 in memory and add what it makes; tell whether it found no error."""
        found = self._prefabs(generated, self.later)
        if self._strict:
            self.later.harden()
        if self.later.failed:
            self._memory = None  # it takes for written what may not be
            return False
        generated.model, generated.lock = found.model, found.lock
        generated.files |= found.files
        return True

    def _prefabs(self, generated: Generated, report: Report) -> Generated:
        from savegen.build.memory import Memory
        from savegen.build.pipeline import prefabs

        memory = self._memory or Memory(self._key)
        return prefabs(
            generated.model,
            generated.lock,
            self.layout,
            memory,
            report,
            generated.silencers,
            self._provisional_entries(),
        )

    def _provisional_entries(self) -> Provisional:
        from savegen.cli._committed import committed
        from savegen.build.lock import Provisional

        if self._provisional is None:
            self._provisional = Provisional(lambda: committed(self.config))
        return self._provisional

    def _read_lock(self) -> Lock:
        self._lock = read_lock(self.config.root)
        return self._lock

    def _harden(self) -> None:
        failed = self.report.failed
        self.report.harden()
        if self.report.failed and not failed:
            self._memory = None  # it takes for written what will not be

    def confirm(self) -> None:
        """Record that the outputs of pass 1 are up to date with the sources as they are now."""
        self._reached = 3 if self.state.has_no_prefab else 1
        self._save(self.state.outputs)

    def look_ahead(self, generated: Generated) -> None:
        """Find out whether there is nothing to do after pass 1, as there is no prefab."""
        others = cache.PASS_OF.keys() & cache.listing_of(self.config)
        if any(generated.model.prefabs) or others:
            return
        found = self._prefabs(generated, self.later)
        same = found.files.items() <= generated.files.items()
        if same and found.lock == generated.lock and not self.later.failed:
            self._reached = 3

    def _report_shadowed(self) -> None:
        """Tell of files with marks that no import reaches."""
        from savegen.build.scan.faults import ShadowedFile

        for path, module in self._shadowed.items():
            data = self._held(path)
            if b"savegen" in data and not _silences_that(path, data):
                other = self.project.paths[module]
                self.report.add(ShadowedFile(Span(path), module, other))

    def _held(self, path: str) -> bytes:
        return self.held(path) or b""

    def outputs(self, generated: Generated) -> set[str]:
        """Return the paths of all files that a run answers for."""
        return {LOCK_FILE, *generated.files, *generated.same}

    def _pass_of(self, path: str) -> int:
        return cache.pass_of(self.config, path)

    def of_passes(self, *passes: int) -> set[str]:
        """Return the paths that some of the passes after the first write."""
        output = self.config.output
        return {f"{output}/{name}" for name, n in cache.PASS_OF.items() if n in passes}

    def plan(
        self,
        generated: Generated,
        chosen: set[str] | None = None,
        tracked: bool = False,
        passes: int = 1,
    ) -> Plan:
        """Compare what so many passes have generated with what is on disk.

        The files of the passes after them stay. Of the mixins only those for the source
        paths in `chosen` are to be written, and those that the registry would not find. With
        `tracked` nothing is removed that git does not track.
        """
        from savegen.build.write import plan

        refuse_other_numbers(generated, self._lock, self.config, self._held)
        files = {LOCK_FILE: generated.lock.text().encode(), **generated.files}
        keep = set(generated.same)
        if chosen is not None:
            modules = generated.model.modules.values()
            others = (module for module in modules if module.path not in chosen)
            self._left_out = set(
                map(self.layout.mixins, filter(self._can_wait, others))
            )
            keep |= self._left_out
            files = {p: text for p, text in files.items() if p not in self._left_out}
        keep |= self._of_others(generated, passes)
        if tracked:
            from savegen.cli._tracked import untracked_outputs

            keep |= untracked_outputs(self.config) - files.keys()
        remembered = {p: known for p, (_, known) in self.state.outputs.items() if known}
        remembered.pop(LOCK_FILE, None)  # whatever it held has been taken in
        found = plan(self.config.root, self.config.output, files, remembered, keep)
        return self._without_edits_of_others(found)

    def _without_edits_of_others(self, found: Plan) -> Plan:
        """Leave what is as it was committed: git has it, wherever it was changed."""
        if not found.edited:
            return found
        from savegen.cli._tracked import as_committed

        return found.without_edits(as_committed(self.config, found.edited))

    def _of_others(self, generated: Generated, passes: int) -> set[str]:
        """Return the files of the passes after these; without any prefab there are none."""
        if passes == 1:
            return self.of_passes(2, 3)
        if any(generated.model.prefabs):
            self._reached = passes
            return self.of_passes(3) if passes == 2 else set()
        self._reached = 3
        return set()

    def _can_wait(self, module: SavedModule) -> bool:
        from savegen.build.emit import serves

        text = self._held(self.layout.mixins(module)).decode(errors="replace")
        return serves(text, module)

    def keep_memory(self) -> None:
        """Remember what was read although it cannot be written yet."""
        from savegen.build import memory

        with suppress(OSError):  # a folder that cannot be written to is no fault
            if self._memory is not None:
                memory.save(self.config.root, self._memory)

    def apply(self, plan: Plan) -> list[Change]:
        """Write what the plan says, and remember how everything is now."""
        from savegen.build import write

        if self.refused and plan.changes:
            raise self.refused
        changes = write.apply(plan)
        self._remember(plan)
        return changes

    def _remember(self, plan: Plan) -> None:
        new = {step.path: step.new for step in plan.steps}
        touched = (path for path in plan.up_to_date if not self._as_written(path))
        new |= {path: self._held(path) for path in touched}
        outputs = {
            path: known
            for path, known in self.state.outputs.items()
            if path not in new and (self._as_written(path) or self._pass_of(path) > 1)
        }
        for path in self._left_out:
            _, digest = self.state.outputs.get(path, (cache.NEVER, ""))
            outputs[path] = (cache.NEVER, digest)
        self._save(outputs | self._stamped(new))

    def _stamped(self, files: Mapping[str, bytes | None]) -> cache.Stamped:
        """Return the stamps and digests of files that have just been written."""
        from savegen.build.write import digest

        return {
            path: (stamp, digest(data))
            for path, data in files.items()
            if data is not None and (stamp := disk.stamp(self._path(path)))
        }

    def _save(self, outputs: cache.Stamped) -> None:
        project, config = self.project, self.config
        self.keep_memory()
        # Of a bare file, what lies beside the sources may change too.
        is_final = not (self._is_empty or config.is_bare)
        sources = {p: (s, project.known_digest(p)) for p, s in self._found.items()}
        self.state = cache.State(
            self._key,
            self._started,
            sources,
            outputs,
            cache.listing_of(config),
            repr(config),
            self._reached if is_final else 0,
            (as_text(self.report), as_text(self.later)),
            self._watched,
        )
        with suppress(OSError):
            cache.save(config.root, self.state)
            self._tell_sources()
        self._memory = None  # once is enough

    def _tell_sources(self) -> None:
        from savegen.build import memory

        if self._memory is not None:
            memory.tell_sources(self.config.root, self._memory)

    def complete(self, loaded: Iterable[str]) -> None:
        """Remember that pass 3 has nothing to do while the files stay that it has loaded."""
        self._reached = 3
        others = (path for path in loaded if path not in self._found)
        stamps = ((path, disk.stamp(self._path(path))) for path in others)
        self._watched = {path: stamp for path, stamp in stamps if stamp}
        now = {path: self.held(path) for path in self.of_passes(3)}
        self._save(self.state.outputs | self._stamped(now))

    def held(self, path: str) -> bytes | None:
        """Return what a file of the project holds; `None` if it cannot be read."""
        try:
            return disk.read(self._path(path))
        except OSError:
            return None

    def has_changed(self, path: str) -> bool:
        """Tell whether a source is not as it was when this session began."""
        known = self._found.get(path)
        return known is not None and known != disk.stamp(self._path(path))

    @property
    def import_roots(self) -> tuple[str, ...]:
        """Return the folders that Python's path must hold to import the game, absolute."""
        config = self.config
        above = "/".join(".." for _ in filter(None, config.package.split(".")))
        roots = [above if above and root == "." else root for root in self._roots]
        if not above and not any(_is_in(config.output, root) for root in roots):
            roots.append(".")
        return tuple(os.path.normpath(self._path(root)) for root in roots)

    def _as_written(self, path: str) -> bool:
        known = self.state.outputs.get(path)
        return known is not None and disk.stamp(self._path(path)) == known[0]

    def _path(self, path: str) -> str:
        return disk.join(self.config.root, path)


def _is_in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _silences_that(path: str, data: bytes) -> bool:
    """Tell whether a file that no import reaches says itself that it is not to be told."""
    from savegen.build.scan.faults import ShadowedFile
    from savegen.build.scan.silencers import silencers
    from savegen.build.source import SourceFile, Undecodable

    try:
        found = silencers(SourceFile(path, "", data))
    except Undecodable:
        return False
    return any(each.code == ShadowedFile.code and 1 in each.lines for each in found)


def _sources(config: Config) -> dict[str, disk.Stamp]:
    try:
        return cache.sources_of(config)
    except FileNotFoundError as error:
        raise SavegenError(f"the source {error.filename} does not exist") from None
