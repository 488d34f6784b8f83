"""Groups of commands that are known by name, and imported when they are called."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def group_of(
    commands: Mapping[str, str],
    package: str,
    groups: Mapping[str, Collection[str]] = {},
) -> Any:
    """Return what `click.group(cls=…)` makes a group of commands with.

    `commands` are their names, and what is said of each in the list; a module of `package` is
    called like each (`import_` for `import`), and has it as `command`.
    """
    return partial(Verbs, verbs=commands, package=package, groups=groups)


class Verbs(click.Group):
    """A group that imports a command when it is called, not when it is listed."""

    def __init__(
        self,
        *given: Any,
        verbs: Mapping[str, str],
        package: str,
        groups: Mapping[str, Collection[str]],
        **options: Any,
    ) -> None:
        super().__init__(*given, **options)
        self._verbs = verbs
        self._groups = groups
        self._package = package

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self._verbs)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self._verbs:
            return None
        file = f"{name}_" if iskeyword(name) else name
        module = import_module(f"{self._package}.{file}")
        found: click.Command = module.command
        return found

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._verbs and not context.resilient_parsing:
            self._refuse_unknown(context, args[0])
        return super().resolve_command(context, args)

    def _refuse_unknown(self, context: click.Context, name: str) -> NoReturn:
        import difflib

        close = difflib.get_close_matches(name, self._verbs, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        context.fail(f"there is no command {name!r}{hint}")

    def format_commands(
        self, context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        width = max(map(len, self._verbs))
        named = {name for names in self._groups.values() for name in names}
        rest = [name for name in self._verbs if name not in named]
        title = "Other commands" if self._groups else "Commands"
        for title, names in {**self._groups, title: rest}.items():
            rows = [(n.ljust(width), self._verbs[n]) for n in names if n in self._verbs]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def shell_complete(
        self, context: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=help)
            for name, help in self._verbs.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, context, incomplete)
