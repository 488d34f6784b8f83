"""`savegen show`: print the saved classes and prefabs as tables or a diagram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen import disk
from savegen.cli._formatting import print_table
from savegen.findings import SavegenError, similar

if TYPE_CHECKING:
    from savegen.cli._session import Session
    from savegen.build.json_forms import JsonForms
    from savegen.build.model import Field, Model, PrefabClass, SavedClass
    from savegen.build.parameters import Parameter

_MAX_DOC = 72  # characters; tables leave out longer texts
_StyledTexts = tuple[tuple[str, str], ...]
_LIMIT_SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def complete_name(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[str]:
    """Return the classes and prefabs in the lock whose names start with `incomplete`."""
    from savegen.cli._lock_file import LOCK_FILE, read_lock
    from savegen.build.lock.file import CLASSES, PREFABS

    try:
        lock = read_lock(Console().root(LOCK_FILE))
    except SavegenError:
        return []
    names = {*lock.names(CLASSES).values(), *lock.names(PREFABS).values()}
    return sorted(name for name in names if name.startswith(incomplete))


@click.command()
@click.argument("name", metavar="[NAME]", required=False, shell_complete=complete_name)
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
    printer = _Printer(console, model, session.config.root)
    selected = _select(model, name) if name else None
    if not any(model.classes):
        console.note("no class is marked `@saveable`")
    elif graph:
        _draw(console, model, selected and _drawn(model, *selected), graph)
    elif selected:
        printer.selected(*selected)
    else:
        printer.all()
    return 0


def _model(session: Session) -> Model:
    """Return the numbered model; without prefab numbers if pass 1 failed."""
    generated = session.generate()
    if not session.failed:
        session.add_prefabs(generated)
    return generated.model


def _select(model: Model, name: str) -> tuple[list[SavedClass], list[PrefabClass]]:
    """Return the classes and prefabs with a name. Raises `SavegenError` if none has it."""
    classes = [cls for cls in model.classes if name in _names_of(cls)]
    prefabs = [prefab for prefab in model.prefabs if name in _names_of(prefab)]
    if classes or prefabs:
        return classes, prefabs
    import difflib

    declarations: list[SavedClass | PrefabClass] = [*model.classes, *model.prefabs]
    names = sorted({n for each in declarations for n in _names_of(each)})
    close = difflib.get_close_matches(name, names, n=3)
    close = close or [*filter(None, [similar(name, names)])]
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise SavegenError(f"there is no saveable class or prefab {name!r}{hint}")


def _names_of(declared: SavedClass | PrefabClass) -> set[str]:
    full_name = declared.name.replace(":", ".")
    return {declared.simple_name, declared.qualname, full_name}


def _drawn(
    model: Model, classes: list[SavedClass], prefabs: list[PrefabClass]
) -> list[SavedClass]:
    """Return the classes to draw; for a prefab, the classes of its parts."""
    parts = {part.cls for prefab in prefabs for part in prefab.parts}
    names = parts | {cls.name for cls in classes}
    return [cls for cls in model.classes if cls.name in names]


# Tables


class _Printer:
    """Prints classes and prefabs of a model as tables."""

    def __init__(self, console: Console, model: Model, root: str) -> None:
        self._console = console
        self._model = model
        self._root = root

    def all(self) -> None:
        """Print all classes, and all prefabs if there are any."""
        rows = [
            (
                cls.qualname,
                str(cls.number),
                str(len(cls.fields)),
                str(sum(field.exposed is not None for field in cls.fields)),
                _qualnames(cls.saveable_bases),
                self._place(cls),
            )
            for cls in self._model.classes
        ]
        heads = ("class", "number", "fields", "in levels", "inherits from", "place")
        print_table(self._console, heads, sorted(rows))
        if any(self._model.prefabs):
            self._prefabs()

    def _prefabs(self) -> None:
        rows = [
            (
                prefab.qualname,
                str(prefab.number),
                str(len(prefab.parts)),
                str(len(self._parameters(prefab))),
                _qualnames(prefab.bases),
                self._place(prefab),
            )
            for prefab in self._model.prefabs
        ]
        heads = ("prefab", "number", "parts", "parameters", "variant of", "place")
        self._table(heads, sorted(rows))

    def selected(self, classes: list[SavedClass], prefabs: list[PrefabClass]) -> None:
        """Print each of some classes and prefabs with all that belongs to it."""
        for n, cls in enumerate(classes):
            if n:
                self._console.print("")
            self._console.print_styled(*self._title(cls))
            self._facts(_facts(cls))
            self._fields(cls)
        for n, prefab in enumerate(prefabs, len(classes)):
            if n:
                self._console.print("")
            self._console.print_styled(("prefab ", ""), *self._title(prefab))
            if doc := _first_line(prefab.doc):
                self._console.print(doc)
            self._facts(_prefab_facts(prefab))
            self._parts(prefab)
            self._print_parameters(prefab)

    def _fields(self, cls: SavedClass) -> None:
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
        heads = ("field", "number", "type", "name in levels", "limits", "was", "from")
        self._table(heads, rows)

    def _parts(self, prefab: PrefabClass) -> None:
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
        self._table(("part", "number", "class", "sets", "was", "from"), rows)

    def _print_parameters(self, prefab: PrefabClass) -> None:
        from savegen.build.model import annotation_of

        rows = [
            (
                parameter.name,
                parameter.part.name,
                parameter.field.name,
                annotation_of(parameter.field.kind),
                _limits(parameter.field),
                _first_line(parameter.field.doc),
            )
            for parameter in self._parameters(prefab)
        ]
        heads = ("name in levels", "part", "field", "type", "limits", "meaning")
        self._table(heads, rows)

    def _table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table below a blank line, unless it is empty."""
        if rows:
            self._console.print("")
            print_table(self._console, heads, rows)

    def _facts(self, facts: Iterable[tuple[str, str]]) -> None:
        for label, text in facts:
            if text:
                self._console.print(f"{label} {text}")

    def _title(self, declared: SavedClass | PrefabClass) -> _StyledTexts:
        numbered = f" {declared.number}  {self._place(declared)}"
        return (declared.qualname, "message"), (numbered, "")

    def _place(self, declared: SavedClass | PrefabClass) -> str:
        path = self._console.path(self._root, declared.span.path)
        return f"{path}:{declared.span.line}"

    def _parameters(self, prefab: PrefabClass) -> list[Parameter]:
        """Return the parameters of a prefab that a level can set."""
        from savegen.build.parameters import parameters

        return [
            each
            for each in parameters(prefab, self._model)
            if not self._json_forms.unsupported_part(each.field.kind)
        ]

    @cached_property
    def _json_forms(self) -> JsonForms:
        from savegen.build.json_forms import JsonForms

        return JsonForms(self._model)


def _qualnames(names: Iterable[str]) -> str:
    return ", ".join(name.rpartition(":")[2] for name in names)


def _facts(cls: SavedClass) -> list[tuple[str, str]]:
    hooks = ", ".join(f"{method} ({mark})" for mark, method in cls.hooks)
    return [
        ("inherits from", _qualnames(cls.saveable_bases)),
        ("was", ", ".join(cls.former_names)),
        ("overrides the methods of", cls.mixin if cls.override else ""),
        ("calls", hooks),
        ("behaviours:", ", ".join(name for name, *_ in cls.behaviors)),
    ]


def _prefab_facts(prefab: PrefabClass) -> list[tuple[str, str]]:
    return [
        ("variant of", _qualnames(prefab.bases)),
        ("was", ", ".join(prefab.former_names)),
        ("position:", prefab.position),
        ("static:", "levels place no objects of it" if prefab.static else ""),
        ("at most per level:", str(prefab.max_count or "")),
    ]


def _first_line(doc: str | None) -> str:
    """Return the first line of a docstring, or "" if it is too long for a table."""
    first = (doc or "").strip().partition("\n")[0].strip()
    return first if len(first) <= _MAX_DOC else ""


def _limits(field: Field) -> str:
    return ", ".join(f"{_LIMIT_SIGNS[name]} {bound}" for name, bound in field.limits)


# The diagram


def _refuse_other_files(path: str) -> None:
    """Raise `SavegenError` if a file exists that is not a diagram of savegen.

    Also if the name does not end in `.mmd`.
    """
    from savegen.build.marker import HEAD_SIZE, is_generated

    if not path.endswith(".mmd"):
        raise SavegenError(f"--graph needs a file name that ends in .mmd, not {path}")
    if disk.exists(path) and not is_generated(path, disk.head(path, HEAD_SIZE)):
        raise SavegenError(
            f"{path} was not written by savegen; move it, or choose another file"
        )


def _draw(
    console: Console, model: Model, classes: list[SavedClass] | None, path: str
) -> None:
    from savegen.build.diagram import diagram

    names = None if classes is None else {cls.name for cls in classes}
    new = diagram(model, names).encode()
    if disk.exists(path) and disk.read(path) == new:
        console.status("up to date")
        return
    disk.write(path, new)
    console.status(f"wrote {path}")
