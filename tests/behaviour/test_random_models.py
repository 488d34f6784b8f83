"""Whatever types a class puts together, its values come back the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.behaviour import random_models
from tests.project import Project
from tests.soaking import examples


@settings(
    max_examples=examples(1),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 2**32))
def test_random_classes_keep_their_values(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    check(tmp_path_factory.mktemp("random"), seed)


def check(folder: Path, seed: int) -> None:
    project = Project(folder, random_models.files(seed)).generated()
    types = project.folder / "game/_savegen/types.py"
    with types.open("a", encoding="utf-8") as file:
        file.write("\n    ORC = 16\n    ROCKET = 77\n")
    told = project.run("-m", "tests.behaviour.random_models", str(seed))
    failures = [each for found in json.loads(told).values() for each in found]
    assert not failures, f"seed {seed}\n" + "\n\n".join(failures)
