"""The documentation as a web site: it is complete, no link is broken, and it needs no network."""

import functools
import html
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from savegen import cli, saves
from savegen.build import stories
from savegen.runtime import errors
from tests.test_documentation import GENERATED

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
_, _, NAVIGATION = CONFIG.partition("\nnav:\n")
LISTED = re.findall(r"([\w/-]+\.md)$", NAVIGATION, re.MULTILINE)

# The lines of the page "I want to…": a task, and where it is described.
TASKS = re.findall(
    r"^- ([^`\n]*?)(?:`.*)?: (\[.*)$", (DOCS / "i-want-to.md").read_text("utf-8"), re.M
)

# What a browser fetches by itself, as opposed to what a reader may follow.
FETCHED = {"script", "img", "iframe", "source", "video", "audio", "embed", "link"}
# The theme's script fetches more from elsewhere where a page has one of these.
FETCHING = ('class="mermaid', "glightbox", "data-md-exec", 'data-md-component="source"')


def test_the_page_of_tasks_has_one_link_for_each_task() -> None:
    assert len(TASKS) >= 40
    assert [task for task, links in TASKS if links.count("](") != 1] == []
    assert len({links for _, links in TASKS}) == len(TASKS)


def test_each_page_is_in_the_navigation_once() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    written = [page for page in LISTED if not GENERATED.search(page)]
    assert sorted(written) == sorted(pages)


MARKS = {"Activation", "Recorder", "SaveError", "serializer", "deserializer"}


@pytest.mark.parametrize(
    ("page", "module", "elsewhere"),
    [
        ("marks", "savegen", set()),
        # The marks can be had from there, too, and have a page of their own; `UNSET` is msgspec's.
        ("worlds", "savegen.runtime", MARKS | {"UNSET"}),
        # The errors are those of `savegen.runtime`, whose page shows them.
        ("saves", "savegen.saves", {n for n in dir(errors) if n in saves.__all__}),
        ("levels", "savegen.levels", set()),
    ],
)
def test_each_public_name_has_its_place_in_the_api(
    page: str, module: str, elsewhere: set[str]
) -> None:
    text = (DOCS / f"api/{page}.md").read_text(encoding="utf-8")
    names = re.findall(rf"^::: {module}\.(\w+)$", text, re.MULTILINE)
    public = {*importlib.import_module(module).__all__} - elsewhere
    assert sorted(names) == sorted(public)


def test_the_site_is_complete_and_stands_alone(tmp_path: Path) -> None:
    site = built(tmp_path)
    assert {page.replace(".md", ".html") for page in LISTED} <= {
        path.relative_to(site).as_posix() for path in site.rglob("*.html")
    }
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not [each for each in FETCHING if each in text], path
        for tag, target in links(text):
            assert_resolves(site, path, tag, target)
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(['\"]?(https?:)?//", text), path
    assert 'class="language-pycon' in (site / "api/marks.html").read_text("utf-8")
    findings = "".join(page.read_text("utf-8") for page in site.glob("findings/sg*"))
    assert [code for code in stories.codes() if f'id="{code.lower()}"' in findings] == (
        stories.codes()
    )
    commands = (site / "reference-commands.html").read_text(encoding="utf-8")
    for name in cli.COMMANDS:
        assert f">savegen {name}<" in commands, name
    searched = (site / "search.json").read_text(encoding="utf-8")
    assert json.loads(searched)["items"]
    assert [task for task, _ in TASKS if task not in searched] == []


def built(folder: Path) -> Path:
    """Build the site as `make docs` does, away from the checkout; return its folder."""
    leave_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(DOCS, folder / "docs", ignore=leave_out)
    for name in "mkdocs.yml", "CHANGELOG.md", "LICENSE":
        shutil.copy(ROOT / name, folder)
    zensical = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    for command in [sys.executable, "docs/generate.py", "build/docs"], zensical:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout
    return folder / "site"


def links(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a page leads to, each with its element."""
    found: list[tuple[str, str]] = []

    class Links(HTMLParser):
        def handle_starttag(
            self, tag: str, attrs: list[tuple[str, str | None]]
        ) -> None:
            found.extend((tag, v) for k, v in attrs if k in ("src", "href") and v)

    Links().feed(text)
    yield from found


def assert_resolves(site: Path, page: Path, tag: str, target: str) -> None:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        assert tag not in FETCHED or parts.scheme == "data", (page, target)
        return
    if page.name != "404.html":
        leads_to = page.parent / unquote(parts.path) if parts.path else page
        assert leads_to.exists(), (page, target)
        assert not parts.fragment or unquote(parts.fragment) in ids(leads_to), (
            page,
            target,
        )


@functools.cache
def ids(page: Path) -> set[str]:
    """Return the places in a page to which a link can lead."""
    return {
        html.unescape(i)
        for i in re.findall(r'id="?([^\s">]+)', page.read_text("utf-8"))
    }
