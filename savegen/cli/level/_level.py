"""What the level commands share: find the schema, read level folders, print findings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from savegen import disk
from savegen.cli._console import Console
from savegen.findings import Report, SavegenError

if TYPE_CHECKING:
    from savegen.levels.plan import LevelLayout
    from savegen.levels.reader import Folder
    from savegen.levels.rules import SchemaRules

SCHEMA, TEMPLATE = "level.schema.json", "template.lvl"


class ReadLevel(NamedTuple):
    """A level folder that was read."""

    folder: Folder
    layout: LevelLayout | None  # `None` if there are errors
    report: Report


def generated_file(console: Console, name: str) -> str:
    """Return the path of a generated file. Raises `SavegenError` if it is missing."""
    from savegen.cli._lock_file import find_config

    config = find_config(console)
    path = disk.join(config.root, config.output, name)
    if not disk.exists(path):
        command = console.fix_command(command="build")
        shown = console.path(config.root, f"{config.output}/{name}")
        raise SavegenError(f"there is no {shown} yet: run `{command}`")
    return path


def rules_of(console: Console, schema: str | None) -> SchemaRules:
    """Return the rules in the schema. Raises `SavegenError` if there is no valid schema."""
    from savegen.levels.rules import SchemaRules
    from savegen.runtime.errors import SaveError

    path = schema or generated_file(console, SCHEMA)
    try:
        content = json.loads(disk.read(path).decode("utf-8-sig"))
        if not isinstance(content, dict):
            raise ValueError
        return SchemaRules(content)
    except (ValueError, RecursionError, SaveError):
        raise SavegenError(
            f"{path} is not a schema of level.lvl: name the level.schema.json that"
            " `savegen build` wrote"
        ) from None


def require_image_packages() -> None:
    """Raise `SavegenError` if numpy or Pillow is not installed."""
    from importlib.util import find_spec

    for module, package in (("numpy", "numpy"), ("PIL", "pillow")):
        if find_spec(module) is None:
            raise SavegenError(
                f'levels need the package {package}: run pip install "savegen[build,levels]"'
            )


def folder_at(path: str) -> Folder:
    """Return the content of a level folder. Raises `SavegenError` if it is not a folder."""
    status = disk.status(disk.resolve(path))
    if status is None or status.kind != "folder":
        raise SavegenError(f"{path} is not a folder")
    from savegen.levels.reader import read_folder

    return read_folder(path)


def read_levels(
    console: Console, paths: Iterable[str], schema: str | None
) -> tuple[list[ReadLevel], SchemaRules]:
    """Return the levels in some folders, and the rules by which they were checked."""
    require_image_packages()
    from savegen.levels.layout import layout_of

    folders = [folder_at(path) for path in paths]
    rules = rules_of(console, schema)
    levels = []
    for folder in folders:
        layout, findings = layout_of(folder, rules)
        levels.append(ReadLevel(folder, layout, Report(findings)))
    return levels, rules


def print_findings(console: Console, levels: Sequence[ReadLevel]) -> bool:
    """Print the findings of some levels, and return whether any level has errors."""
    from savegen.levels.reader import DESCRIPTION

    report = Report(finding for level in levels for finding in level.report)
    if console.strict:
        report.turn_warnings_into_errors()
    folders = [level.folder for level in levels]
    texts = {folder.path_of(DESCRIPTION): folder.description for folder in folders}

    @cache
    def lines_of(path: str) -> list[str]:
        data = texts.get(path)
        return data.decode("utf-8-sig", "replace").split("\n") if data else []

    def line_of(path: str, line: int) -> str | None:
        lines = lines_of(path)
        return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else None

    console.print_findings(report, line_of)
    return report.failed


def replace_file(path: str, old: bytes, new: bytes) -> None:
    """Replace the content of a file. Raises `SavegenError` if it is no longer `old`."""
    status = disk.status(path)
    if status is None or disk.read(path) != old:
        raise SavegenError(
            f"{path} changed during the run, so savegen did not replace it: run the"
            " command again"
        )
    disk.write(path, new, mode=status.mode)


def counts(layout: LevelLayout) -> str:
    """Return the numbers of layers, rectangles and sprites of a level as text."""
    from savegen.levels.drawing.legend import contents

    return ", ".join(contents(layout))
