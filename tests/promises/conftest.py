"""What the tests of promises share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.promises.games import Slot


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    """Return a slot that has no save yet."""
    return Slot(tmp_path / "saves")
