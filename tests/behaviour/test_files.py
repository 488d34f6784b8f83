"""A file has exactly what was saved: values of every type, with surprises among them."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.test_round_trip import project as project
from tests.project import Project


@pytest.mark.parametrize("case", ["declared/bare", "slots/bare"])
def test_what_is_written_is_read_as_it_was(case: str, project: Project) -> None:
    found = json.loads(project.run("-m", "tests.behaviour.file_driver", case))
    assert not found[case], "\n\n".join(found[case])


def test_a_reader_that_changes_something_would_be_seen(project: Project) -> None:
    """The control arm."""
    found = json.loads(
        project.run("-m", "tests.behaviour.file_driver", "--damaged", "slots/bare")
    )
    assert found["slots/bare"]
