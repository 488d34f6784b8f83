"""A file has exactly what was saved: values of every type, with surprises among them."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.bestiary import WRAPPERS
from tests.behaviour.test_round_trip import project as project
from tests.project import Project


@pytest.mark.parametrize("case", ["declared/bare", "slots/bare"])
def test_what_is_written_is_read_as_it_was(case: str, project: Project) -> None:
    found = json.loads(project.run("-m", "tests.behaviour.file_driver", case))
    assert not found[case], found[case]


def test_a_reader_that_changes_something_would_be_seen(project: Project) -> None:
    """The control arm."""
    found = json.loads(
        project.run("-m", "tests.behaviour.file_driver", "--damaged", "slots/bare")
    )
    assert found["slots/bare"]


def test_what_generated_code_has_packed_needs_no_check_where_a_save_makes_none(
    project: Project,
) -> None:
    cases = [f"declared/{wrapper}" for wrapper in WRAPPERS]
    driver = "-m", "tests.behaviour.file_driver", "--packed"
    found = json.loads(project.run(*driver, *cases))
    assert not any(found.values()), found


def test_packing_that_lets_through_what_does_not_fit_would_be_seen(
    project: Project,
) -> None:
    """The control arm."""
    driver = "-m", "tests.behaviour.file_driver", "--packed", "--unchecked"
    assert json.loads(project.run(*driver, "declared/bare"))["declared/bare"]
