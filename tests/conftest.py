"""What all tests share: how goldens are refreshed, and how hard hypothesis looks."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

if TYPE_CHECKING:
    from tests.promises.games import Games

# CI looks at the same examples each time, at which it is no use to look long: who works on the
# tool looks at others, and `make soak` looks long.
CI = "CI" in os.environ
settings.register_profile(
    "default", deadline=None, derandomize=CI, max_examples=50 if CI else 100
)
settings.register_profile("soak", deadline=None, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Thousands of collected tests are looked through again and again for garbage, in vain.
gc.set_threshold(20_000, 20, 100)

# Python takes a file that changes twice within a second for the one it has compiled: no game
# that a test makes, in whatever process, is to leave what it has compiled. The tests themselves
# may: to compile them takes a worker longer than to import them.
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    sys.dont_write_bytecode = True
    # Tests that ask for all garbage need not look through ten thousand other tests.
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests only in files that have some: it takes longer than all else here."""
    found = yield
    if b"\n    >>> " in file_path.read_bytes():
        return found
    return [each for each in found if not isinstance(each, DoctestModule)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept",
        action="store_true",
        help="Rewrite the corpus's expected files; a test that needed it still fails.",
    )


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether what was found becomes what is expected."""
    return bool(request.config.getoption("--accept"))


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this test run have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Games:
    """Return a function that makes small games, each of them once."""
    from tests.promises.games import generated_once

    return generated_once(lambda: tmp_path_factory.mktemp("game"))
