"""Run pass 3 for a session: find out whether it is needed, run the game, write the results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from savegen import disk
from savegen.build import links
from savegen.cli._console import Console
from savegen.build.links import Failure, LinkResult, Stale
from savegen.findings import Finding, SavegenError, Severity, Span, with_severity

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.model import Model
    from savegen.build.pipeline import Generated
    from savegen.build.write import FileChange


def stale(session: Session, generated: Generated) -> list[Stale]:
    """Return the files of pass 3 that are missing or out of date."""
    if not any(generated.model.prefabs):
        return []
    written = {n: session.content(_path(session, n)) for n in links.WRITTEN}
    missing = [Stale(n, "it is missing") for n, data in written.items() if data is None]
    if missing:
        return missing

    def output(name: str) -> bytes | None:
        path = _path(session, name)
        return written.get(name) or generated.files.get(path) or session.content(path)

    numbers = {prefab.enum_member: prefab.number for prefab in generated.model.prefabs}
    info, sources = written[links.INFO] or b"", written[links.SOURCES] or b""
    first = links.stale(info, sources, numbers, output, session.content)
    return [first] if first else []


def update(
    console: Console,
    session: Session,
    generated: Generated,
    seconds: int,
    always: bool,
) -> list[FileChange]:
    """Run the game if a file of pass 3 is outdated, or `always`, and write the results.

    If a prefab cannot be built, write nothing and add findings to the session. A missing
    generated base, which is a warning in pass 1, is an error here, because no prefab can be
    built without it. If the files cannot be written, do not run the game.
    """
    if not any(generated.model.prefabs):
        return []
    if not always and not stale(session, generated):
        recorded = session.content(_path(session, links.SOURCES)) or b""
        session.confirm_pass_3(links.loaded_files(recorded))
        return []
    unwired = _unwired(generated.model)
    session.later_report.extend(with_severity(f, Severity.ERROR) for f in unwired)
    if session.later_report.failed:
        return []
    if session.write_error:
        raise session.write_error
    return _write(console, session, generated, seconds)


def _unwired(model: Model) -> Iterator[Finding]:
    """Yield a finding for each class of a part that lacks its generated base."""
    from savegen.build.check.classes import missing_mixin

    parts = {part.cls for prefab in model.prefabs for part in prefab.parts}
    for module in model.modules.values():
        for cls in module.classes:
            if cls.name in parts:
                yield from missing_mixin(cls, module)


def _write(
    console: Console,
    session: Session,
    generated: Generated,
    seconds: int,
) -> list[FileChange]:
    result = _run(console, session, seconds)
    place_of = partial(_place_of, session, generated.model)
    session.later_report.extend(links.findings(result.failures, place_of))
    if session.later_report.failed:
        return []
    sources = dict(_loaded_sources(session, result.loaded))
    programs = {n: generated.files[_path(session, n)] for n in links.PROGRAMS}
    for name, data in links.files(result, programs, sources).items():
        generated.files[_path(session, name)] = data
    changes = session.apply(session.plan(generated, passes=3))
    session.confirm_pass_3(sources)
    return changes


def _run(console: Console, session: Session, seconds: int) -> LinkResult:
    program = game_program(session, f"{generated_package(session)}.{links.PROGRAM}")
    return links.link(program, os.environ, seconds, console.detail)


def generated_package(session: Session) -> str:
    """Return the name under which the game imports the generated package."""
    return session.layout.types_import.removesuffix(".types")


def game_program(session: Session, module: str) -> links.GameProgram:
    """Return the settings that run a module in the game's Python, with its import path."""
    config = session.config
    python = _python(config.root, config.python) if config.python else sys.executable
    return links.GameProgram(python, module, config.root, session.import_roots)


def _python(root: str, setting: str) -> str:
    """Return the Python in the settings: an existing path, or a command name."""
    path = disk.expand(root, setting)
    if disk.exists(path):
        return path
    if "/" in setting or "\\" in setting:
        raise SavegenError(
            f"`python` in [tool.savegen] names {setting}, which does not exist"
        )
    return setting


def _loaded_sources(
    session: Session, loaded: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each project file that the game loaded.

    Raises `SavegenError` if a file changed while the game was running.
    """
    paths = {_path_in_project(session, place) for place in loaded}
    for path in sorted(filter(None, paths)):
        data = session.content(path)
        if data is None or session.has_changed(path):
            raise SavegenError(
                f"{path} changed while the game was running; run savegen again"
            )
        yield path, data


def _path_in_project(session: Session, place: str) -> str | None:
    """Return a file's path in the project; `None` if it is generated or outside."""
    root = session.config.root
    path = disk.relative(place, root)
    if path.startswith(".."):
        path = disk.relative(disk.resolve(place), disk.resolve(root))
    is_outside = path.startswith("..") or disk.is_skipped(path)
    is_output = path.startswith(f"{session.config.output}/")
    return None if is_outside or is_output else path


def _place_of(session: Session, model: Model, failure: Failure) -> Span:
    """Return the line of the game that failed, or else the place of the prefab."""
    path = _path_in_project(session, failure.file) if failure.file else None
    if path and failure.line:
        return _whole_line(session, path, failure.line)
    spans = {prefab.module: prefab.span for prefab in model.prefabs}
    spans |= {prefab.name: prefab.span for prefab in model.prefabs}
    return spans.get(failure.prefab, Span(path or session.config.output))


def _whole_line(session: Session, path: str, line: int) -> Span:
    module = session.project.module_at(path)
    lines = session.project.file(module).lines if module else []
    text = lines[line - 1].rstrip() if line <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    return Span(path, line, start, line, max(len(text) + 1, start + 1))


def _path(session: Session, name: str) -> str:
    return f"{session.config.output}/{name}"
