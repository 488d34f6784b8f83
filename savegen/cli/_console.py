"""The `Console` that every command gets: it prints all output and finds the project."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from savegen.build.config import Config
    from savegen.build.source import ProgressReporter, Project
    from savegen.findings import Report

WIDTH = 80  # columns, if the terminal does not report its width
FORMATS = ("text", "concise", "json", "github")

# A line that begins with `::error …` after any blanks, or the older form `##[error] …`.
_GITHUB_COMMAND = r"((?:^|(?<=[\r\n]))\s*):(?=:)|#(?=#\[)"


class Console:
    """Prints results to stdout and everything else to stderr, as the options ask."""

    def __init__(self) -> None:
        self.config_file: str | None = None
        self.colour: bool | None = None  # None: the environment or the stream decides
        self.quiet = False
        self.verbose = False
        self.output_format = "text"
        self.strict = False  # warnings are errors
        self.everything = False  # notes and repeated findings too
        self._paths: Sequence[str] = ()  # PATHS on the command line

    def config(self, paths: Sequence[str] = (), tracked: bool = False) -> Config:
        """Return the project's configuration, or a default one for the game in `paths`.

        With `tracked`, exclude every file that git does not track.
        Raises `SavegenError`.
        """
        from savegen.build.config import bare

        self._paths = paths
        config = self.config_or_none(paths) or bare(paths)
        if not tracked:
            return config
        from savegen.cli._tracked import only_tracked

        return only_tracked(config)

    def config_or_none(self, paths: Sequence[str] = ()) -> Config | None:
        """Return the configuration of the project that holds `paths` or the working folder.

        Return `None` if there is none. Raises `SavegenError`.
        """
        from savegen.build.config import load

        return load(_working_folder(), self.config_file, paths)

    def folder(self) -> str:
        """Return the working folder. Raises `SavegenError` if it no longer exists."""
        return _working_folder()

    def root(self, file: str) -> str:
        """Return the project's folder; without a configuration, the nearest folder with `file`.

        Raises `SavegenError`.
        """
        from savegen import disk
        from savegen.build.config import missing
        from savegen.findings import SavegenError

        folder = _working_folder()
        if config := self.config_or_none():
            return config.root
        while not disk.exists(disk.join(folder, file)):
            if disk.parent(folder) == folder:
                raise SavegenError(missing(_working_folder(), also=file))
            folder = disk.parent(folder)
        return folder

    def print(self, text: str, style: str = "") -> None:
        """Print output that the user asked for to stdout.

        On a terminal, control characters are escaped. `style` is one of `render.paint`.
        """
        self.print_styled((text, style))

    def print_styled(self, *parts: tuple[str, str]) -> None:
        """Print a line like `print` does; each part is a text and its style."""
        text = "".join(self._painted(text, style) for text, style in parts)
        write(self._without_github_commands(text))

    def _painted(self, text: str, style: str) -> str:
        if sys.stdout is not None and sys.stdout.isatty():
            text = _without_controls(text)
        if not style or not self._uses_colour(sys.stdout):
            return text
        from savegen.build.render import paint

        return paint(text, style)

    def status(self, text: str) -> None:
        """Print what the command did, like `report`, unless `--quiet` is given."""
        if not self.quiet:
            self.report(text)

    def report(self, text: str) -> None:
        """Print a result to stdout, or to stderr if stdout carries JSON findings."""
        if self.output_format == "json":
            self._print_to_stderr(text)
        else:
            self.print(text)

    def note(self, text: str) -> None:
        """Print a message to stderr, unless `--quiet` is given."""
        if not self.quiet:
            self._print_to_stderr(text)

    def detail(self, text: str) -> None:
        """Print a message to stderr if `--verbose` is given."""
        if self.verbose:
            self._print_to_stderr(text)

    def findings(self, report: Report, project: Project) -> None:
        """Print findings about a project; as text, with their source lines."""

        def line_of(path: str, line: int) -> str | None:
            return _source_line(project, path, line)

        self.print_findings(report, line_of, partial(self.path, project.root))

    def print_findings(
        self,
        report: Report,
        line_of: Callable[[str, int], str | None],
        shown_path: Callable[[str], str] = str,
    ) -> None:
        """Print findings; `line_of` returns a source line, `shown_path` the path to print."""
        findings = [f for f in report if f.severity or not self.quiet]
        if not findings and self.output_format != "json":
            return
        from savegen.build import render

        if self.output_format != "text":
            write(getattr(render, f"render_{self.output_format}")(findings, shown_path))
            return
        colour = self._uses_colour(sys.stdout)
        everything = self.everything or self.verbose
        write(render.render_text(findings, line_of, colour, shown_path, everything))

    def watching(self, project: ProgressReporter) -> AbstractContextManager[None]:
        """Return a context that shows a progress bar on a terminal after a second."""
        stream = sys.stderr
        if self.quiet or not _is_interactive(stream):
            return nullcontext()
        from savegen.cli._progress import Progress

        colour = self._uses_colour(stream)
        return Progress(project, stream, _columns(stream), colour)

    @property
    def width(self) -> int:
        """The number of columns of the terminal, or `WIDTH` if stdout is not a terminal."""
        return _columns(sys.stdout)

    def is_narrow(self, columns: int) -> bool:
        """Return whether stdout is a terminal with fewer columns than a line."""
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        return on_terminal and columns > self.width

    def path(self, root: str, path: str) -> str:
        """Return a path of a project relative to the working folder."""
        from savegen import disk

        return disk.relative(disk.join(root, path), _working_folder())

    def fix_command(
        self,
        paths: Sequence[str] = (),
        tracked: bool = False,
        command: str = "components",
    ) -> str:
        """Return the command line that writes the outdated files."""
        import shlex

        file = self.config_file or ("" if paths else self._config_file_of_paths())
        config = ("--config", file) if file else ()
        option = ("--tracked",) if tracked else ()
        return shlex.join(("savegen", command, *option, *config, *paths))

    def _config_file_of_paths(self) -> str:
        """Return the configuration file if only PATHS lead to it, else ""."""
        from savegen.build.config import PYPROJECT

        config = self.config_or_none(self._paths) if self._paths else None
        if config is None or config.root == _working_folder():
            return ""
        return self.path(config.root, PYPROJECT)

    def error(self, text: str) -> None:
        """Print the error that ends the run."""
        from savegen.build.render import paint

        label = paint("error:", "error", self._uses_colour(sys.stderr))
        self._print_to_stderr(text, f"{label} ")

    def _print_to_stderr(self, text: str, label: str = "") -> None:
        write(self._without_github_commands(label + _without_controls(text)), err=True)

    def _without_github_commands(self, text: str) -> str:
        """Escape text that GitHub Actions would execute as a command."""
        if self.output_format != "github":
            return text
        return re.sub(
            _GITHUB_COMMAND,
            lambda match: f"{match[1] or ''}\\x{ord(match[0][-1]):x}",
            text,
        )

    def _uses_colour(self, stream: TextIO | None) -> bool:
        if self.colour is not None:
            return self.colour
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return (
            stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        )


def _is_interactive(stream: TextIO | None) -> bool:
    """Return whether a stream is an interactive terminal that can clear a line."""
    if stream is None or not stream.isatty():
        return False
    return os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def _columns(stream: TextIO | None) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= 5:  # no terminal is wider
        return max(int(columns), 1)
    try:
        return os.get_terminal_size(stream.fileno() if stream else -1).columns or WIDTH
    except (OSError, ValueError):  # a pipe, a closed stream, or a stream of a test
        return WIDTH


def _without_controls(text: str) -> str:
    if text.isprintable():
        return text
    from savegen.build.render import printable

    return printable(text, keep="\n\t")


def _working_folder() -> str:
    try:
        return os.path.abspath("")
    except FileNotFoundError:
        from savegen.findings import SavegenError

        raise SavegenError("the working folder no longer exists") from None


def _source_line(project: Project, path: str, line: int) -> str | None:
    # A finding about the lock has no line of its own: its message shows what is there.
    lines = [] if path == "savegen.lock" else project.lines_at(path)
    if path in project.unreadable:
        return None
    return lines[line - 1] if 0 < line <= len(lines) else None


def write(text: str, err: bool = False) -> None:
    try:
        # `_painted` has decided on colours, so click must not remove them.
        click.echo(text, err=err, color=True)
    except OSError as error:
        _close(err)
        # If the reader closes the pipe early, that is not an error. Windows reports it as EINVAL.
        if not err and error.errno not in (errno.EPIPE, errno.EINVAL):
            from savegen.findings import SavegenError

            raise SavegenError(f"cannot write to stdout: {error.strerror}") from None


def _close(err: bool) -> None:
    """Drop a broken stream, so that later output and the flush at exit cannot fail again."""
    if err:
        sys.stderr = None
    else:
        sys.stdout = None
