"""Pass 3 of a session: check whether it has to run, run the game, write the results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from savegen import disk
from savegen.build import links
from savegen.cli._console import Console
from savegen.build.links import Failure, Linked, Stale
from savegen.findings import Finding, SavegenError, Span, hardened

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.model import Model
    from savegen.build.pipeline import Generated
    from savegen.build.write import Change


def stale(session: Session, generated: Generated) -> list[Stale]:
    """Return the files of pass 3 that are missing or do not match the other passes."""
    if not any(generated.model.prefabs):
        return []
    held = {name: session.held(_path(session, name)) for name in links.WRITTEN}
    missing = [Stale(n, "it is missing") for n, data in held.items() if data is None]
    info = held[links.INFO]
    if missing or info is None:
        return missing

    def file(name: str) -> bytes | None:
        path = _path(session, name)
        return held.get(name) or generated.files.get(path) or session.held(path)

    numbers = {prefab.enum_member: prefab.number for prefab in generated.model.prefabs}
    found = links.stale(info, numbers, file, session.held)
    return [found] if found else []


def update(
    console: Console,
    session: Session,
    generated: Generated,
    seconds: int,
    always: bool,
) -> list[Change]:
    """Run the game if a file of pass 3 is outdated, or `always`, and write the results.

    If a prefab cannot be built, nothing is written and the session has the findings.
    A missing generated base, a warning in pass 1, is an error here.
    If the files cannot be written, the game is not run.
    """
    if not any(generated.model.prefabs):
        return []
    if not always and not stale(session, generated):
        info = session.held(_path(session, links.INFO))
        known = links.recorded(info or b"")
        session.complete(known.sources if known else ())
        return []
    session.later.extend(map(hardened, _unwired(generated.model)))
    if session.later.failed:
        return []
    if session.refused:
        raise session.refused
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
) -> list[Change]:
    linked = _run(console, session, seconds)
    place = partial(_place, session, generated.model)
    session.later.extend(links.findings(linked.failures, place))
    if session.later.failed:
        return []
    sources = dict(_sources(session, linked.loaded))
    programs = {n: generated.files[_path(session, n)] for n in links.PROGRAMS}
    for name, data in links.files(linked, programs, sources).items():
        generated.files[_path(session, name)] = data
    changes = session.apply(session.plan(generated, passes=3))
    session.complete(sources)
    return changes


def _run(console: Console, session: Session, seconds: int) -> Linked:
    game = game_of(session, f"{generated_package(session)}.{links.PROGRAM}")
    return links.link(game, os.environ, seconds, console.detail)


def generated_package(session: Session) -> str:
    """Return the name under which the game imports the generated package."""
    return session.layout.types_import.removesuffix(".types")


def game_of(session: Session, module: str) -> links.Game:
    """Return the settings that run a module in the game's Python, with its import path."""
    config = session.config
    python = _python(config.root, config.python) if config.python else sys.executable
    return links.Game(python, module, config.root, session.import_roots)


def _python(root: str, named: str) -> str:
    """Return the Python of the settings: an existing path, or a command name."""
    place = disk.expand(root, named)
    if disk.exists(place):
        return place
    if "/" in named or "\\" in named:
        raise SavegenError(
            f"`python` in [tool.savegen] names {named}, which does not exist"
        )
    return named


def _sources(session: Session, loaded: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each project file that the game loaded.

    Raises `SavegenError` if a file changed while the game was running.
    """
    found = {_inside(session, each) for each in loaded}
    for path in sorted(filter(None, found)):
        data = session.held(path)
        if data is None or session.has_changed(path):
            raise SavegenError(
                f"{path} changed while the game was running; run savegen again"
            )
        yield path, data


def _inside(session: Session, place: str) -> str | None:
    """Return a file's path in the project; `None` if it is generated or outside."""
    root = session.config.root
    path = disk.relative(place, root)
    if path.startswith(".."):
        path = disk.relative(disk.resolve(place), disk.resolve(root))
    is_foreign = path.startswith("..") or disk.is_skipped(path)
    is_output = path.startswith(f"{session.config.output}/")
    return None if is_foreign or is_output else path


def _place(session: Session, model: Model, failure: Failure) -> Span:
    """Return the line of the game that failed, or else the place of the prefab."""
    path = _inside(session, failure.file) if failure.file else None
    if path and failure.line:
        return _whole_line(session, path, failure.line)
    named = {prefab.module: prefab.span for prefab in model.prefabs}
    named |= {prefab.name: prefab.span for prefab in model.prefabs}
    return named.get(failure.prefab, Span(path or session.config.output))


def _whole_line(session: Session, path: str, line: int) -> Span:
    module = session.project.module_at(path)
    lines = session.project.file(module).lines if module else []
    text = lines[line - 1].rstrip() if line <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    return Span(path, line, start, line, max(len(text) + 1, start + 1))


def _path(session: Session, name: str) -> str:
    return f"{session.config.output}/{name}"
