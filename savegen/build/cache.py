"""Store the file stamps of the last successful run, to find changed files without reading them.

If the stored file is missing, a build only takes longer. It is JSON, because the standard
library's `json` imports faster than msgspec. A manipulated file can cause wrong results, but
cannot run code.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from typing import Any, NamedTuple

from savegen import disk
from savegen.build.config import VERSION, Config

_STATE = "state"
_PENDING = "pending"  # digests of the files that a run is writing; removed at its end
FILES = _STATE, _PENDING
# A stamp that matches no file, so that the file is read again.
NEVER = disk.Stamp(0, 0, 0, 0)

# The files that passes 2 and 3 write into the output folder, and their pass.
PASS_OF = {
    "prefabs.py": 2,
    "prefab_info.py": 2,
    "link_prefabs.py": 2,
    "prefab_info.json": 3,
    "prefab_sources.txt": 3,
    "level.schema.json": 3,
    "template.lvl": 3,
}

StampedFiles = dict[str, tuple[disk.Stamp, str]]
"""By path: the stamp of a file, and its digest, or "" if the file was not read."""


class State(NamedTuple):
    """The sources, outputs and findings at the end of the last successful run."""

    key: str  # identifies savegen and the settings; see the function `key`
    started_ns: int = 0  # when the run began
    sources: StampedFiles = {}
    outputs: StampedFiles = {}
    listing: list[str] = []  # all files in the output folder
    settings: str = ""  # the `repr` of the whole configuration
    reached: int = 0  # the last pass that is up to date
    findings: tuple[str, str] = ("", "")  # of pass 1, and of passes 2 and 3
    loaded: dict[str, disk.Stamp] = {}  # other files that the game loads in pass 3
    # Python files of the project that are no sources; the text describes the first mark in it
    unread: StampedFiles = {}
    mark_names: list[str] = []  # the decorators that are marks
    git: str = ""  # the stamps of the files that say what git ignores

    @property
    def has_no_prefab(self) -> bool:
        """Whether passes 2 and 3 had nothing to write and nothing to report."""
        is_complete = self.reached == 3 and not self.findings[1]
        return is_complete and PASS_OF.keys().isdisjoint(self.listing)

    def is_intact(self, config: Config, passes: int) -> bool:
        """Return whether no output of the first `passes` changed, and no file was added."""
        if not self.outputs or self.listing != listing_of(config):
            return False
        expected = {
            path: stamp
            for path, (stamp, _) in self.outputs.items()
            if passes == 3 or pass_of(config, path) <= passes
        }
        expected |= self.loaded if passes == 3 else {}
        folder = disk.join(config.root, "")
        return all(
            disk.stamp(folder + path) == stamp for path, stamp in expected.items()
        )

    def trusted_digests(self, stamps: dict[str, disk.Stamp]) -> dict[str, str]:
        """Return the stored digests, by path, of the sources that still have these stamps."""
        trusted = self._trusted(self.sources, stamps)
        return {path: digest for path, (_, digest) in trusted.items() if digest}

    def trusted_unread(self, stamps: dict[str, disk.Stamp]) -> StampedFiles:
        """Return the stored results for the unread files that still have these stamps."""
        return self._trusted(self.unread, stamps)

    def _trusted(
        self, files: StampedFiles, stamps: dict[str, disk.Stamp]
    ) -> StampedFiles:
        latest = self.started_ns - disk.RACY_NS
        return {
            path: (stamp, text)
            for path, (stamp, text) in files.items()
            if stamps.get(path) == stamp and stamp.ctime_ns < latest
        }

    def of_outputs(self, key: str) -> State:
        """Return a state with the digests of the outputs only, for a run that reads all files."""
        outputs = {path: (NEVER, digest) for path, (_, digest) in self.outputs.items()}
        return State(key, outputs=outputs)


def load(root: str, key: str) -> State:
    """Return the state of the last run; if `key` differs, only the digests of its outputs."""
    state = _load(root)
    if state is None:
        return State(key)
    state = state._replace(outputs=state.outputs | _interrupted(root))
    return state if state.key == key else state.of_outputs(key)


def save(root: str, state: State) -> None:
    """Write the state for the next run. Raises `OSError`."""
    data = json.dumps(state, separators=(",", ":")).encode()
    folder = disk.cache_folder(root)
    disk.write_checked(disk.join(folder, _STATE), data)
    with suppress(FileNotFoundError):
        disk.remove(disk.join(folder, _PENDING))


def save_pending(root: str, digests: dict[str, str]) -> None:
    """Write the digests, by path, of files that are about to be written.

    If the run ends before `save`, the next `load` recognises these files. Raises `OSError`.
    """
    data = json.dumps(digests).encode()
    disk.write(disk.join(disk.cache_folder(root), _PENDING), data)


def _interrupted(root: str) -> StampedFiles:
    """Return the outputs that a run wrote before it was interrupted."""
    outputs: StampedFiles = {}
    with suppress(OSError, ValueError, AttributeError):
        pending = json.loads(disk.read(disk.join(root, disk.CACHE, _PENDING)))
        from savegen.build.write import digest

        for path, expected in pending.items():
            with suppress(OSError):
                if digest(disk.read(disk.join(root, path))) == expected:
                    outputs[path] = (NEVER, expected)
    return outputs


def _load(root: str) -> State | None:
    try:
        data = disk.read_checked(disk.join(root, disk.CACHE, _STATE))
        state = State(*json.loads(data))
        return state._replace(
            sources=_stamped(state.sources),
            outputs=_stamped(state.outputs),
            findings=(state.findings[0], state.findings[1]),
            loaded={path: disk.Stamp(*stamp) for path, stamp in state.loaded.items()},
            unread=_stamped(state.unread),
        )
    except (
        OSError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
    ):
        return None


def _stamped(files: Any) -> StampedFiles:
    return {
        path: (disk.Stamp(*stamp), digest) for path, (stamp, digest) in files.items()
    }


# Whether anything has changed


class Comparison(NamedTuple):
    """The state of the last run, and the sources as they are now."""

    state: State
    started_ns: int  # before the sources were searched
    sources: dict[str, disk.Stamp]
    unread: dict[str, disk.Stamp]  # Python files that are no sources
    git: str  # the stamps of the files that say what git ignores; "" without git

    def findings_if_unchanged(self, config: Config, passes: int) -> list[str] | None:
        """Return the findings that the last run stored for the first `passes`.

        Return `None` if any file has changed since that run, or if one of the passes did not run.
        """
        state, sources = self.state, self.sources
        if state.reached < passes or state.settings != repr(config):
            return None
        if state.git != self.git:
            return None
        # A source that changed just before the run may have changed again while the run read it.
        latest = max((stamp.ctime_ns for stamp in sources.values()), default=0)
        if latest >= state.started_ns - disk.RACY_NS:
            return None
        if sources != {path: stamp for path, (stamp, _) in state.sources.items()}:
            return None
        if not state.is_intact(config, passes) or self._has_new_marks(config.root):
            return None
        findings = state.findings if passes > 1 else state.findings[:1]
        return [*filter(None, findings)]

    def _has_new_marks(self, root: str) -> bool:
        """Return whether the marks in files that are no sources may differ from the last run."""
        before = self.state.unread
        same = self.state.trusted_unread(self.unread)
        if any(mark for path, (_, mark) in before.items() if path not in same):
            return True
        changed = self.unread.keys() - same.keys()
        if len(changed) > _MAX_CHANGED:
            return True
        return any(self._may_be_marked(disk.join(root, path)) for path in changed)

    def _may_be_marked(self, path: str) -> bool:
        try:
            data = disk.read(path)
        except OSError:
            return False
        if b"@" not in data:
            return False
        words = ("savegen", "\0", *self.state.mark_names)  # a NUL may be part of UTF-16
        return any(word.encode() in data for word in words)


# Files that are no sources: if more of them changed, a run reads all files.
_MAX_CHANGED = 100


def compare(config: Config) -> Comparison:
    """Compare the sources with the last run. Raises `SavegenError` if one does not exist."""
    started_ns = time.time_ns()
    try:
        sources = sources_of(config)
    except FileNotFoundError as error:
        from savegen.findings import SavegenError

        raise SavegenError(f"the source {error.filename} does not exist") from None
    state = load(config.root, key(config))
    return Comparison(state, started_ns, sources, unread_of(config), git_stamps(config))


def git_stamps(config: Config) -> str:
    """Return the stamps of the files that say what git ignores; "" outside a repository.

    The settings of the user, which are outside the repository, are left out.
    """
    folder = disk.join(config.root, disk.parent(config.output))
    folders = [folder]
    while not disk.exists(disk.join(folder, ".git")):
        if disk.parent(folder) == folder:
            return ""
        folder = disk.parent(folder)
        folders.append(folder)
    files = [disk.join(each, ".gitignore") for each in folders]
    files += [disk.join(folder, ".git", name) for name in ("config", "info/exclude")]
    return " ".join(map(str, map(_numbers, files)))


def _numbers(path: str) -> tuple[int, ...]:
    return tuple(disk.stamp(path) or ())


def sources_of(config: Config) -> dict[str, disk.Stamp]:
    """Return the stamps of the game's source files, by path.

    Raises `FileNotFoundError` with the name of a source that does not exist.
    """
    excluded = (*config.exclude, config.output)
    return disk.find_sources(config.root, config.source, excluded)


def unread_of(config: Config) -> dict[str, disk.Stamp]:
    """Return the stamps of the project's Python files that are neither read nor excluded.

    Without configuration the project has no bounds, so the result is empty.
    """
    if config.is_bare:
        return {}
    excluded = (*config.exclude, config.output)
    return disk.find_unread(config.root, config.source, excluded, _has_table)


def _has_table(pyproject: bytes) -> bool:
    return b"tool.savegen" in pyproject


def source_folders_of(config: Config) -> list[str]:
    """Return the folders in which the game's source files are, or can be added."""
    return disk.source_folders(
        config.root, config.source, (*config.exclude, config.output)
    )


def listing_of(config: Config) -> list[str]:
    """Return all files in the output folder."""
    return sorted(disk.files_below(disk.join(config.root, config.output)))


def pass_of(config: Config, path: str) -> int:
    """Return the pass that an output belongs to."""
    folder, _, name = path.rpartition("/")
    return PASS_OF.get(name, 1) if folder == config.output else 1


# The key of stored results


@cache
def tool() -> str:
    """Return a text that identifies the installed savegen and the version of Python."""
    python = "%d.%d" % sys.version_info[:2]
    return f"{VERSION} {python} {disk.stamps_below(_own_folders())}"


def key(config: Config) -> str:
    """Return a text that identifies savegen and the settings on which stored results depend.

    `root` and `exclude` are left out: they decide only which files are found, and the list of
    files is compared separately. `format`, `python` and `required_version` are left out because
    no stored result depends on them.
    """
    relevant = config._replace(
        root="", exclude=(), format="", python="", required_version=""
    )
    text = f"{tool()} {relevant!r}"
    return text if config.style is None else f"{text} {_black()}"


def _black() -> str:
    """Return a text that identifies the installed black; "" if it is not installed."""
    spec = PathFinder.find_spec("black")  # reading the package's version is slower
    path = spec and spec.origin
    return f"{path!r} {disk.stamp(path)}" if path else ""


def _own_folders() -> list[str]:
    """Return the folders of savegen's own code; a checkout has a second one for templates."""
    package = disk.parent(disk.parent(__file__))
    templates = disk.join(disk.parent(package), "templates")
    is_checkout = disk.exists(disk.join(templates, "registry.jinja"))
    return [package, templates] if is_checkout else [package]
