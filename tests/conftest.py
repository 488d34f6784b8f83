"""What all tests share: how goldens are refreshed, and how hard hypothesis looks."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize="CI" in os.environ)
settings.register_profile("soak", deadline=None, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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
