"""`savegen breaking`: changes that break saves, levels or code of an older version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.build.breaking import STRICTNESS, LockComparison
from savegen.cli._other_locks import older_version
from savegen.findings import Finding, Report, Severity, StoredFinding, with_severity

if TYPE_CHECKING:
    from savegen.build.model import Model


@click.command()
@click.option(
    "--against",
    metavar="REF|LOCK|DIR",
    required=True,
    shell_complete=option.files,
    help="The older version: a git ref, a savegen.lock file, or a folder that"
    " `savegen release` wrote.",
)
@click.option(
    "--level",
    type=click.Choice([*STRICTNESS]),
    default="prefab",
    show_default=True,
    help="Which breaks count as errors. save: changes to classes, fields, enums and the"
    " classes of parts. prefab: also changes to prefabs, their parts and parameters. api: also renames"
    " that affect code. All other breaks are warnings.",
)
@option.output_format
@option.common
@click.pass_obj
def command(console: Console, against: str, level: str) -> int:
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
    older = older_version(config, against)
    session = Session(config)
    with console.watching(session.project):
        generated = session.generate()
    if session.report.failed or not session.add_prefabs(generated):
        console.findings(session.findings, session.project)
        return 1
    comparison = LockComparison(older.lock, generated.lock, generated.model)
    findings = comparison.breaks(older.prefabs)
    findings = _with_migrations(findings, generated.model, older.save_version)
    report = Report(_with_severities(findings, level))
    console.findings(report, session.project)
    if not len(report):
        console.status(f"no breaking change since {against}")
    return 1 if report.failed else 0


def _with_migrations(
    findings: Iterable[Finding], model: Model, since: int | None
) -> Iterator[Finding]:
    """Yield the findings, without those that a migration after version `since` lists in `handles`.

    The help of the others mentions the migrations, as they may move the values.
    """
    later = [m for m in model.migrations if since is None or m.to > since]
    handled = {name for migration in later for name in migration.handles}
    names = ", ".join(f"`{each.function.replace(':', '.')}`" for each in later)
    for finding in findings:
        name = getattr(finding, "name", "")
        is_about_saves = finding.code.startswith(STRICTNESS["save"])
        if is_about_saves and any(h == name or h.endswith(f".{name}") for h in handled):
            continue
        if is_about_saves and names and since is not None and finding.help:
            place, code, severity, message, help, data = StoredFinding.of(finding).facts
            goes_through = f"saves of version {since} go through {names}"
            help = f"{help}; {goes_through}, which may already handle this"
            yield StoredFinding.from_facts((place, code, severity, message, help, data))
        else:
            yield finding


def _with_severities(findings: Iterable[Finding], level: str) -> Iterator[Finding]:
    """Yield the findings: as errors if `level` includes their code and they are not retired.

    The others are yielded as warnings.
    """
    levels = [*STRICTNESS]
    codes = tuple(STRICTNESS[name] for name in levels[: levels.index(level) + 1])
    for finding in findings:
        # `savegen lock retire` was run, so the loss is intended.
        is_retired = getattr(finding, "is_retired", False)
        is_error = finding.code.startswith(codes) and not is_retired
        yield with_severity(finding, Severity.ERROR if is_error else Severity.WARNING)
