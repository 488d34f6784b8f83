"""Which libraries `savegen.levels` imports, and when; and what the name `partition` means."""

from __future__ import annotations

from tests.project import python


def output_of(program: str) -> list[str]:
    return python("-c", program).split()


def test_image_libraries_are_not_imported_before_they_are_used() -> None:
    modules = (
        "savegen.levels.layout, savegen.levels.rules, savegen.levels.partition.plain"
    )
    loaded = output_of(f"import {modules}, sys; print(*sys.modules)")
    assert not {"numpy", "PIL"}.intersection(loaded)


def test_the_name_partition_means_the_function_and_not_the_package() -> None:
    program = (
        "import savegen.levels.partition.arrays; from savegen.levels import partition;"
        "print(len(partition([[1, 2]]).rectangles))"
    )
    assert output_of(program) == ["2"]
