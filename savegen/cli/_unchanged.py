"""The quick way out: nothing has changed since the last run, so there is nothing to do."""

from __future__ import annotations

from savegen.build import cache
from savegen.cli._console import Console
from savegen.build.config import Config


def told(console: Console, config: Config, passes: int) -> int | None:
    """Tell what the last good run of so many passes said, and return its exit code.

    It is `None` if things have changed since, or no run came as far.
    """
    findings = cache.findings_if_whole(config, passes)
    if findings is None:
        return None
    if findings or console.output_format == "json":
        if _tell_again(console, config, findings):
            return 1
    console.tell("up to date")
    return 0


def _tell_again(console: Console, config: Config, findings: list[str]) -> bool:
    """Print findings of an earlier run; tell whether they keep this one from going on."""
    from savegen.cli._session import Session
    from savegen.findings import recalled

    session = Session(config)
    for text in findings:
        session.report.extend(recalled(text))
    if console.strict:
        session.report.harden()
    console.findings(session.report, session.project)
    return session.report.failed
