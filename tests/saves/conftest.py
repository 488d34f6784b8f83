"""What the tests of saves share."""

from __future__ import annotations

import pytest

from tests.runtime.conftest import game as game
from tests.runtime.conftest import manager as manager
from tests.runtime.conftest import new_manager as new_manager
from tests.runtime.conftest import registry as registry
from tests.saves.small_world import small as small
from tests.saves.virtual import Patch


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Patch:
    """Puts virtual disks in the place of the system's."""
    return Patch(monkeypatch)
