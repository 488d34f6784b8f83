"""`savegen explain`: print the explanation of a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console

if TYPE_CHECKING:
    from savegen.build.stories import Story

_MAX_COLUMNS = 88  # longer lines of prose are hard to read
_NO_BASE = "Examples leave out the generated base class; `savegen wire` adds it."
_HEADINGS = {"before": "before", "wrong": "wrong", "right": "right"}
_STYLES = {"before": "help", "wrong": "error", "right": "added"}


def _complete_code(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[str]:
    from savegen.build.stories import codes

    return [code for code in codes() if code.startswith(incomplete.upper())]


@click.command()
@click.argument("code", shell_complete=_complete_code)
@option.common
@click.pass_obj
def command(console: Console, code: str) -> int:
    """Explain what the finding CODE means, what your players would lose, and how to fix it.

    Most explanations end with two examples: a file with the fault, and a correct one.

    To silence a warning or a note in your code, end its line with the comment
    `# savegen: ignore[SG140]`. Errors cannot be silenced.

    \b
    Example: savegen explain SG203
    """
    from savegen.build import stories
    from savegen.cli._rules import finding_classes
    from savegen.build.render import label

    story = _story(code)
    severity = finding_classes()[story.code].severity
    head = f"{label(severity)}[{story.code}]"
    console.print_styled((head, severity.name.lower()), (f": {story.title}", "message"))
    paragraphs = story.text.split("\n\n")
    paragraphs += [_NO_BASE] if story.leaves_out_base else []
    for paragraph in paragraphs:
        console.print(f"\n{_wrapped(paragraph, min(console.width, _MAX_COLUMNS))}")
    for tag in stories.TAGS:
        _print_example(console, story, tag)
    return 0


def _story(code: str) -> Story:
    from savegen.build import stories
    from savegen.findings import SavegenError

    if code.upper() in stories.codes():
        return stories.story(code.upper())
    close = " or ".join(map(repr, stories.alike(code)))
    hint = f"did you mean {close}? " if close else ""
    raise SavegenError(
        f"there is no finding {code!r}; {hint}`savegen rules` lists all codes"
    )


def _wrapped(paragraph: str, width: int) -> str:
    import textwrap

    return textwrap.fill(
        paragraph, width, break_long_words=False, break_on_hyphens=False
    )


def _print_example(console: Console, story: Story, tag: str) -> None:
    import textwrap

    if text := story.shown(tag):
        console.print_styled(
            ("\n", ""), (f"{_HEADINGS[tag]}:", _STYLES[tag]), ("\n", "")
        )
        console.print(textwrap.indent(text, "    ").rstrip("\n"))
