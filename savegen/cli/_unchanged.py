"""The quick way out: nothing has changed since the last run, so there is nothing to do."""

from __future__ import annotations

from savegen import seal
from savegen.cli import Console
from savegen.config import Config


def is_up_to_date(console: Console, config: Config) -> bool:
    """Tell whether all is as the last good run left it; if so, say what that run said."""
    findings = seal.findings_if_whole(config)
    if findings is None:
        return False
    if findings:
        _tell_again(console, config, findings)
    console.say("up to date")
    return True


def _tell_again(console: Console, config: Config, findings: str) -> None:
    from savegen.cli._session import Session
    from savegen.report import recalled

    session = Session(config)
    session.report.extend(recalled(findings))
    console.findings(session.report, session.project)
