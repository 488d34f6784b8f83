"""The README and every page of docs/, done as a reader would: files written, commands run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.forks import can_fork, run_in_fork
from tests.project import mypy, pyright

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]

# The pages whose readers do something; the others explain, list or measure.
OTHERS = {"design", "glossary", "i-want-to", "numbers"}
GUIDE = [p for p in sorted((ROOT / "docs").glob("*.md")) if p.stem not in OTHERS]

# The games that the readers of some pages have, whose files a page does not show.
GAMES = ROOT / "tests/pages"

# Pages that `make docs` writes; tests/test_site.py looks at the links to them.
GENERATED = re.compile(
    r"findings/(index|sg\dxx)\.md$|(reference-commands|changelog|licence)\.md$"
)

# What a page may tell its reader to run. These are run, and must print what the page says.
TRIED = {
    "savegen": [sys.executable, "-m", "savegen"],
    "python": [sys.executable],
    "git": ["git"],
    "cat": ["cat"],
    "ls": ["ls"],
}
# These need a network, a window or a checkout; other tests try what they do.
NOT_TRIED = {"pip", "make", "pre-commit", "cd", "eval"}


class Block(NamedTuple):
    """A fenced block of a page; `file` is the name it bears, if it is a file."""

    language: str
    file: str | None
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page.

    A file's name is the title of its block, or the comment in its first line.
    """
    text = page.read_text(encoding="utf-8")
    fences = r'^```(\w+)(?: title="([^"\n]+)")?[^\n]*\n(.*?)^```$'
    for language, title, body in re.findall(fences, text, re.M | re.S):
        commented = re.match(r"# ([\w/]+\.(?:py|toml))\n", body)
        yield Block(language, title or (commented and commented[1]), body)


def test_there_are_pages() -> None:
    assert len(PAGES) > 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page: Path, tmp_path: Path) -> None:
    follow(page, tmp_path)


# The pages whose code is that of a whole game, so that readers run their type checkers on it.
TYPED = [ROOT / "docs/pygame.md", ROOT / "docs/sample-game.md"]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_the_game_of_a_page_is_clean_under_mypy_strict_and_pyright(
    page: Path, tmp_path: Path
) -> None:
    follow(page, tmp_path)
    files = sorted({block.file for block in blocks(page) if block.file})
    modules = [file for file in files if file.endswith(".py")]
    said = mypy(tmp_path, *modules).stdout
    assert said.startswith("Success: no issues found"), said
    assert pyright(tmp_path, *modules) == []


def follow(page: Path, folder: Path) -> None:
    """Write the files of a page and run its commands, which must print what it says."""
    if (game := GAMES / page.stem).exists():
        shutil.copytree(game, folder, dirs_exist_ok=True)
    for block in blocks(page):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command, expected in sessions(block.text):
                words = shlex.split(command, comments=True)
                if words[0] not in NOT_TRIED:
                    assert run(words, folder) == timeless(expected), command


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_a_page_opens_with_an_example_that_is_run(page: Path) -> None:
    beginning, _, _ = page.read_text("utf-8").partition("\n## ")
    assert re.search(r"^\$ (savegen|python) ", beginning, re.M)
    assert not re.search(r"^```(text|py)\n", beginning, re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_all_code_of_a_page_is_tried(page: Path) -> None:
    nameless = [b.text for b in blocks(page) if b.language == "python" and not b.file]
    assert not nameless, "give the block the name of a file"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8"))
    written = [each for each in links if not GENERATED.search(each)]
    assert [each for each in written if not (page.parent / each).exists()] == []


def sessions(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it prints."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)


def timeless(text: str) -> str:
    """Return what is printed without how long things took."""
    return re.sub(r"\b\d+\.\d+ s\b", "… s", text)


def run(words: list[str], folder: Path) -> str:
    environment = {
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        "SDL_VIDEODRIVER": "dummy",
        "SDL_AUDIODRIVER": "dummy",
        "XDG_DATA_HOME": str(folder / "data"),  # of the player, on Linux
    }
    command = [*TRIED[words[0]], *words[1:]]
    arguments = tuple(command[1:])
    if command[0] == sys.executable and can_fork(arguments):
        done = run_in_fork(arguments, folder, environment, together=True)
    else:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
    return timeless(done.stdout)


def test_the_make_verbs_of_the_pages_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    verbs = {*re.findall(r"^\$ make (\w+)", pages, re.M)}
    assert verbs and [v for v in verbs if f"\n{v}:" not in makefile] == []


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
def test_the_level_that_is_to_be_played_is_told_to_the_game_alone() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "play", "ARGS=cavern"],
        cwd=ROOT,
        # The tests may have been started by make themselves.
        env={k: v for k, v in os.environ.items() if "MAKE" not in k},
        capture_output=True,
        text=True,
        check=True,
    )
    build, _, play = done.stdout.splitlines()[-3:]
    assert build.split()[-3:] == ["savegen", "build", "--verbose"]
    assert play.split()[-2:] == ["sample_game", "cavern"]
