"""`savegen watch`: build whenever a file of the game changes.

Builds run in this process, because a child process would spend far longer on imports than on
building. After an event, the stamps of all files are compared with those that the last build saw
or wrote, so that a build's own output does not start another build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from time import perf_counter, sleep, time_ns
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.build import cache, process
from savegen.build.config import PYPROJECT
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.build import Options, build
from savegen.findings import Finding, Report, Severity

if TYPE_CHECKING:
    from savegen.build.source import Project

# In milliseconds. A build begins when nothing has changed for one step.
_STEP = 50
_LONGEST_WAIT = 1_600
_MAX_RESTARTS = 3  # of a command, because of changes of the same files while it runs
# The time from the start of a watch until the files are compared once without an event, because
# changes before the start caused none.
_IDLE = 500


@click.command()
@option.paths
@click.option(
    "--then",
    metavar="COMMAND",
    default="",
    help="Run COMMAND in the shell after each successful build. The next change ends it.",
)
@option.no_wire
@option.timeout
@option.strict
@option.common
@click.pass_obj
def command(
    console: Console, paths: tuple[str, ...], then: str, no_wire: bool, seconds: int
) -> int:
    """Build now, and whenever a file of the game changes, until you press Ctrl-C.

    Each build does what `savegen build` does, and prints one line. Errors are printed each
    time, warnings only if they are new. savegen watches the sources, the generated files,
    savegen.lock and pyproject.toml.

    If a file changes while COMMAND runs, savegen ends COMMAND before it builds. If COMMAND
    itself changes a file, as a formatter does, savegen builds, but does not run COMMAND again.
    COMMAND gets no input.

    \b
    Examples:
      savegen watch
      savegen watch --then "pytest -q"
    """
    options = Options(paths, not no_wire, seconds)
    watch = _Watch(_BuildConsole(console), options, then)
    try:
        with process.ended_by_signals():
            watch.run()
    except KeyboardInterrupt:
        console.note("stopped")
    finally:
        watch.end_command()
    return 0


class _BuildConsole(Console):
    """Prints the findings of builds, but keeps their result, which becomes one line."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        vars(self).update(vars(console))
        self.result = ""
        self.errors = 0
        self._last_findings: set[tuple[str, str, str]] = set()

    def begin(self) -> None:
        self.result, self.errors = "", 0

    def status(self, text: str) -> None:
        self.result = text  # the summary comes last

    def line(self, text: str) -> None:
        super().status(text)

    def findings(self, report: Report, project: Project) -> None:
        """Print the errors, and the findings that the last build did not have."""
        self.errors = sum(map(_is_error, report))
        new = Report(
            f for f in report if _is_error(f) or _key(f) not in self._last_findings
        )
        self._last_findings = {_key(finding) for finding in report}
        super().findings(new, project)


def _is_error(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, finding.span.path, finding.message


class _Watch:
    """Builds at every change of a file that a build reads or writes."""

    def __init__(self, console: _BuildConsole, options: Options, then: str) -> None:
        """Raise `SavegenError` if the configuration is wrong; later this is only printed."""
        self._console = console
        self._options = options
        self._then = then
        self._running: process.Background | None = None
        # As the command left them when it ended by itself
        self._left: dict[str, disk.Stamp | None] = {}
        self._ending: list[str] = []  # the files whose change ended the last command
        self._restarts = 0  # in succession, because of changes of these files
        self._config = console.config(options.paths)
        # As the last build read or wrote them; None: the file did not exist.
        self._last_stamps: dict[str, disk.Stamp | None] = {}

    def run(self) -> None:
        """Build, then build at every change. Raises `KeyboardInterrupt`."""
        self._build(f"watching {', '.join(self._config.source)}", self._exit_code)
        while True:
            folders = self._folders()
            for _ in _events(folders):
                if changed := self._changed():
                    reason = f"{_enumeration(changed)} changed"
                    runs = not self._is_by_command(changed)
                    self._build(reason, self._exit_code_or_failure, runs)
                if self._folders() != folders:
                    break

    def end_command(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running = None

    def _is_by_command(self, changed: list[str]) -> bool:
        """Return whether the command changed these files, so that it must not run again."""
        if self._running is None:
            return False
        if self._running.has_ended(_STEP * 4 / 1000):  # a formatter writes last
            self._restarts = 0
            now = self._stamps_of(changed)
            return all(now[path] == self._left.get(path) for path in changed)
        # Who changes a file while the command runs is unknown, until it happens each time.
        self._restarts = self._restarts + 1 if changed == self._ending else 1
        self._ending = changed
        return self._restarts > _MAX_RESTARTS

    def _note_left(self) -> None:
        self._left = self._stamps()

    def _build(self, reason: str, build: Callable[[], int], runs: bool = True) -> None:
        """Build, and run the command after a success; without `runs`, leave it as it is."""
        if runs:
            self.end_command()
        self._console.begin()
        start, started_ns = perf_counter(), time_ns()
        code = build()
        self._remember(started_ns)
        result = self._result(code)
        self._console.line(f"{reason}: {result} ({perf_counter() - start:.2f} s)")
        if self._then and code == 0 and runs:
            self._running = process.Background(
                self._then, self._config.root, self._note_left
            )

    def _exit_code(self) -> int:
        """Build, and return the exit code."""
        self._last_stamps = self._stamps()
        self._config = self._console.config(self._options.paths)
        self._last_stamps = self._stamps()
        try:
            return build(self._console, self._options, "watch")
        except click.exceptions.Exit as end:
            return end.exit_code

    def _exit_code_or_failure(self) -> int:
        """Build, but print what goes wrong instead of raising it."""
        try:
            return self._exit_code()
        except Exception as error:
            # Such as that of a file which vanished while a branch changed
            from savegen.cli import report_failure

            return report_failure(error, self._console)

    def _result(self, code: int) -> str:
        if code == 0:
            return self._console.result
        errors = self._console.errors
        return f"{errors} error{'s' * (errors != 1)}" if errors else "failed"

    def _remember(self, started_ns: int) -> None:
        """Take over the stamps of the files that the build wrote, if it has written any."""
        state = cache.load(self._config.root, cache.key(self._config))
        if state.started_ns >= started_ns:
            written = {**state.sources, **state.outputs}
            folder = f"{self._config.output}/"
            removed = {
                p for p in self._last_stamps if p.startswith(folder)
            } - written.keys()
            self._last_stamps |= self._stamps_of(removed)
            self._last_stamps |= {
                path: stamp
                for path, (stamp, _) in written.items()
                if stamp != cache.NEVER
            }
        elif not self._console.errors:
            self._last_stamps |= self._stamps_of(state.outputs)

    def _changed(self) -> list[str]:
        stamps = self._stamps()
        return sorted(p for p in stamps if stamps[p] != self._last_stamps.get(p))

    def _stamps(self) -> dict[str, disk.Stamp | None]:
        """Return the stamps of the sources, and of the files that the last build read or wrote."""
        try:
            sources = cache.sources_of(self._config)
        except OSError:  # a folder has just vanished
            sources = {}
        others = {self._config_path, *self._last_stamps} - sources.keys()
        return {**sources, **self._stamps_of(others)}

    def _stamps_of(self, paths: Iterable[str]) -> dict[str, disk.Stamp | None]:
        root = self._config.root
        return {path: disk.stamp(disk.join(root, path)) for path in paths}

    @property
    def _config_path(self) -> str:
        if file := self._console.config_file:
            return disk.relative(disk.absolute(file), self._config.root)
        return PYPROJECT

    def _folders(self) -> list[str]:
        """Return the folders to watch, as absolute paths."""
        folders = {disk.parent(path) for path in self._last_stamps}
        with suppress(OSError):  # a folder has just vanished
            folders.update(cache.source_folders_of(self._config))
        paths = {
            disk.absolute(disk.join(self._config.root, folder)) for folder in folders
        }
        return sorted(filter(disk.is_folder, paths))


def _events(folders: list[str]) -> Iterator[None]:
    """Yield whenever something changes in a folder, and once soon after the beginning."""
    from watchfiles import watch

    is_first = True  # changes before the start cause no event
    try:
        for changes in watch(
            *folders,
            watch_filter=None,
            debounce=_LONGEST_WAIT,
            step=_STEP,
            rust_timeout=_IDLE,
            yield_on_timeout=True,
            recursive=False,
        ):
            if changes or is_first:
                yield
            is_first = False
    except FileNotFoundError:  # a folder vanished since it was listed
        sleep(_STEP / 1000)


def _enumeration(paths: list[str]) -> str:
    if len(paths) == 1:
        return paths[0]
    others = len(paths) - 1
    return f"{paths[0]} and {others} other file{'s' * (others != 1)}"
