"""The command line's frame: the verbs, the options that all of them take, output, exit codes.

Each verb is a file here with a click command called `command`, which returns its exit code:
0 clean, 1 errors or drift. What a command raises is told once, by `run`.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from savegen.cli._verbs import group_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from savegen.build.config import Config
    from savegen.findings import Report
    from savegen.build.source import Project, Watchable

# In the order of a user's first day. Help and completion read this table only; the file
# of a command is imported when it runs.
COMMANDS = {
    "init": "Set up savegen for the game in this folder.",
    "components": "Write the save and load code of the marked classes (pass 1).",
    "prefabs": "Write the code that lets levels place prefabs (pass 2).",
    "links": "Build each prefab once and record its defaults (pass 3).",
    "build": "Write all generated code that is out of date (passes 1 to 3).",
    "check": "Report errors and outdated generated files; write nothing.",
    "breaking": "Report changes that would break older saves, levels or code.",
    "wire": "Add the generated base class to newly marked classes.",
    "show": "Show the saved classes and prefabs as tables or as a diagram.",
    "lock": "Show, retire or reset the stable numbers in savegen.lock.",
    "release": "Copy savegen.lock when you ship a version.",
    "saves": "List, show, verify, compare, migrate and export save files.",
    "level": "Create, check, preview, compress and upgrade levels.",
    "explain": "Explain a finding, with examples.",
    "rules": "List every kind of finding.",
    "clean": "Remove the generated files and the cache.",
    "completion": "Print the completion script for bash, zsh or fish.",
}

# How the help groups them; what is in none of these comes last.
GROUPS = {
    "Everyday commands": ("init", "wire", "build", "check", "show", "explain"),
    "Levels": ("level",),
    "Saves": ("saves",),
    "Releases": ("breaking", "release", "lock"),
    "Single passes": ("components", "prefabs", "links"),
}

WIDTH = 80  # columns, where there is no terminal to ask
FORMATS = ("text", "concise", "json", "github")

# Where a line says `::error …` behind any blanks, or in the older way `##[error] …`.
_GITHUB_COMMAND = re.compile(r"((?:^|(?<=[\r\n]))\s*):(?=:)|#(?=#\[)")

_BUG = (
    "this is a bug in savegen, not in your game: please report it with the lines above"
)

F = TypeVar("F", bound=Callable[..., Any])


# What a command says


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
        _write(self._commanding_nothing(text))

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

        self.told(report, lambda path, line: _line(project, path, line), shown)

    def told(
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
            _write(getattr(render, f"render_{self.output_format}")(found, shown))
            return
        colour = self._wants_colour(sys.stdout)
        everything = self.everything or self.verbose
        _write(render.render_text(found, line_of, colour, shown, everything))

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
        _write(self._commanding_nothing(label + _harmless(text)), err=True)

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


def _write(text: str, err: bool = False) -> None:
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


# What can follow, to the tab key


def files(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Let the shell complete a path, as it would for any other program."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(begun, type="file")]


def folders(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Let the shell complete a folder."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(begun, type="dir")]


# What every command takes


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    if value is None or option.name is None:
        return
    console = context.ensure_object(Console)
    setattr(console, option.name, value)
    if option.name in ("quiet", "verbose"):  # the one nearest to the end holds
        console.quiet, console.verbose = (
            option.name == "quiet",
            option.name == "verbose",
        )


def common(command: F) -> F:
    """Give a command the options that may stand before its name or behind it.

    Below `@click.command()`, and nearest to the function: they come last in the help. What
    they say is in the `Console`, which `@click.pass_obj` hands over.
    """
    for names, settings in reversed(_COMMON):
        option = click.option(*names, **settings, expose_value=False, callback=_keep)
        command = option(command)
    return command


def output_format(command: F) -> F:
    """Give a command that prints findings the choice of how."""
    return click.option(
        "--output-format",
        type=click.Choice(FORMATS),
        metavar="FORMAT",
        expose_value=False,
        callback=_keep,
        help="Print findings as text (with source lines), concise (one line each), json, or"
        " github (annotations for GitHub Actions). With json, messages other than findings"
        " go to stderr. Default: text.",
    )(all_findings(command))


def all_findings(command: F, hidden: bool = False) -> F:
    """Give a command that prints findings the option to print every one."""
    return click.option(
        "everything",
        "--all",
        hidden=hidden,
        is_flag=True,
        default=None,
        expose_value=False,
        callback=_keep,
        help="Show every finding: also notes and repeats (hidden by default).",
    )(command)


def hidden_all_findings(command: F) -> F:
    """Give the same option, left out of the help, to a command that seldom prints findings."""
    return all_findings(command, hidden=True)


def strict(command: F) -> F:
    """Give a command the option to fail where it would warn."""
    return click.option(
        "--strict",
        is_flag=True,
        default=None,
        expose_value=False,
        callback=_keep,
        help="Treat warnings as errors.",
    )(command)


_COMMON: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("config_file", "--config"),
        {
            "metavar": "FILE",
            "shell_complete": files,
            "help": "Read this file instead of the nearest pyproject.toml.",
        },
    ),
    (
        ("colour", "--color/--no-color"),
        {"default": None, "help": "Turn colours on or off. Default: on in a terminal."},
    ),
    (
        ("quiet", "-q", "--quiet"),
        {
            "is_flag": True,
            "default": None,
            "help": "Print only errors, warnings and requested output.",
        },
    ),
    (
        ("verbose", "-v", "--verbose"),
        {"is_flag": True, "default": None, "help": "Print more details."},
    ),
)


# The verbs


_EPILOG = """\
In the game, save and load the world like this:

\b
  from savegen.runtime import SaveLoadManager
  from savegen.saves import SaveSlots
  from _savegen.registry import REGISTRY
  manager = SaveLoadManager(REGISTRY)
  manager.add(Player())          # once for each object to save
  slots = SaveSlots("saves")
  slots.save("slot-1", manager)  # later: slots.load("slot-1", manager)

Exit codes: 0 success, possibly with warnings; 1 errors, or files out of date;
2 wrong usage or configuration; 3 a bug in savegen.

Documentation: docs/ in savegen's repository.
"""


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from savegen.build.config import VERSION

        _write(f"savegen {VERSION}")
        context.exit()


@click.group(
    cls=group_of(COMMANDS, __name__, GROUPS),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)
@common
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def verbs() -> None:
    """Write the code that saves and loads your Python game.

    \b
    To start:
      1. Run `savegen init`.
      2. Mark classes with `@saveable` and their fields with `Saved[...]`:
         from savegen import Saved, saveable
      3. Run `savegen wire`. It adds the generated base classes.
      4. Run `savegen build`. It writes the save and load code.

    `savegen COMMAND --help` explains each command.
    """


def completion_script(shell: str) -> str:
    """Return what a shell has to run, so that it asks savegen how a line may go on."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    return made(verbs, {}, "savegen", "_SAVEGEN_COMPLETE").source()


# One run


def run(args: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; whatever goes wrong is told here."""
    console = Console()
    _accept_any_letter(sys.stdout)
    try:
        return int(verbs.main(args, "savegen", standalone_mode=False, obj=console) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except ModuleNotFoundError as error:
        if error.name and not error.name.startswith("savegen"):
            raise  # told by `__main__`, which has to work without click
        return _ended_by(error, console)
    except Exception as error:
        return _ended_by(error, console)


def _accept_any_letter(stream: TextIO | None) -> None:
    """Let a stream of a narrow encoding take every text: escaped rather than refused."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="backslashreplace")


def _ended_by(error: Exception, console: Console) -> int:
    from savegen import disk
    from savegen.build import write
    from savegen.findings import SavegenError

    if isinstance(error, (SavegenError, write.Refused, disk.Busy)):
        console.error(str(error))
        return 2
    if isinstance(error, OSError) and error.filename is not None:
        console.error(f"{os.fsdecode(error.filename)}: {error.strerror}")
        return 2
    import traceback

    console.error("".join(traceback.format_exception(error)) + _BUG)
    return 3
