"""What a run remembers of the tool that made it."""

from __future__ import annotations

from pathlib import Path

from savegen.build import cache

ROOT = Path(__file__).parents[2]


def test_each_module_and_template_is_part_of_what_identifies_the_tool() -> None:
    names = cache.tool().split(" ")
    for folder, pattern in (("savegen", "*.py"), ("templates", "*.jinja")):
        paths = [p.relative_to(ROOT / folder) for p in (ROOT / folder).rglob(pattern)]
        assert paths and {path.as_posix() for path in paths} <= {*names}


def test_a_story_for_people_is_not() -> None:
    assert not any(name.endswith(".md") for name in cache.tool().split(" "))
