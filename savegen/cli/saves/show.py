"""`savegen saves show`: print the header, tables and rows of a save."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._table import print_table
from savegen.cli.saves._printing import print_json, reporting_save_errors
from savegen.build.render import printable
from savegen.findings import SavegenError
from savegen.cli._units import duration, local_time, size
from savegen.saves.viewing import View, simple

if TYPE_CHECKING:
    from savegen.saves.body import RawTable
    from savegen.saves.coding import VerifiedSave

_ROWS = 20  # rows shown by default


@click.command()
@option.save
@click.argument("name", metavar="[CLASS]", required=False)
@click.option(
    "--limit",
    type=option.between(0, 1_000_000_000),
    default=_ROWS,
    show_default=True,
    metavar="N",
    help="Show at most N objects of CLASS.",
)
@click.option("--all", "everything", is_flag=True, help="Show all objects of CLASS.")
@option.text_or_json
@option.common
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
    from savegen.saves.opening import open_save

    with reporting_save_errors(console):
        found = open_save(save)
        for note in found.notes:
            console.note(f"skipped: {note}")
        if name is not None:
            _check_class(found, name)
            most = None if everything else limit
            _print_objects(console, View(found.body, found.guard), name, most, form)
        elif form == "json":
            print_json(console, _data(found))
        else:
            _print_header(console, found)
            _print_tables(console, found)
    return 0


def _check_class(found: VerifiedSave, name: str) -> None:
    """Raise `SavegenError` if a save has no class `name`; suggest a similar one."""
    names = [simple(table.name) for table in found.body.tables]
    if name not in names:
        from savegen.runtime.errors import nearest

        raise SavegenError(f"the save has no class {nearest(name, names)}")


def _print_header(console: Console, found: VerifiedSave) -> None:
    about, body = found.metadata, found.body
    facts = {
        "title": about.title,
        "saved": local_time(about.time),
        "played": duration(about.playtime) if about.playtime else "",
        "game version": about.game_version,
        "save version": str(body.world.save_version or ""),
        "level": about.level or "",
        "lineage": f"{about.lineage}, save {about.generation}" if about.lineage else "",
        "size": size(len(found.data)),
        "objects": f"{_objects(found):,}",
        "lost references": str(body.world.dangling or ""),
        "states": ", ".join(body.states),
        "generators": str(len(body.generators) or ""),
        "destroyed": str(len(body.tombstones) or ""),
    }
    facts |= {f"extra.{key}": repr(value) for key, value in about.extra.items()}
    rows = [(label, text) for label, text in facts.items() if text]
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        # Text from a save must not imitate other lines.
        console.print_styled(
            (f"{printable(label):{width}}  ", ""), (printable(text), "message")
        )


def _counts(found: VerifiedSave) -> dict[int, int]:
    """Return the number of objects of each class, by class number."""
    counts: dict[int, int] = {}
    for table in found.body.tables:
        if table.number not in counts:  # a second table repeats the same objects
            counts[table.number] = _count(found, table)
    return counts


def _objects(found: VerifiedSave) -> int:
    """Return the number of objects, without the components of a `GameObject`."""
    from savegen.runtime.objects import GAME_OBJECT, GameObjectFields
    from savegen.runtime.stored import parse
    from savegen.saves.older.columns import decoded

    inside = 0
    for table in found.body.tables:
        types = {each.number: parse(each.stored) for each in table.fields}
        field = int(GameObjectFields.COMPONENTS_REF)
        if table.number == GAME_OBJECT.save_type and field in types:
            rows = table.rows(found.guard)
            cells = [row.cells[field] for row in rows if field in row.cells]
            what = "the components of an object"
            parts = decoded(types[field], cells, found.guard, what)
            inside += sum(map(len, parts))
    return sum(_counts(found).values()) - inside


def _count(found: VerifiedSave, table: RawTable) -> int:
    return sum(1 for _ in table.rows(found.guard))


def _print_tables(console: Console, found: VerifiedSave) -> None:
    from savegen.runtime.stored import annotation, parse

    counts = _counts(found)
    rows = [
        (
            simple(table.name),
            str(counts.pop(table.number, "")),
            ", ".join(f"{n}: {annotation(parse(text))}" for _, n, text in table.fields),
        )
        for table in found.body.tables
    ]
    if rows:
        console.print("")
        print_table(console, ("class", "objects", "fields"), sorted(rows))


def _print_objects(
    console: Console, view: View, name: str, limit: int | None, form: str
) -> None:
    keys = [key for key in view.values if view.class_name(key) == name]
    rows = [(view.name(key), view.named(key)) for key in islice(keys, limit)]
    if form == "json":
        data = [
            {"object": title, **{f: view.plain(each) for f, each in values.items()}}
            for title, values in rows
        ]
        print_json(console, data)
        return
    heads = ["object", *dict.fromkeys(field for _, values in rows for field in values)]
    cells = [
        [title, *(view.shown(values[f]) if f in values else "" for f in heads[1:])]
        for title, values in rows
    ]
    print_table(console, heads if rows else (), cells)
    if left := len(keys) - len(rows):
        console.note(f"{left:,} more; add --all to show them")


def _data(found: VerifiedSave) -> dict[str, Any]:
    import msgspec

    about: dict[str, Any] = msgspec.to_builtins(found.metadata)
    body = found.body
    return {
        "path": found.path,
        "bytes": len(found.data),
        "metadata": about,
        "save_version": body.world.save_version,
        "objects": _objects(found),
        "tables": [
            {
                "name": table.name,
                "number": table.number,
                "rows": _count(found, table),
                "fields": [
                    {"name": name, "number": number, "type": stored}
                    for number, name, stored in table.fields
                ],
            }
            for table in body.tables
        ],
        "states": [*body.states],
        "generators": [*body.generators],
        "destroyed": body.tombstones,
        "notes": [*found.notes],
    }
