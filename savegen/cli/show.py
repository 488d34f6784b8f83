"""`savegen show`: print the saved classes and prefabs as tables or a diagram."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli._table import print_table
from savegen.findings import SavegenError, similar

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.model import Field, Model, Prefab, SavedClass
    from savegen.build.parameters import Parameter

_SHORT = 72  # longer texts are left out of tables
_Words = tuple[tuple[str, str], ...]
_SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def classes(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """Return the classes and prefabs in the lock whose names start with `begun`."""
    from savegen.cli._lock_file import LOCK_FILE, read_lock
    from savegen.build.lock.file import CLASSES, PREFABS

    try:
        lock = read_lock(Console().root(LOCK_FILE))
    except SavegenError:
        return []
    names = {n for sort in (CLASSES, PREFABS) for n in lock.names(sort).values()}
    return sorted(name for name in names if name.startswith(begun))


@click.command()
@click.argument("name", metavar="[NAME]", required=False, shell_complete=classes)
@click.option(
    "--graph",
    metavar="FILE.mmd",
    shell_complete=option.files,
    help="Write a class diagram in Mermaid's language into this file; print no tables.",
)
@option.hidden_all_findings
@option.common
@click.pass_obj
def command(console: Console, name: str | None, graph: str | None) -> int:
    """Show the saved classes and prefabs with their stable numbers.

    With NAME, savegen shows one class with its fields, or one prefab with its parts and
    parameters.

    With --graph, savegen writes a diagram of the classes, the references between them, and the
    classes that they inherit from, as text for Mermaid: GitHub and mkdocs draw it. With NAME,
    the diagram shows that class and its neighbours.

    \b
    Examples:
      savegen show
      savegen show Player
      savegen show --graph game.mmd
    """
    from savegen.cli._lock_file import find_config
    from savegen.cli._session import Session

    if graph:
        _refuse_other_files(graph)
    session = Session(find_config(console))
    with console.watching(session.project):
        model = _model(session)
    if session.failed:
        console.findings(session.findings, session.project)
        return 1
    found = _named(model, name) if name else None
    if not any(model.classes):
        console.note("no class is marked `@saveable`")
    elif graph:
        _draw(console, model, found and _drawn(model, *found), graph)
    elif found:
        _print_found(console, model, *found, partial(console.path, session.config.root))
    else:
        _print_all(console, model, partial(console.path, session.config.root))
    return 0


def _model(session: Session) -> Model:
    """Return the numbered model; without prefab numbers if pass 1 failed."""
    generated = session.generate()
    if not session.failed:
        session.add_prefabs(generated)
    return generated.model


def _named(model: Model, name: str) -> tuple[list[SavedClass], list[Prefab]]:
    """Return the classes and prefabs with a name. Raises `SavegenError` if none has it."""
    classes = [cls for cls in model.classes if name in _names_of(cls)]
    prefabs = [prefab for prefab in model.prefabs if name in _names_of(prefab)]
    if classes or prefabs:
        return classes, prefabs
    import difflib

    every = {call for cls in model.classes for call in _names_of(cls)}
    every |= {call for prefab in model.prefabs for call in _names_of(prefab)}
    close = difflib.get_close_matches(name, sorted(every), n=3)
    if not close and (one := similar(name, sorted(every))):
        close = [one]
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise SavegenError(f"there is no saveable class or prefab {name!r}{hint}")


def _names_of(each: SavedClass | Prefab) -> set[str]:
    return {each.simple_name, each.qualname, each.name.replace(":", ".")}


def _drawn(
    model: Model, classes: list[SavedClass], prefabs: list[Prefab]
) -> list[SavedClass]:
    """Return the classes to draw; for a prefab, the classes of its parts."""
    parts = {part.cls for prefab in prefabs for part in prefab.parts}
    names = parts | {cls.name for cls in classes}
    return [cls for cls in model.classes if cls.name in names]


# Tables


def _print_all(console: Console, model: Model, shown: Callable[[str], str]) -> None:
    rows = [
        (
            cls.qualname,
            str(cls.number),
            str(len(cls.fields)),
            str(sum(field.exposed is not None for field in cls.fields)),
            _qualnames(cls.saveable_bases),
            f"{shown(module.path)}:{cls.span.line}",
        )
        for module in model.modules.values()
        for cls in module.classes
    ]
    heads = ("class", "number", "fields", "shown", "inherits from", "place")
    print_table(console, heads, sorted(rows))
    if any(model.prefabs):
        console.print("")
        _print_prefabs(console, model, shown)


def _print_prefabs(console: Console, model: Model, shown: Callable[[str], str]) -> None:
    settable = _settable(model)
    rows = [
        (
            prefab.qualname,
            str(prefab.number),
            str(len(prefab.parts)),
            str(len(settable(prefab))),
            _qualnames(prefab.bases),
            f"{shown(prefab.span.path)}:{prefab.span.line}",
        )
        for prefab in model.prefabs
    ]
    heads = ("prefab", "number", "parts", "parameters", "variant of", "place")
    print_table(console, heads, sorted(rows))


def _settable(model: Model) -> Callable[[Prefab], list[Parameter]]:
    """Return a function that lists the parameters of a prefab that a level can set."""
    from savegen.build.parameters import parameters
    from savegen.build.json_forms import JsonForms

    json_forms = JsonForms(model)
    return lambda prefab: [
        each
        for each in parameters(prefab, model)
        if not json_forms.unsupported_part(each.field.kind)
    ]


def _qualnames(names: Iterable[str]) -> str:
    return ", ".join(name.rpartition(":")[2] for name in names)


def _print_found(
    console: Console,
    model: Model,
    classes: list[SavedClass],
    prefabs: list[Prefab],
    shown: Callable[[str], str],
) -> None:
    print_each = [partial(_print_class, console, cls, shown) for cls in classes]
    print_each += [
        partial(_print_prefab, console, each, model, shown) for each in prefabs
    ]
    for place, say in enumerate(print_each):
        if place:
            console.print("")
        say()


def _head(each: SavedClass | Prefab, shown: Callable[[str], str]) -> _Words:
    number = f" {each.number}  {shown(each.span.path)}:{each.span.line}"
    return (each.qualname, "message"), (number, "")


def _print_class(
    console: Console, cls: SavedClass, shown: Callable[[str], str]
) -> None:
    console.print_styled(*_head(cls, shown))
    for what, text in _facts(cls):
        console.print(f"{what} {text}")
    if cls.fields:
        console.print("")
        _print_fields(console, cls)


def _facts(cls: SavedClass) -> list[tuple[str, str]]:
    hooks = ", ".join(f"{method} ({mark})" for mark, method in cls.hooks)
    facts = [
        ("inherits from", _qualnames(cls.saveable_bases)),
        ("was", ", ".join(cls.former_names)),
        ("overrides the methods of", cls.mixin if cls.override else ""),
        ("calls", hooks),
        ("behaviours:", ", ".join(name for name, *_ in cls.behaviors)),
    ]
    return [fact for fact in facts if fact[1]]


def _print_fields(console: Console, cls: SavedClass) -> None:
    from savegen.build.model import annotation_of

    rows = [
        (
            field.name,
            str(field.number),
            "saved by the class" if field.override else annotation_of(field.kind),
            field.exposed or "-",
            _limits(field),
            ", ".join(field.former_names),
            "" if field.own else field.owner.rpartition(":")[2],
        )
        for field in cls.fields
    ]
    heads = ("field", "number", "type", "shown as", "limits", "was", "from")
    print_table(console, heads, rows)


def _print_prefab(
    console: Console, prefab: Prefab, model: Model, shown: Callable[[str], str]
) -> None:
    console.print_styled(("prefab ", ""), *_head(prefab, shown))
    if doc := _short(prefab.doc):
        console.print(doc)
    for what, text in _prefab_facts(prefab):
        console.print(f"{what} {text}")
    _print_parts(console, prefab)
    _print_parameters(console, prefab, model)


def _prefab_facts(prefab: Prefab) -> list[tuple[str, str]]:
    facts = [
        ("variant of", _qualnames(prefab.bases)),
        ("was", ", ".join(prefab.former_names)),
        ("at most per level:", str(prefab.max_count or "")),
    ]
    return [fact for fact in facts if fact[1]]


def _print_parts(console: Console, prefab: Prefab) -> None:
    rows = [
        (
            part.name,
            str(part.number),
            part.cls.rpartition(":")[2],
            ", ".join(part.settings),
            ", ".join(part.former_names),
            "" if part.owner == prefab.name else part.owner.rpartition(":")[2],
        )
        for part in prefab.parts
    ]
    if rows:
        console.print("")
        heads = ("part", "number", "class", "sets", "was", "from")
        print_table(console, heads, rows)


def _print_parameters(console: Console, prefab: Prefab, model: Model) -> None:
    from savegen.build.model import annotation_of

    rows = [
        (
            each.name,
            each.part.name,
            each.field.name,
            annotation_of(each.field.kind),
            _limits(each.field),
            _short(each.field.doc),
        )
        for each in _settable(model)(prefab)
    ]
    if rows:
        console.print("")
        heads = ("shown as", "part", "field", "type", "limits", "meaning")
        print_table(console, heads, rows)


def _short(doc: str | None) -> str:
    """Return the first line of a text, or "" if it is too long for a table."""
    first = (doc or "").strip().partition("\n")[0].strip()
    return first if len(first) <= _SHORT else ""


def _limits(field: Field) -> str:
    return ", ".join(f"{_SIGNS[word]} {bound}" for word, bound in field.limits)


# The diagram


def _refuse_other_files(path: str) -> None:
    """Raise `SavegenError` if a file is not a diagram that savegen wrote."""
    from savegen.build.marker import HEAD_SIZE, is_generated

    if not path.endswith(".mmd"):
        raise SavegenError(f"--graph needs a file name that ends in .mmd, not {path}")
    if disk.exists(path) and not is_generated(path, disk.head(path, HEAD_SIZE)):
        raise SavegenError(
            f"{path} was not written by savegen; move it, or choose another file"
        )


def _draw(
    console: Console, model: Model, chosen: list[SavedClass] | None, path: str
) -> None:
    from savegen.build.diagram import diagram

    names = None if chosen is None else {cls.name for cls in chosen}
    new = diagram(model, names).encode()
    if disk.exists(path) and disk.read(path) == new:
        console.status("up to date")
        return
    disk.write(path, new)
    console.status(f"wrote {path}")
