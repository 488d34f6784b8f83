"""`savegen breaking`: changes that break saves, levels or code of an older version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.build.breaking import LEVELS, Comparison
from savegen.cli._older_version import older_version
from savegen.findings import Finding, Recalled, Report, hardened, softened

if TYPE_CHECKING:
    from savegen.build.model import Model


@click.command()
@click.option(
    "--against",
    "named",
    metavar="REF|LOCK|DIR",
    required=True,
    shell_complete=option.files,
    help="The older version: a git ref, a savegen.lock file, or a folder that"
    " `savegen release` wrote.",
)
@click.option(
    "--level",
    type=click.Choice([*LEVELS]),
    default="prefab",
    show_default=True,
    help="Which breaks count as errors. save: changes to classes, fields and enums. prefab:"
    " also changes to prefabs, their parts and parameters. api: also renames that affect code."
    " All other breaks are warnings.",
)
@option.output_format
@option.common
@click.pass_obj
def command(console: Console, named: str, level: str) -> int:
    """Report changes that would break saves, levels or code made for an older version.

    savegen compares today's source with the savegen.lock of that version and writes nothing.
    The exit code is 1 if one of the breaks is an error (see --level).

    If you rename something, mark it with `was=...`. If you remove it for good, run
    `savegen lock retire`. If the type of a field changes, write a `@converter`. For anything
    else, write a `@migration`.

    \b
    Examples:
      savegen breaking --against v1.0
      savegen breaking --against releases/1.0 --level save
    """
    from savegen.cli._session import Session

    config = console.config()
    before = older_version(config, named)
    session = Session(config)
    with console.watching(session.project):
        generated = session.generate()
    if session.report.failed or not session.add_prefabs(generated):
        console.findings(session.findings, session.project)
        return 1
    found = Comparison(before.lock, generated.lock, generated.model).breaks(
        before.settable
    )
    findings = _with_migrations(found, generated.model, before.save_version)
    report = Report(_with_severity(findings, level))
    console.findings(report, session.project)
    _sum_up(console, report, named)
    return 1 if report.failed else 0


def _with_migrations(
    found: Iterable[Finding], model: Model, since: int | None
) -> Iterator[Finding]:
    """Yield the findings; those about saves mention the migrations that may handle them.

    A finding is dropped only if a migration declares it with `handles`.
    """
    handled = {
        name
        for each in model.migrations
        if since is None or each.to > since
        for name in each.handles
    }
    later = [m for m in model.migrations if since is not None and m.to > since]
    names = ", ".join(f"`{each.function.replace(':', '.')}`" for each in later)
    words = (
        f"saves of version {since} go through {names}, which may already handle this"
    )
    for each in found:
        name = getattr(each, "name", "")
        is_save = each.code.startswith(LEVELS["save"])
        if is_save and any(h == name or h.endswith(f".{name}") for h in handled):
            continue
        place, code, severity, message, help, data = Recalled.of(each).facts
        if names and help and code.startswith(LEVELS["save"]):
            help = f"{help}; {words}"
            facts = place, code, severity, message, help, data
            yield Recalled.from_facts(facts)
        else:
            yield each


def _with_severity(found: Iterable[Finding], level: str) -> Iterator[Finding]:
    """Yield the findings: errors up to `level`, the others as warnings."""
    levels = [*LEVELS]
    counting = tuple(LEVELS[each] for each in levels[: levels.index(level) + 1])
    for each in found:
        # `savegen lock retire` was run, so the loss is intended.
        is_retired = getattr(each, "is_retired", False)
        counts = each.code.startswith(counting) and not is_retired
        yield hardened(each) if counts else softened(each)


def _sum_up(console: Console, report: Report, named: str) -> None:
    if not len(report):
        console.status(f"nothing breaks since {named}")
