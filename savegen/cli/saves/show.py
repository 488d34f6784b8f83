"""`savegen saves show`: print the header, tables and rows of a save."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli._formatting import duration, file_size, local_time, print_table
from savegen.cli.saves._printing import json_text, opened, reporting_save_errors
from savegen.build.render import printable
from savegen.findings import SavegenError
from savegen.saves.viewing import View, simple_name

if TYPE_CHECKING:
    from savegen.saves.coding import VerifiedSave

_DEFAULT_LIMIT = 20


@click.command()
@option.save
@click.argument("name", metavar="[CLASS]", required=False)
@click.option(
    "--limit",
    type=option.between(0, 1_000_000_000),
    default=_DEFAULT_LIMIT,
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
    content = opened(console, save)
    with reporting_save_errors(console):
        if name is not None:
            _check_class(content, name)
            view = View(content.body, content.guard)
            _print_objects(console, view, name, None if everything else limit, form)
        elif form == "json":
            console.print(json_text(_data(content)))
        else:
            _print_header(console, content)
            _print_tables(console, content)
    return 0


def _check_class(content: VerifiedSave, name: str) -> None:
    """Raise `SavegenError` if a save has no class `name`; suggest a similar one."""
    names = [simple_name(table.name) for table in content.body.tables]
    if name not in names:
        from savegen.runtime.errors import nearest

        raise SavegenError(f"the save has no class {nearest(name, names)}")


def _print_header(console: Console, content: VerifiedSave) -> None:
    metadata, body = content.metadata, content.body
    facts = {
        "title": metadata.title,
        "saved": local_time(metadata.time),
        "played": duration(metadata.playtime) if metadata.playtime else "",
        "game version": metadata.game_version,
        "save version": str(body.world.save_version or ""),
        "level": metadata.level or "",
        "lineage": (
            f"{metadata.lineage}, save {metadata.generation}"
            if metadata.lineage
            else ""
        ),
        "size": file_size(len(content.data)),
        "objects": f"{_objects(content):,}",
        "lost references": str(body.world.dangling or ""),
        "states": ", ".join(body.states),
        "generators": str(len(body.generators) or ""),
        "destroyed": str(len(body.tombstones) or ""),
    }
    facts |= {f"extra.{key}": repr(value) for key, value in metadata.extra.items()}
    rows = [(label, text) for label, text in facts.items() if text]
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        # Text from a save must not imitate other lines.
        console.print_styled(
            (f"{printable(label):{width}}  ", ""), (printable(text), "message")
        )


def _row_counts(content: VerifiedSave) -> list[int]:
    return [sum(1 for _ in table.rows(content.guard)) for table in content.body.tables]


def _objects(content: VerifiedSave) -> int:
    """Return the number of objects; a `GameObject` counts once, with its components."""
    from savegen.runtime.world.objects import GAME_OBJECT, GameObjectFields
    from savegen.runtime.values.stored import parse
    from savegen.saves.older.columns import decode_cells

    counts: dict[int, int] = {}
    components = 0
    for table, count in zip(content.body.tables, _row_counts(content)):
        counts.setdefault(table.number, count)  # a second table repeats the objects
        types = {f.number: parse(f.stored) for f in table.fields}
        field = int(GameObjectFields.COMPONENTS_REF)
        if table.number == GAME_OBJECT.save_type and field in types:
            rows = table.rows(content.guard)
            cells = [row.cells[field] for row in rows if field in row.cells]
            what = "the components of an object"
            keys = decode_cells(types[field], cells, content.guard, what)
            components += sum(map(len, keys))
    return sum(counts.values()) - components


def _print_tables(console: Console, content: VerifiedSave) -> None:
    from savegen.runtime.values.stored import annotation, parse

    rows: list[tuple[str, ...]] = []
    numbers: set[int] = set()
    for table, count in zip(content.body.tables, _row_counts(content)):
        fields = ((name, annotation(parse(text))) for _, name, text in table.fields)
        rows.append(
            (
                simple_name(table.name),
                "" if table.number in numbers else str(count),
                ", ".join(f"{name}: {declared}" for name, declared in fields),
            )
        )
        numbers.add(table.number)
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
            {"object": title, **{f: view.plain(value) for f, value in values.items()}}
            for title, values in rows
        ]
        console.print(json_text(data))
        return
    heads = ["object", *dict.fromkeys(field for _, values in rows for field in values)]
    cells = [
        [title, *(view.shown(values[f]) if f in values else "" for f in heads[1:])]
        for title, values in rows
    ]
    print_table(console, heads if rows else (), cells)
    if hidden := len(keys) - len(rows):
        console.note(f"{hidden:,} more; add --all to show them")


def _data(content: VerifiedSave) -> dict[str, Any]:
    import msgspec

    metadata: dict[str, Any] = msgspec.to_builtins(content.metadata)
    body = content.body
    return {
        "path": content.path,
        "bytes": len(content.data),
        "metadata": metadata,
        "save_version": body.world.save_version,
        "objects": _objects(content),
        "tables": [
            {
                "name": table.name,
                "number": table.number,
                "rows": count,
                "fields": [
                    {"name": name, "number": number, "type": stored}
                    for number, name, stored in table.fields
                ],
            }
            for table, count in zip(body.tables, _row_counts(content))
        ],
        "states": [*body.states],
        "generators": [*body.generators],
        "destroyed": body.tombstones,
        "notes": [*content.notes],
    }
