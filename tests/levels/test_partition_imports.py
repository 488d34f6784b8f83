"""Which libraries `partition` imports, and when; and what the name `partition` means."""

from __future__ import annotations


import pytest

from tests.project import python


def output_of(program: str) -> list[str]:
    return python("-c", program).split()


@pytest.mark.parametrize(
    "module", ["savegen.levels", "savegen.levels.partition", "savegen.levels.partition.plain"]
)  # fmt: skip
def test_numpy_is_not_loaded_before_it_is_used(module: str) -> None:
    loaded = output_of(f"import {module}, sys; print(*sys.modules)")
    assert not {"numpy", "PIL"}.intersection(loaded)


def test_the_name_partition_means_the_function_and_not_the_package() -> None:
    program = (
        "import savegen.levels.partition.arrays; from savegen.levels import partition;"
        "print(len(partition([[1, 2]]).rectangles))"
    )
    assert output_of(program) == ["2"]
