"""Whatever a field can hold comes back from wire values the same, to the last bit.

One game has a field of every type; its own process takes them through bytes and JSON.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from savegen.runtime.checks import Check
from savegen.runtime.saves.wire import WIRES
from tests.behaviour import random_models
from tests.behaviour.project import Project
from tests.behaviour.test_round_trip import Outcome
from tests.behaviour.test_round_trip import project as project
from tests.behaviour.test_round_trip import shared_folder as shared_folder
from tests.saves.wire_driver import CASES
from tests.soaking import examples


@pytest.fixture(scope="module")
def outcome(project: Project) -> Outcome:
    found: Outcome = json.loads(project.run("-m", "tests.saves.wire_driver"))
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_type_in_every_position_comes_back_the_same(
    case: str, outcome: Outcome
) -> None:
    assert not outcome[case], "\n\n".join(outcome[case])


@settings(
    max_examples=examples(2),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 2**32))
def test_random_types_come_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    check(tmp_path_factory.mktemp("random"), seed)


def check(folder: Path, seed: int) -> None:
    project = Project(folder, random_models.files(seed))
    project.components("--quiet")
    types = project.folder / "game/_savegen/types.py"
    with types.open("a", encoding="utf-8") as file:
        file.write("\n    ORC = 16\n    ROCKET = 77\n")
    told = project.run("-m", "tests.saves.wire_driver", "--seed", str(seed))
    failures = [
        each for found in json.loads(told.splitlines()[-1]).values() for each in found
    ]
    assert not failures, f"seed {seed}\n" + "\n\n".join(failures)


# -- are these all checks?

NEVER_USED_THEMSELVES = {"Check", "_Single", "_Named"}


def kinds_of_checks(base: type[Check]) -> set[type[Check]]:
    found = {base}
    for cls in base.__subclasses__():
        found |= kinds_of_checks(cls)
    return found


def test_each_check_has_its_wire() -> None:
    ours = {
        cls for cls in kinds_of_checks(Check) if cls.__module__.startswith("savegen.")
    }
    assert {cls.__name__ for cls in ours - WIRES.keys()} == NEVER_USED_THEMSELVES
