"""`savegen show`: what is saved, as tables or as a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from savegen import disk
from savegen.cli import Console, common, files
from savegen.cli._table import say_table
from savegen.report import SavegenError

if TYPE_CHECKING:
    from savegen.model import Field, Model, SavedClass

_SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def classes(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """Complete a class by what the lock knows, which is quick to read."""
    from savegen.cli._session import LOCK_FILE, read_lock

    try:
        lock = read_lock(Console().root(LOCK_FILE))
    except SavegenError:
        return []
    return sorted({name for name in lock.names().values() if name.startswith(begun)})


@click.command(short_help="Show what is saved.")
@click.argument("name", metavar="[CLASS]", required=False, shell_complete=classes)
@click.option(
    "--graph",
    metavar="FILE.svg",
    shell_complete=files,
    help="Draw the classes; print nothing.",
)
@common
@click.pass_obj
def command(console: Console, name: str | None, graph: str | None) -> int:
    """List the saveable classes, or the fields of one, with their stable numbers.

    With --graph they are drawn with what they refer to and inherit from: all of them, or
    CLASS and those that it has to do with.
    """
    from savegen.cli._session import Session, known_config

    if graph:
        _refuse_other_files(graph)
    session = Session(known_config(console))
    with console.watching(session.project):
        model = session.generate().model
    if session.report.failed:
        console.findings(session.report, session.project)
        return 1
    found = _named(model, name) if name else list(model.classes)
    if not found:
        console.note("no class is marked `@saveable`")
    elif graph:
        _draw(console, model, found if name else None, graph)
    elif name:
        _say_classes(console, found, partial(console.path, session.config.root))
    else:
        _say_all(console, model, partial(console.path, session.config.root))
    return 0


def _named(model: Model, name: str) -> list[SavedClass]:
    """Return the classes that a name means. Raises `SavegenError` if there is none."""
    calls = [(cls, _calls(cls)) for cls in model.classes]
    found = [cls for cls, names in calls if name in names]
    if found:
        return found
    import difflib

    every = sorted({each for _, names in calls for each in names})
    close = difflib.get_close_matches(name, every, n=3)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise SavegenError(f"there is no saveable class {name!r}{hint}")


def _calls(cls: SavedClass) -> set[str]:
    return {cls.simple_name, cls.qualname, cls.name.replace(":", ".")}


# Tables


def _say_all(console: Console, model: Model, shown: Callable[[str], str]) -> None:
    rows = [
        (
            cls.qualname,
            str(cls.number),
            str(len(cls.fields)),
            str(sum(field.exposed is not None for field in cls.fields)),
            _bases(cls),
            f"{shown(module.path)}:{cls.span.line}",
        )
        for module in model.modules.values()
        for cls in module.classes
    ]
    heads = ("class", "number", "fields", "shown", "inherits from", "place")
    say_table(console, heads, sorted(rows))


def _bases(cls: SavedClass) -> str:
    return ", ".join(base.rpartition(":")[2] for base in cls.saveable_bases)


def _say_classes(
    console: Console, found: list[SavedClass], shown: Callable[[str], str]
) -> None:
    for place, cls in enumerate(found):
        path = shown(cls.span.path)
        number = f" {cls.number}  {path}:{cls.span.line}"
        console.show(("\n" * (place > 0), ""), (cls.qualname, "message"), (number, ""))
        for what, text in _facts(cls):
            console.say(f"{what} {text}")
        if cls.fields:
            console.say("")
            _say_fields(console, cls)


def _facts(cls: SavedClass) -> list[tuple[str, str]]:
    hooks = ", ".join(f"{method} ({mark})" for mark, method in cls.hooks)
    facts = [
        ("inherits from", _bases(cls)),
        ("was", ", ".join(cls.was)),
        ("saves itself around", cls.mixin if cls.override else ""),
        ("calls", hooks),
        ("behaviours:", ", ".join(name for name, *_ in cls.behaviors)),
    ]
    return [fact for fact in facts if fact[1]]


def _say_fields(console: Console, cls: SavedClass) -> None:
    from savegen.model import describe

    rows = [
        (
            field.name,
            str(field.number),
            "saved by the class" if field.override else describe(field.kind),
            field.exposed or "-",
            _limits(field),
            ", ".join(field.was),
            "" if field.own else field.owner.rpartition(":")[2],
        )
        for field in cls.fields
    ]
    heads = ("field", "number", "kind", "shown as", "limits", "was", "from")
    say_table(console, heads, rows)


def _limits(field: Field) -> str:
    return ", ".join(f"{_SIGNS[word]} {bound}" for word, bound in field.limits)


# The picture


def _refuse_other_files(path: str) -> None:
    """Raise `SavegenError` for a file that is no picture of ours."""
    from savegen.write import is_generated

    if not path.endswith(".svg"):
        raise SavegenError(f"a picture is written to a file like game.svg, not {path}")
    if disk.exists(path) and not is_generated(path, disk.head(path, 1024)):
        raise SavegenError(f"{path} was not drawn by savegen; move it, or name another")


def _draw(
    console: Console, model: Model, chosen: list[SavedClass] | None, path: str
) -> None:
    new = _picture(model, chosen).encode()
    if disk.exists(path) and disk.read(path) == new:
        console.say("up to date")
        return
    disk.put(path, new)
    console.say(f"wrote {path}")


def _picture(model: Model, chosen: list[SavedClass] | None) -> str:
    """Return the picture as text. Raises `SavegenError` if nobody could read it."""
    from savegen.picture import TooMuch, draw

    names = None if chosen is None else {cls.name for cls in chosen}
    try:
        return draw(model, names)
    except TooMuch as much:
        way_out = "name a CLASS, which is drawn with those that it has to do with"
        if chosen:
            way_out = f"`savegen show {chosen[0].qualname}` lists its fields"
        raise SavegenError(f"no picture can show {much}: {way_out}") from None
