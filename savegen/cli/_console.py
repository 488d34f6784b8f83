"""What every command prints with, and where it finds its project."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from savegen.build.config import Config
    from savegen.build.source import Project, Watchable
    from savegen.findings import Report

WIDTH = 80  # columns, where there is no terminal to ask
FORMATS = ("text", "concise", "json", "github")

# Where a line says `::error …` behind any blanks, or in the older way `##[error] …`.
_GITHUB_COMMAND = re.compile(r"((?:^|(?<=[\r\n]))\s*):(?=:)|#(?=#\[)")


class Console:
    """The way out: results to stdout, everything else to stderr, in the wanted amount."""

    def __init__(self) -> None:
        self.config_file: str | None = None
        self.colour: bool | None = None  # None: the environment or the stream decides
        self.quiet = False
        self.verbose = False
        self.output_format = "text"
        self.strict = False  # warnings are errors
        self._paths: Sequence[str] = ()  # on the command line
        self.everything = False  # notes and repeated findings too

    def config(self, paths: Sequence[str] = (), tracked: bool = False) -> Config:
        """Return the project's settings, or without any those of a game that is `paths`.

        If only what is `tracked` counts, every file that git does not track is left out.
        Raises `SavegenError`.
        """
        from savegen.build.config import bare

        self._paths = paths
        config = self.settings(paths) or bare(paths)
        if not tracked:
            return config
        from savegen.cli._tracked import only_tracked

        return only_tracked(config)

    def settings(self, paths: Sequence[str] = ()) -> Config | None:
        """Return the settings of the project that holds `paths` or the working folder.

        Returns None if there are none. Raises `SavegenError`.
        """
        from savegen.build.config import load

        return load(_working_folder(), self.config_file, paths)

    def folder(self) -> str:
        """Return the working folder. Raises `SavegenError` if it no longer exists."""
        return _working_folder()

    def root(self, file: str) -> str:
        """Return the project's folder, or without settings the nearest one with `file`.

        Raises `SavegenError`.
        """
        from savegen import disk
        from savegen.build.config import missing
        from savegen.findings import SavegenError

        folder = _working_folder()
        if config := self.settings():
            return config.root
        while not disk.exists(disk.join(folder, file)):
            if disk.parent(folder) == folder:
                raise SavegenError(missing(_working_folder(), also=file))
            folder = disk.parent(folder)
        return folder

    def say(self, text: str, style: str = "") -> None:
        """Print what was asked for. A pipe gets it byte for byte, a terminal without controls.

        `style` is one of `render.paint`'s, for a whole line.
        """
        self.show((text, style))

    def show(self, *parts: tuple[str, str]) -> None:
        """Print a line like `say` does, of parts that have each a style of their own."""
        text = "".join(self._painted(text, style) for text, style in parts)
        write(self._commanding_nothing(text))

    def _painted(self, text: str, style: str) -> str:
        if sys.stdout is not None and sys.stdout.isatty():
            text = _harmless(text)
        if not style or not self._wants_colour(sys.stdout):
            return text
        from savegen.build.render import paint

        return paint(text, style)

    def tell(self, text: str) -> None:
        """Print what was done like `report` does, unless `--quiet`."""
        if not self.quiet:
            self.report(text)

    def report(self, text: str) -> None:
        """Print a result beside findings, which may be data for another program."""
        if self.output_format == "json":
            self._aside(text)
        else:
            self.say(text)

    def note(self, text: str) -> None:
        """Tell something on the way, unless `--quiet`."""
        if not self.quiet:
            self._aside(text)

    def detail(self, text: str) -> None:
        """Tell something only to those who asked with `--verbose`."""
        if self.verbose:
            self._aside(text)

    def findings(self, report: Report, project: Project) -> None:
        """Print the findings; in text with the lines they are about, and their count."""

        def shown(path: str) -> str:
            return self.path(project.root, path)

        self.say_findings(report, lambda path, line: _line(project, path, line), shown)

    def say_findings(
        self,
        report: Report,
        line_of: Callable[[str, int], str | None],
        shown: Callable[[str], str] = str,
    ) -> None:
        """Print findings that are of no project; the two functions are those of `render`."""
        found = [each for each in report if each.severity or not self.quiet]
        if not found and self.output_format != "json":
            return
        from savegen.build import render

        if self.output_format != "text":
            write(getattr(render, f"render_{self.output_format}")(found, shown))
            return
        colour = self._wants_colour(sys.stdout)
        everything = self.everything or self.verbose
        write(render.render_text(found, line_of, colour, shown, everything))

    def watching(self, project: Watchable) -> AbstractContextManager[None]:
        """Show on a terminal how far something is, a project say, if that takes long."""
        stream = sys.stderr
        if self.quiet or not _is_watched(stream):
            return nullcontext()
        from savegen.cli._progress import Progress

        colour = self._wants_colour(stream)
        return Progress(project, stream, _columns(stream), colour)

    @property
    def width(self) -> int:
        """The columns of the terminal; those of an ordinary one where stdout is none."""
        return _columns(sys.stdout)

    def is_narrow(self, columns: int) -> bool:
        """Tell whether a line of so many columns would be broken. A pipe breaks none."""
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        return on_terminal and columns > self.width

    def path(self, root: str, path: str) -> str:
        """Return a path of a project as it is reached from the working folder."""
        from savegen import disk

        return disk.relative(disk.join(root, path), _working_folder())

    def mending(
        self,
        paths: Sequence[str] = (),
        tracked: bool = False,
        verb: str = "components",
    ) -> str:
        """Return the command that writes what this one has found missing."""
        import shlex

        file = self.config_file or ("" if paths else self._file_elsewhere())
        config = ("--config", file) if file else ()
        option = ("--tracked",) if tracked else ()
        return shlex.join(("savegen", verb, *option, *config, *paths))

    def _file_elsewhere(self) -> str:
        """Return the configuration that only the PATHS led to, or ""."""
        from savegen.build.config import PYPROJECT

        config = self.settings(self._paths) if self._paths else None
        if config is None or config.root == _working_folder():
            return ""
        return self.path(config.root, PYPROJECT)

    def error(self, text: str) -> None:
        """Tell why the run ends here."""
        from savegen.build.render import paint

        label = paint("error:", "error", self._wants_colour(sys.stderr))
        self._aside(text, f"{label} ")

    def _aside(self, text: str, label: str = "") -> None:
        write(self._commanding_nothing(label + _harmless(text)), err=True)

    def _commanding_nothing(self, text: str) -> str:
        """Escape what GitHub would take for a command; it looks at stderr as well."""
        if self.output_format != "github":
            return text
        return _GITHUB_COMMAND.sub(
            lambda found: f"{found[1] or ''}\\x{ord(found[0][-1]):x}", text
        )

    def _wants_colour(self, stream: TextIO | None) -> bool:
        if self.colour is not None:
            return self.colour
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return (
            stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        )


def _is_watched(stream: TextIO | None) -> bool:
    """Tell whether somebody sits before a stream, at a terminal that can clear a line."""
    if stream is None or not stream.isatty():
        return False
    return os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def _columns(stream: TextIO | None) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= 5:  # more is no terminal's
        return max(int(columns), 1)
    try:
        return os.get_terminal_size(stream.fileno() if stream else -1).columns or WIDTH
    except (OSError, ValueError):  # a pipe, closed, or a test's
        return WIDTH


def _harmless(text: str) -> str:
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


def _line(project: Project, path: str, line: int) -> str | None:
    module = project.module_at(path)
    lines = project.file(module).lines if module else []
    if path in project.unreadable:
        return None
    return lines[line - 1] if 0 < line <= len(lines) else None


def write(text: str, err: bool = False) -> None:
    try:
        click.echo(text, err=err, color=True)  # what has no colour got none from us
    except OSError as error:
        _close(err)
        # A reader that has seen enough is no fault; on Windows it shows as EINVAL.
        if not err and error.errno not in (errno.EPIPE, errno.EINVAL):
            from savegen.findings import SavegenError

            raise SavegenError(f"cannot write to stdout: {error.strerror}") from None


def _close(err: bool) -> None:
    """Drop a stream: what is still to come, and the flush at exit that would fail again."""
    if err:
        sys.stderr = None
    else:
        sys.stdout = None
