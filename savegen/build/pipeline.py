"""Run the stages that turn source files into generated text. Nothing is written to disk here.

The results for files that have not changed are taken from a `Memory`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

from savegen.build.check import check_prefabs, check_project
from savegen.build.check.forgotten_state import join as join_forgotten_state
from savegen.build.emit import (
    Layout,
    emit_module,
    emit_prefabs,
    emit_shared,
    format_files,
)
from savegen.build.incremental import Modules, Settings
from savegen.build.lock import Lock, ProvisionalEntries, assign, assign_prefabs
from savegen.build.memory import Memory
from savegen.build.model import Model
from savegen.build.silence import IgnoreComments, is_about_prefabs, silence
from savegen.build.source import Project
from savegen.findings import Report


@dataclass
class Generated:
    """The result of pass 1 or pass 2."""

    model: Model
    lock: Lock
    files: dict[str, bytes] = field(default_factory=dict)  # path → text in UTF-8
    up_to_date: set[str] = field(default_factory=set)  # paths that need no new text
    is_up_to_date: bool = False  # no change in the source affects any generated text
    ignore_comments: IgnoreComments = field(default_factory=dict)  # by path


def components(
    project: Project,
    read_lock: Callable[[], Lock],
    layout: Layout,
    memory: Memory,
    report: Report,
    intact: bool = False,
    settings: Settings = Settings(),
    provisional: ProvisionalEntries = ProvisionalEntries(),
    is_written: Callable[[str], bool] = bool,
) -> Generated:
    """Generate the mixins, the registry and the lock; no files if `report` has failed.

    `intact` means that no generated file has changed since the run that filled `memory`. If no
    relevant source has changed either, the result only has `is_up_to_date` set. `is_written` returns
    whether a single generated file has not changed since that run.
    """
    modules = Modules(project, memory, report, settings)
    generated = _generated(
        project,
        modules,
        read_lock,
        layout,
        memory,
        report,
        intact,
        settings.save_version,
        provisional,
        is_written,
    )
    silence(report, modules.ignore_comments)
    join_forgotten_state(report)
    generated.ignore_comments = modules.ignore_comments
    return generated


def _generated(
    project: Project,
    modules: Modules,
    read_lock: Callable[[], Lock],
    layout: Layout,
    memory: Memory,
    report: Report,
    intact: bool,
    save_version: int,
    provisional: ProvisionalEntries,
    is_written: Callable[[str], bool],
) -> Generated:
    modules.resolve(modules.marked())
    comments = chain.from_iterable(modules.ignore_comments.values())
    if intact and not any(map(is_about_prefabs, comments)) and modules.settle():
        return Generated(Model(()), Lock(), is_up_to_date=True)
    lock = read_lock()
    # A class in an unreadable file must not be reported as renamed or removed.
    compared = report if modules.complete else Report()
    declared = Model(modules.all(), save_version=save_version)
    model, numbered = assign(lock, declared, compared, provisional)
    project_findings = [*check_project(model)]
    report.extend(project_findings)
    if report.failed:
        return Generated(model, lock)
    shared = format_files(emit_shared(model, layout), layout.style, memory.formatted)
    generated = Generated(model, numbered, shared)
    for module in project.with_progress("generating", model.modules.values()):
        path = layout.mixins(module)
        if modules.is_unchanged(module) and is_written(path):
            generated.up_to_date.add(path)
        else:
            generated.files |= format_files(emit_module(module, layout), layout.style)
    modules.remember(model, project_findings)
    return generated


def prefabs(
    model: Model,
    lock: Lock,
    layout: Layout,
    memory: Memory,
    report: Report,
    ignore_comments: IgnoreComments = {},
    provisional: ProvisionalEntries = ProvisionalEntries(),
) -> Generated:
    """Generate the files of pass 2 from the model of pass 1; no files if `report` has failed."""
    numbered, after = assign_prefabs(lock, model, report, provisional)
    report.extend(check_prefabs(numbered))
    silence(report, ignore_comments, about_prefabs=True)
    if report.failed:
        return Generated(numbered, lock)
    files = emit_prefabs(numbered, layout)
    return Generated(
        numbered, after, format_files(files, layout.style, memory.formatted)
    )
