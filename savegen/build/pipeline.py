"""Run the stages that turn source files into generated text. Nothing is written to disk here.

The results for files that have not changed are taken from a `Memory`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from savegen.build.check import check_prefabs, check_project
from savegen.build.check.forgotten_state import join as join_forgotten_state
from savegen.build.incremental import Modules, Settings
from savegen.build.memory import Memory
from savegen.build.model import Model
from savegen.build.silence import IgnoreComments, is_about_prefabs, silence
from savegen.build.source import Project
from savegen.findings import Report

if TYPE_CHECKING:
    from savegen.build.emit import Layout
    from savegen.build.lock import Lock, ProvisionalEntries


@dataclass
class Generated:
    """The result of pass 1 or pass 2."""

    model: Model
    lock: Lock
    files: dict[str, bytes] = field(default_factory=dict)  # path → text in UTF-8
    up_to_date: set[str] = field(default_factory=set)  # paths that need no new text
    ignore_comments: IgnoreComments = field(default_factory=dict)  # by path
    old_lock: Lock | None = None  # as it was before pass 1


class EarlierFiles(NamedTuple):
    """Access to the files that earlier runs wrote."""

    lock: Callable[[], bytes]  # returns the content of `savegen.lock`
    read: Callable[[str], bytes]  # returns the content of a generated file
    # Returns whether a generated file has not changed since the run that filled the memory.
    is_unchanged: Callable[[str], bool]
    all_unchanged: bool = False  # none of the generated files has changed


def components(
    project: Project,
    earlier_files: EarlierFiles,
    layout: Layout,
    memory: Memory,
    report: Report,
    settings: Settings,
    provisional: Callable[[], ProvisionalEntries],
) -> Generated | None:
    """Generate the mixins, the registry and the lock; no files if `report` has failed.

    Return `None` if nothing has changed that affects the text of a generated file.
    """
    modules = Modules(project, memory, report, settings)
    modules.resolve(modules.marked())
    comments = chain.from_iterable(modules.ignore_comments.values())
    # Ignore comments for findings about prefabs need pass 2.
    may_end = earlier_files.all_unchanged and not any(map(is_about_prefabs, comments))
    generated = None
    if not (may_end and modules.confirm_unchanged()):
        arguments = modules, earlier_files, layout, memory, report, provisional()
        generated = _generated(*arguments)
        generated.ignore_comments = modules.ignore_comments
    silence(report, modules.ignore_comments)
    join_forgotten_state(report)
    return generated


def _generated(
    modules: Modules,
    earlier_files: EarlierFiles,
    layout: Layout,
    memory: Memory,
    report: Report,
    provisional: ProvisionalEntries,
) -> Generated:
    # Most runs end before, so they need not import this.
    from savegen.build.emit import Earlier, emit_module, emit_shared, format_files
    from savegen.build.lock import LOCK_FILE, assign

    lock = modules.lock(earlier_files.lock())
    # A class in an unreadable file must not be reported as renamed or removed.
    compared = report if modules.complete else Report()
    declared = modules.model()
    unaffected = modules.unaffected(declared)
    model, numbered = assign(lock, declared, compared, provisional, unaffected)
    project_findings = [*check_project(model)]
    report.extend(project_findings)
    generated = Generated(model, numbered, old_lock=lock)
    if report.failed:
        return generated
    registry = layout.path("registry.py")
    earlier = Earlier()
    if unaffected and not layout.style and earlier_files.is_unchanged(registry):
        earlier = Earlier(earlier_files.read(registry).decode(), unaffected)
    shared = emit_shared(model, layout, earlier)
    generated.files |= format_files(shared, layout.style, memory.formatted)
    for module in modules.with_progress("generating", model.modules.values()):
        path = layout.mixins(module)
        if modules.is_unchanged(module) and earlier_files.is_unchanged(path):
            generated.up_to_date.add(path)
        else:
            generated.files |= format_files(emit_module(module, layout), layout.style)
    generated.files[LOCK_FILE] = numbered.text().encode()
    modules.remember(model, numbered, generated.files[LOCK_FILE], project_findings)
    return generated


def prefabs(
    generated: Generated,
    layout: Layout,
    memory: Memory,
    report: Report,
    provisional: ProvisionalEntries,
) -> Generated:
    """Generate the files of pass 2 from the result of pass 1; no files if `report` has failed."""
    from savegen.build.emit import emit_prefabs, format_files
    from savegen.build.lock import LOCK_FILE, assign_prefabs

    model, lock = generated.model, generated.lock
    numbered, new_lock = assign_prefabs(lock, model, report, provisional)
    report.extend(check_prefabs(numbered))
    silence(report, generated.ignore_comments, about_prefabs=True)
    if report.failed or new_lock is lock:  # the game has no prefab, and had none
        return Generated(numbered, lock)
    texts = emit_prefabs(numbered, layout)
    files = format_files(texts, layout.style, memory.formatted)
    return Generated(numbered, new_lock, {**files, LOCK_FILE: new_lock.text().encode()})
