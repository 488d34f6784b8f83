"""`adopt` reads any source without an error of its own, and what it marks can be parsed.

The suite takes a few packages of the standard library; `make soak` takes all of it.
"""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from savegen.build.adopt.program import Program
from savegen.build.adopt.proposal import propose
from savegen.build.codemod.mark import Marks, mark
from savegen.build.codemod.survey import CannotEdit
from savegen.build.resolve.settings import Settings
from savegen.build.source import SourceFile
from tests.soaking import SOAKING

ROOT = Path(sysconfig.get_path("stdlib"))
FEW = ["concurrent", "dbm", "html", "json", "sqlite3", "wsgiref", "zoneinfo"]
PACKAGES = sorted(
    path.name
    for path in ROOT.iterdir()
    if path.suffix == ".py"
    or (any(path.rglob("*.py")) and path.name != "site-packages")
)


def source(path: Path) -> SourceFile:
    place = path.relative_to(ROOT).as_posix()
    module = place.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return SourceFile(place, module, path.read_bytes())


def files_of(name: str) -> list[SourceFile]:
    root = ROOT / name
    return [source(path) for path in sorted(root.rglob("*.py")) or [root]]


def assert_parses(path: str, marks: list[Marks]) -> None:
    try:
        new = mark((ROOT / path).read_bytes(), marks)
    except CannotEdit:
        return  # a question for the user
    ast.parse(new)


@pytest.mark.soak
@pytest.mark.parametrize("name", PACKAGES if SOAKING else FEW)
def test_any_source_is_read_and_marked(name: str) -> None:
    program = Program(files_of(name))
    proposal = propose(program, Settings(), ["."] if program.classes else [])
    for path, marks in proposal.marks.items():
        assert_parses(path, marks)
