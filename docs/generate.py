"""Write the pages that the site is built from: those of docs/, and those made from savegen itself.

`python docs/generate.py FOLDER` fills the folder anew. The findings come from their stories,
the commands from click, and the changelog and the licence from their files, so none of them can
be out of date.
"""

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from savegen import cli

from savegen.build import stories
from savegen.cli._rules import SERIES, finding_classes

DOCS = Path(__file__).parent
LAST = "reference-commands.md"  # the page that is written last

HEADINGS = {"before": "Before", "wrong": "Wrong", "right": "Right"}

# The commands that show what a wrong example leads to. SG105 needs a file that nobody may read,
# SG307 a merge, SG5 a folder of images, and SG6 a released version: no page has one.
DEFAULT_COMMANDS = ("components",)
COMMANDS = {
    "SG105": (),
    "SG106": ("wire",),
    "SG307": (),
    "SG309": ("components", "prefabs"),
    "SG310": ("components", "prefabs"),
    "SG4": ("components", "prefabs"),
    "SG411": ("build",),
    "SG412": ("build",),
    "SG5": (),
    "SG6": (),
}


def main(folder: Path) -> None:
    """Fill the folder with all pages of the site; one that holds something else stays."""
    if folder.exists() and not (folder / LAST).exists():
        sys.exit(f"{folder} was not written by this program; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    write(folder / "findings/index.md", index())
    for family in SERIES:
        write(folder / page_of(family), findings(family))
    changelog = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    write(folder / "changelog.md", changelog.replace("](docs/", "]("))
    write(folder / "licence.md", licence())
    write(folder / LAST, commands())


def licence() -> str:
    """Return the licence as a page, below its title."""
    title, _, text = (DOCS.parent / "LICENSE").read_text("utf-8").partition("\n")
    return f"# {title}\n{text}"


def write(path: Path, text: str) -> None:
    """Write a page, and its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# -- findings


def page_of(family: str) -> str:
    """Return the page of a family: `findings/sg1xx.md`."""
    return f"findings/{family.lower()}xx.md"


def codes_of(family: str) -> list[str]:
    """Return the codes of a family, in order."""
    return [code for code in stories.codes() if code.startswith(family)]


def severity_of(code: str) -> str:
    """Return the severity of a finding, as the terminal has it."""
    return finding_classes()[code].severity.name.lower()


def index() -> str:
    """Return the page that lists all findings."""
    lines = [
        "# Findings",
        "",
        "savegen reports what is wrong with a game's source, its lock, its prefabs or its levels"
        " as a *finding*. Each finding has a code that never changes its meaning. In a terminal,"
        " `savegen explain SG101` prints the text of these pages, and `savegen rules` the list.",
    ]
    for family, title in SERIES.items():
        page = page_of(family).removeprefix("findings/")
        lines += ["", f"## {family}xx: {title}", "", "| Code | Severity | Finding |"]
        lines += ["|---|---|---|"]
        for code in codes_of(family):
            link = f"[{code}]({page}#{code.lower()})"
            title_of = stories.story(code).title.replace("|", "\\|")
            lines.append(f"| {link} | {severity_of(code)} | {title_of} |")
    return "\n".join(lines) + "\n"


def findings(family: str) -> str:
    """Return the page of a family: each finding with its examples."""
    first, *_ = codes_of(family)
    lines = [
        f"# {family}xx: {SERIES[family]}",
        "",
        f"In a terminal, `savegen explain {first}` prints the same text. The"
        " [glossary](../glossary.md) explains the terms. Most examples leave out the generated"
        " base classes, because `savegen wire` adds them.",
        "",
    ]
    return "\n".join(lines) + "".join(finding(code) for code in codes_of(family))


def finding(code: str) -> str:
    """Return the part of a page about one finding."""
    story = stories.story(code)
    severity = severity_of(code)
    parts = [
        f"\n## {code}: {story.title} {{ #{code.lower()} }}",
        f"*{severity}*{{ .severity .{severity} }}",
        story.text,
    ]
    for tag in stories.TAGS:
        parts += [example(tag, path, text) for path, text in story.files(tag).items()]
        if tag == "wrong" and story.files(tag) and (shown := message(story)):
            parts.append(f'```{{ .text title="Message" }}\n{shown}\n```')
    return "\n\n".join(parts) + "\n"


def example(tag: str, path: str, text: str) -> str:
    """Return an example as a block of code."""
    language = "json" if text.startswith("{") else "python"
    title = HEADINGS[tag] if path == "game.py" else f"{HEADINGS[tag]}: {path}"
    return f'```{{ .{language} .{tag} title="{title}" }}\n{text.rstrip()}\n```'


def message(story: stories.Story) -> str:
    """Return what savegen prints about a wrong example; "" if no page can show it."""
    code = story.code
    verbs = COMMANDS.get(code, COMMANDS.get(code[:3], DEFAULT_COMMANDS))
    if not verbs:
        return ""
    printed = ""
    with game() as folder:
        for tag in ("before", "wrong"):
            for path, text in story.files(tag).items():
                write(folder / path, text)
            printed = "\n".join(map(run, verbs))
    blocks = re.split(r"\n\n(?=\w+\[SG)", printed)
    found = next((b.strip() for b in map(cut, blocks) if f"[{code}]" in b), "")
    return found or sys.exit(f"the wrong example of {code} does not lead to {code}")


def cut(block: str) -> str:
    """Return a message without what is printed after it."""
    return block.partition("\n\n")[0]


@contextlib.contextmanager
def game() -> Iterator[Path]:
    """Enter the folder of an empty game for a while."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = "[tool.savegen]\nsource = '.'\nsave_version = 3\n"
        write(folder / "pyproject.toml", table)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(here)


def run(verb: str) -> str:
    """Run savegen, and return what it prints to stdout, notes included."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        cli.run([verb, "--all", "--no-color"])
    return out.getvalue()


# -- commands


def commands() -> str:
    """Return the page with the help of every command."""
    command = cli.savegen_command
    context = click.Context(
        command, info_name="savegen", max_content_width=80, terminal_width=80
    )
    lines = [
        "# All commands and options",
        "",
        "This is what `--help` prints. [Command line](command-line.md) explains the everyday ones.",
        "",
    ]
    return "\n".join(lines) + "".join(command_help(command, context, 2))


def command_help(
    command: click.Command, context: click.Context, level: int
) -> Iterator[str]:
    """Yield the help of a command and of those below it."""
    text = command.get_help(context)
    yield f"\n{'#' * level} {context.command_path}\n\n```text\n{text}\n```\n"
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        if below := command.get_command(context, name):
            inside = click.Context(below, context, name, terminal_width=80)
            yield from command_help(below, inside, min(level + 1, 3))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
