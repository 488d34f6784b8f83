"""Repeat the findings of the last run if no file has changed since then."""

from __future__ import annotations

from savegen.build import cache
from savegen.cli._console import Console
from savegen.build.config import Config


def repeat_last_run(console: Console, config: Config, passes: int) -> int | None:
    """Print the findings of the last run of `passes` passes, and return its exit code.

    Return `None` if files have changed since, or if no run completed these passes.
    """
    findings = cache.findings_if_unchanged(config, passes)
    if findings is None:
        return None
    if findings or console.output_format == "json":
        if _print_again(console, config, findings):
            return 1
    console.status("up to date")
    return 0


def _print_again(console: Console, config: Config, findings: list[str]) -> bool:
    """Print the findings of an earlier run; return whether one is an error."""
    from savegen.cli._session import Session
    from savegen.findings import recalled

    session = Session(config)
    for text in findings:
        session.report.extend(recalled(text))
    if console.strict:
        session.report.harden()
    console.findings(session.report, session.project)
    return session.report.failed
