"""`savegen components`: run pass 1."""

from __future__ import annotations

import click

from savegen.cli import _options as option
from savegen.cli import _passes
from savegen.cli._console import Console
from savegen.cli._results import apply_plan


@click.command()
@option.paths
@option.no_cache
@option.locked
@option.tracked
@option.list_outputs
@option.strict
@option.output_format
@option.common
@click.pass_obj
def command(
    console: Console,
    paths: tuple[str, ...],
    no_cache: bool,
    locked: bool,
    tracked: bool,
    list_outputs: bool,
) -> int:
    """Write the save and load code of the marked classes (pass 1).

    In savegen, a component is an object of a class marked `@saveable`. For each source file with
    marked classes, savegen writes a module with their save and load methods. It also writes a
    registry of all classes, and records their stable numbers in savegen.lock. It does not
    execute your code.

    With PATHS (files or folders), savegen still reads the whole game, but rewrites the
    modules generated for those files only. If the project has no [tool.savegen] in
    pyproject.toml, name the files of the game as PATHS. The code then goes to `_savegen/`
    beside the first.
    """
    if list_outputs:
        return _passes.list_outputs(console, "components", paths, no_cache, tracked)
    is_check = locked or tracked  # it fails if it leaves a class that is not wired
    run = _passes.started(console, "components", paths, no_cache, tracked, is_check)
    with run as (session, chosen):
        from savegen.cli import wire  # not if nothing has changed

        with console.watching(session.project):
            generated = session.generate() if tracked else session.generate_if_changed()
        unwired: wire.Edits = {}
        if is_check:
            unwired = wire.before_build(session, generated, chosen).edits
        console.findings(session.report, session.project)
        if session.report.failed:
            session.keep_memory()
            return 1
        if locked and wire.report_unwired(console, session, unwired):
            return 1
        if generated is None:
            session.confirm_pass_1()
            console.status("up to date")
            return 0
        if not any(generated.model.classes):
            console.note("no class is marked `@saveable`")
        session.confirm_passes_2_and_3_if_no_prefab(generated)
        plan = session.plan(generated, chosen, tracked)
        outputs = session.outputs(generated, 1)
        del generated  # free the memory: the code of a big game is large
        fix_command = console.fix_command(paths, tracked) if locked else ""
        code = apply_plan(console, session, plan, outputs, fix_command, tracked)
        return int(wire.report_unwired(console, session, unwired)) or code
