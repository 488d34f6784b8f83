"""`savegen rules`: list every kind of finding."""

from __future__ import annotations

import click

from savegen.cli import _options as option
from savegen.cli._console import Console

_TITLE_NOTES = {
    "SG6": " (severity with `savegen breaking --level prefab`, the default)"
}


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="text: one line per finding. json: all explanations with examples.",
)
@option.common
@click.pass_obj
def command(console: Console, form: str) -> int:
    """List every kind of finding, each with its code, severity and title.

    `savegen explain CODE` explains one of them. To silence a warning or a note in your
    code, end its line with the comment `# savegen: ignore[SG140]`. Errors cannot be silenced.
    """
    if form == "json":
        import json

        console.print(json.dumps(_stories(), indent=2))
        return 0
    from savegen.cli._rules import SERIES

    for number, (series, title) in enumerate(SERIES.items()):
        if number:
            console.print("")
        note = _TITLE_NOTES.get(series, "")
        console.print(f"{series}xx  {title}{note}", "message")
        for story in _stories():
            if story["code"].startswith(series):
                _print_line(console, story)
    console.note("`savegen explain CODE` explains a finding")
    return 0


def _print_line(console: Console, story: dict[str, str]) -> None:
    from savegen.build.render import label
    from savegen.findings import Severity

    severity = story["severity"]
    code, title = f"{story['code']}  ", f"  {story['title']}"
    severity_label = label(Severity[severity.upper()]).ljust(7)
    console.print_styled((code, ""), (severity_label, severity), (title, ""))


def _stories() -> list[dict[str, str]]:
    from savegen.cli._rules import finding_classes, name_of
    from savegen.build.stories import story

    return [
        {
            "code": code,
            "name": name_of(finding_class),
            "severity": finding_class.severity.name.lower(),
            "title": story(code).title,
            "text": story(code).text,
            "wrong": story(code).shown("wrong"),
            "right": story(code).shown("right"),
        }
        for code, finding_class in finding_classes().items()
    ]
