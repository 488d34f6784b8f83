"""Click groups, arguments and options that several commands use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from savegen.cli._console import FORMATS, Console

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


# Groups


class LazyGroup(click.Group):
    """A group that imports a command when it is called; to list it, its help line suffices."""

    def __init__(
        self,
        *args: Any,
        help_lines: Mapping[str, str],
        package: str,
        groups: Mapping[str, Collection[str]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._help_lines = help_lines
        self._groups = groups
        self._package = package

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self._help_lines)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self._help_lines:
            return None
        file = f"{name}_" if iskeyword(name) else name
        command: click.Command = import_module(f"{self._package}.{file}").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._help_lines and not context.resilient_parsing:
            self._refuse_unknown(context, args[0])
        return super().resolve_command(context, args)

    def _refuse_unknown(self, context: click.Context, name: str) -> NoReturn:
        from savegen.findings import similar

        close = similar(name, self._help_lines)
        hint = f"; did you mean {close!r}?" if close else ""
        context.fail(f"there is no command {name!r}{hint}")

    def format_commands(
        self, context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        lines = self._help_lines
        width = max(map(len, lines))
        grouped = {name for names in self._groups.values() for name in names}
        others = [name for name in lines if name not in grouped]
        title = "Other commands" if self._groups else "Commands"
        for title, names in {**self._groups, title: others}.items():
            rows = [(name.ljust(width), lines[name]) for name in names if name in lines]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def shell_complete(
        self, context: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=help)
            for name, help in self._help_lines.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, context, incomplete)


def group_of(
    commands: Mapping[str, str],
    package: str,
    groups: Mapping[str, Collection[str]] = {},
) -> Any:
    """Return the `cls` argument for `click.group`.

    `commands` maps names to help lines. Each command is the `command` of the module of that
    name in `package` (`import_` for `import`).
    """
    return partial(LazyGroup, help_lines=commands, package=package, groups=groups)


# Completion


def _completed_by_shell(
    kind: str, context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return a completion item that makes the shell complete a path itself."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]


files = partial(_completed_by_shell, "file")
folders = partial(_completed_by_shell, "dir")


# Options that are stored in the `Console`, which `@click.pass_obj` passes to commands


def _store(context: click.Context, option: click.Parameter, value: object) -> None:
    if value is None or option.name is None:
        return
    console = context.ensure_object(Console)
    setattr(console, option.name, value)
    if option.name in ("quiet", "verbose"):  # the last one on the command line wins
        console.quiet = option.name == "quiet"
        console.verbose = option.name == "verbose"


def _console_option(*names: str, **settings: Any) -> Callable[[F], F]:
    return click.option(*names, **settings, expose_value=False, callback=_store)


def _combined(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds several options to a command, in order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# Every command accepts these, before or after its name. Its help lists them last.
common = _combined(
    _console_option(
        "config_file",
        "--config",
        metavar="FILE",
        shell_complete=files,
        help="Read this file instead of the nearest pyproject.toml.",
    ),
    _console_option(
        "colour",
        "--color/--no-color",
        default=None,
        help="Turn colours on or off. Default: on in a terminal.",
    ),
    _console_option(
        "-q",
        "--quiet",
        is_flag=True,
        default=None,
        help="Print only errors, warnings and requested output.",
    ),
    _console_option(
        "-v", "--verbose", is_flag=True, default=None, help="Print more details."
    ),
)

_ALL: dict[str, Any] = {
    "is_flag": True,
    "default": None,
    "help": "Show every finding: also notes and repeats (hidden by default).",
}
all_findings = _console_option("everything", "--all", **_ALL)
# For commands that seldom print findings.
hidden_all_findings = _console_option("everything", "--all", hidden=True, **_ALL)

output_format = _combined(
    _console_option(
        "--output-format",
        type=click.Choice(FORMATS),
        metavar="FORMAT",
        help="Print findings as text (with source lines), concise (one line each), json, or"
        " github (annotations for GitHub Actions). With json, messages other than findings"
        " go to stderr. Default: text.",
    ),
    all_findings,
)
strict = _console_option(
    "--strict", is_flag=True, default=None, help="Treat warnings as errors."
)


# Arguments and options of several commands

allow_dirty = click.option(
    "--allow-dirty",
    is_flag=True,
    help="Also change files that have uncommitted changes in git. Otherwise savegen refuses.",
)

paths = click.argument("paths", nargs=-1, shell_complete=files)
levels = click.argument("levels", nargs=-1, required=True, shell_complete=folders)
save = click.argument("save", shell_complete=files)

no_cache = click.option(
    "--no-cache", is_flag=True, help="Ignore the cache: read every file."
)
no_cache_and_links = click.option(
    "--no-cache", is_flag=True, help="Ignore the cache: read every file, repeat pass 3."
)
no_wire = click.option(
    "--no-wire", is_flag=True, help="Do not add generated base classes to your files."
)
locked = click.option(
    "--locked",
    is_flag=True,
    help="If savegen.lock would change, or a class is not wired, write nothing and exit with 1.",
)
tracked = click.option(
    "--tracked",
    is_flag=True,
    help="For pre-commit hooks: ignore source files that git does not track, but exit with 1"
    " if a generated file is not tracked, or if a class is not wired.",
)
list_outputs = click.option(
    "--list-outputs", is_flag=True, help="List the generated files; write nothing."
)
diff = click.option(
    "--diff",
    is_flag=True,
    help="Show the changes and write nothing; exit with 1 if there are any.",
)
dry_run = click.option(
    "--dry-run", is_flag=True, help="Show the changes and write nothing."
)


def between(low: int, high: int) -> Callable[[object], int]:
    """Return the type of an option that takes a whole number from `low` to `high`.

    Unlike `click.IntRange`, it does not add the bounds to the help text.
    """

    def whole_number(value: object) -> int:
        text = str(value)
        if text.isdecimal() and len(text) <= 18 and low <= int(text) <= high:
            return int(text)
        raise click.BadParameter(
            f"write a whole number from {low} to {high}, not {text}"
        )

    return whole_number


timeout = click.option(
    "--timeout",
    "seconds",
    type=between(1, 1_000_000),
    default=120,
    show_default=True,
    metavar="N",
    help="Stop the code of the game after N seconds.",
)
text_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Print text, or one JSON document.",
)
schema = click.option(
    "--schema",
    metavar="FILE",
    shell_complete=files,
    help="The schema of level.lvl. Default: the one that `savegen build` wrote.",
)
