"""Report what is wrong around the sources: marks in other files, and outputs that git ignores."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from savegen import disk
from savegen.build.config import Config
from savegen.build.scan.faults import UnreadFile
from savegen.cli._lock_file import LOCK_FILE
from savegen.cli._tracked import ignored
from savegen.findings import Finding, Severity, Span

# Sources that git is asked about: if it ignores them all, it ignores the game.
_ASKED = 20


class IgnoredByGit(Finding, frozen=True):
    """Git ignores savegen.lock or generated code, so a commit does not contain it."""

    code = "SG135"
    severity = Severity.WARNING
    MESSAGE = "git ignores {what} because of the pattern `{pattern}`"

    what: str
    pattern: str
    has_lock: bool

    @property
    def help(self) -> str:
        if self.has_lock:
            is_alone = self.what == f"`{LOCK_FILE}`"
            remedy = f", or add `!{LOCK_FILE}` below it" if is_alone else ""
            return (
                f"change the pattern{remedy}: another clone would give your classes other"
                " numbers, and could not load your saves"
            )
        return (
            "change the pattern, so that clones have this code; if you do not want to commit"
            f" it, write `# savegen: ignore[{self.code}]` in the line above the pattern"
        )


def unread_marks(config: Config, marks: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each folder or file with marks that is no source.

    `marks` has the first mark of each file: its line, column, text and name. Files that git
    ignores and links do not count.
    """
    others = ignored(config, marks)
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(marks.keys() - others.keys()):
        status = disk.status(disk.join(config.root, path))
        if status and status.kind == "file":
            places[_place(config, path)].append(path)
    for place, (path, *more) in places.items():
        line, column, mark, name = marks[path].split(" ")
        end = int(column) + len(name)
        span = Span(path, int(line), int(column), int(line), end)
        command = _command(config, (path, *more)) if config.is_bare else ""
        yield UnreadFile(span, mark, name, place, len(more), command)


def _place(config: Config, path: str) -> str:
    """Return the outermost folder around a file that contains no source, or the file itself."""
    parts = path.split("/")
    for count in range(1, len(parts)):
        place = "/".join(parts[:count])
        if not any(f"{source}/".startswith(f"{place}/") for source in config.source):
            return place
    return "." if config.is_bare else path


def _command(config: Config, paths: Collection[str]) -> str:
    full = (disk.join(config.root, name) for name in (*config.source, *paths))
    shown = (disk.relative(path, disk.absolute("")) for path in full)
    return shlex.join(("savegen", "build", *shown))


def ignored_outputs(
    config: Config, outputs: Collection[str], sources: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding for each pattern by which git ignores `savegen.lock` or other outputs.

    There is none if git ignores the `sources` of the game, too.
    """
    some = {*sources[:_ASKED]}
    paths = ignored(config, {*outputs, LOCK_FILE, *some})
    if paths.keys() >= some:
        return
    paths = {path: each for path, each in paths.items() if path not in some}
    groups: defaultdict[tuple[str, int, str], list[str]] = defaultdict(list)
    for path in sorted(paths):
        groups[paths[path]].append(path)
    for (file, line, pattern), group in groups.items():
        if not _is_silenced(config, file, line):
            what = _enumeration(config, group, len({*outputs} - {LOCK_FILE}))
            span = Span(file, line, 1, line, len(pattern) + 1)
            yield IgnoredByGit(span, what, pattern, LOCK_FILE in group)


def _enumeration(config: Config, group: list[str], count: int) -> str:
    """Return the names of ignored files; `count` is the number of generated files."""
    others = [path for path in group if path != LOCK_FILE]
    names = [f"`{LOCK_FILE}`"] if LOCK_FILE in group else []
    if len(others) == count:
        names.append(f"the generated code in `{config.output}`")
    elif others:
        more = f" and {len(others) - 1} other generated files" if others[1:] else ""
        names.append(f"`{others[0]}`{more}")
    return " and ".join(names)


def _is_silenced(config: Config, file: str, line: int) -> bool:
    """Return whether the line above a pattern has an ignore comment."""
    with suppress(OSError):
        lines = disk.read(disk.join(config.root, file)).decode("utf-8", "replace")
        above = lines.split("\n")[line - 2 : line - 1]
        return any(f"savegen: ignore[{IgnoredByGit.code}]" in text for text in above)
    return False
