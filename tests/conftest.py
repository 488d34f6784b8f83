"""What all tests share: how goldens are refreshed, and how hard hypothesis looks."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest
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
# that a test makes, in whatever process, is to leave what it has compiled.
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


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
def games(tmp_path_factory: pytest.TempPathFactory) -> Games:
    """Return a function that makes small games, each of them once."""
    from tests.promises.games import generated_once

    return generated_once(lambda: tmp_path_factory.mktemp("game"))
