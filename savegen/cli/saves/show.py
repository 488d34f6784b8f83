"""`savegen saves show`: header, tables and rows of a save."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from savegen.cli import Console, common, files
from savegen.cli._between import between
from savegen.cli._table import say_table
from savegen.cli.saves._options import json_format, say_json, told_apart
from savegen.render import printable
from savegen.report import SavegenError
from savegen.saves.measures import duration, local_time, size
from savegen.saves.plain import Name, describe, plain_rows, shown, with_names

if TYPE_CHECKING:
    from savegen.runtime.saves.document import Document, Table
    from savegen.saves.opening import Opened

_ROWS = 20  # that are shown unless more are asked for


@click.command()
@click.argument("save", shell_complete=files)
@click.argument("name", metavar="[CLASS]", required=False)
@click.option(
    "--limit",
    type=between(0, 1_000_000_000),
    default=_ROWS,
    show_default=True,
    metavar="N",
    help="Show at most N objects of CLASS.",
)
@click.option("--all", "everything", is_flag=True, help="Show all objects of CLASS.")
@json_format
@common
@click.pass_obj
def command(
    console: Console,
    save: str,
    name: str | None,
    limit: int,
    everything: bool,
    form: str,
) -> int:
    """Show the header of SAVE and the classes in it, or the objects of CLASS.

    This needs neither the game nor its code, because a save describes its own fields.

    \b
    Examples:
      savegen saves show saves/slot-1
      savegen saves show saves/slot-1 Player
    """
    from savegen.saves.opening import opened

    with told_apart(console):
        found = opened(save)
        for note in found.notes:
            console.note(f"skipped: {note}")
        if name is not None:
            table = _table(found.document, name)
            most = None if everything else limit
            _say_objects(console, found.document, table, most, form)
        elif form == "json":
            say_json(console, _data(found))
        else:
            _say_header(console, found)
            _say_tables(console, found.document)
    return 0


def _table(document: Document, name: str) -> Table:
    """Return the table of a class. Raises `SavegenError` that names those there are."""
    for table in document.tables:
        if table.name == name:
            return table
    from savegen.runtime.errors import nearest

    names = [table.name for table in document.tables if table.count]
    raise SavegenError(f"the save has no class {nearest(name, names)}")


def _say_header(console: Console, found: Opened) -> None:
    about = found.metadata
    facts = {
        "title": about.title,
        "saved": local_time(about.time),
        "played": duration(about.playtime) if about.playtime else "",
        "game version": about.game_version,
        "save version": str(about.save_version or ""),
        "level": about.level or "",
        "lineage": f"{about.lineage}, save {about.generation}" if about.lineage else "",
        "size": size(found.size),
        "objects": f"{found.document.count:,}",
        "lost references": str(found.document.dangling or ""),
    }
    facts |= {f"extra.{key}": shown(value) for key, value in about.extra.items()}
    rows = [(label, text) for label, text in facts.items() if text]
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        # What a stranger's save calls itself must not look like other lines.
        console.show(
            (f"{printable(label):{width}}  ", ""), (printable(text), "message")
        )


def _say_tables(console: Console, document: Document) -> None:
    rows = [
        (
            table.name,
            str(table.count),
            ", ".join(f"{c.name}: {describe(c.form)}" for c in table.columns),
        )
        for table in document.tables
        if table.is_of_class
    ]
    if rows:
        console.say("")
        say_table(console, ("class", "objects", "fields"), sorted(rows))


def _say_objects(
    console: Console, document: Document, table: Table, limit: int | None, form: str
) -> None:
    from savegen.saves.naming import Names

    names = Names(document)
    rows = islice(plain_rows(document, table, typed=True), limit)
    named = [{k: with_names(v, names.of) for k, v in row.items()} for row in rows]
    if table.is_of_class:
        first = _first(document, table)
        named = [{"": Name(names.of(first + n)), **row} for n, row in enumerate(named)]
    if form == "json":
        say_json(
            console, [{key or "object": v for key, v in row.items()} for row in named]
        )
        return
    heads = ["object" if key == "" else key for key in (named[0] if named else ())]
    cells = [[shown(value) for value in row.values()] for row in named]
    say_table(console, heads, cells)
    if left := table.count - len(named):
        console.note(f"{left:,} more; add --all to show them")


def _first(document: Document, table: Table) -> int:
    """Return the number of the first object of a table."""
    tables = document.classes
    place = next(n for n, each in enumerate(tables) if each is table)
    return sum(each.count for each in tables[:place])


def _data(found: Opened) -> dict[str, Any]:
    import msgspec

    about: dict[str, Any] = msgspec.to_builtins(found.metadata)
    document = found.document
    return {
        "path": found.path,
        "bytes": found.size,
        "metadata": about,
        "objects": document.count,
        "tables": [
            {
                "name": table.name,
                "number": table.number,
                "rows": table.count,
                "fields": [
                    {"name": c.name, "number": c.number, "form": c.form}
                    for c in table.columns
                ],
            }
            for table in document.tables
        ],
        "shapes": {
            name: [{"name": field, "form": form} for field, form in fields]
            for name, fields in document.shapes.items()
        },
        "notes": [*found.notes],
    }
