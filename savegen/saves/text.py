"""Export saves as JSON that a person can read and edit, and import it again.

The JSON has the content of the file, with one row per line. Values that JSON cannot represent
are objects with one key, which begins with `$`:

    {"$bytes": "YWI="}                  bytes, in base64
    {"$float": "inf"}                   a float that is not finite; "nan" with its bits
    {"$map": [[1, "a"], [2, "b"]]}      a map with keys that are not str, or begin with `$`
    {"$int": "0x1000000000000000000"}   an int beyond 64 bits
    {"$str": "7aC4"}                    a str with lone surrogates, in base64
    {"$typed": ["list<int>", [1, 2]]}   a value and its type, in place of a cell
    {"$recorded": [["a", ["int", 1]]]}  what a recorder has, after the cells; behaviours under 0

A cell of the type `any` is an array of its type and its cell, such as `["int", 5]`.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from json import dumps
from math import isfinite, isnan
from typing import Any

import msgspec
from msgspec import Raw

from savegen.runtime.errors import SaveCorruptError, SaveVersionError
from savegen.runtime.reports import counted
from savegen.runtime.world.placements import Placement
from savegen.runtime.values.folds import Typed, opened
from savegen.runtime.values.stored import StoredType, parse, parse_listed
from savegen.runtime.values.basics.strict_json import json_of
from savegen.saves.body import (
    Body,
    SavedField,
    RawRow,
    RawTable,
    Types,
    WorldPart,
)
from savegen.saves.encoding import encode
from savegen.saves.coding import VerifiedSave
from savegen.saves.file import (
    VERSION,
    Compression,
    metadata_of,
    read_header,
    read_thumbnail,
    save_file,
)
from savegen.saves.limits import CODING_ERRORS, Guard, Limits, encoding_fault
from savegen.saves.typed import decoded, spelled

_MAX_DEPTH = 1024  # of brackets
_NAN = struct.Struct(">d")


class _JsonTable(msgspec.Struct, forbid_unknown_fields=True):
    number: int
    fields: list[SavedField]
    rows: list[list[Any]]
    class_: str = msgspec.field(name="class")


class _JsonSave(msgspec.Struct, forbid_unknown_fields=True):
    savegen: int
    metadata: dict[str, Any]
    thumbnail: str
    compression: Compression
    world: dict[str, Any]
    placements: list[tuple[int, Any]]
    generators: list[tuple[int, Any]]
    states: list[tuple[str, tuple[str, Any]]]
    tombstones: dict[str, str | None]
    tables: list[_JsonTable]


# -- writing


def export(save: VerifiedSave) -> bytes:
    """Return a save as JSON. Raises `SaveCorruptError` for rows that cannot be read.

    >>> from savegen.runtime import Snapshot
    >>> from savegen.saves import Metadata, coding, encode
    >>> text = export(coding.read(encode(Snapshot(), Metadata(title="At the gate"))))
    >>> coding.read(imported(text)).metadata.title, export(coding.read(imported(text))) == text
    ('At the gate', True)
    """
    return b"".join(_lines(save))


def _lines(save: VerifiedSave) -> Iterator[bytes]:
    body = save.body
    world = msgspec.to_builtins(msgspec.structs.asdict(body.world))
    parts: dict[str, Any] = {
        "savegen": VERSION,
        "metadata": msgspec.to_builtins(save.metadata),
        "thumbnail": base64.b64encode(read_thumbnail(save.data)).decode(),
        "compression": read_header(save.data).compression,
        "world": world,
        "placements": [
            (key, _to_json(msgspec.to_builtins(each)))
            for key, each in body.placements.items()
        ],
        "generators": [(key, _to_json(each)) for key, each in body.generators.items()],
        "states": [(name, _typed_json(each)) for name, each in body.states.items()],
        "tombstones": body.tombstones,
    }
    lines = (f"{dumps(name)}: {dumps(part)},\n" for name, part in parts.items())
    yield f'{{{"".join(lines)}"tables": ['.encode()
    for place, table in enumerate(body.tables):
        yield b",\n" if place else b"\n"
        yield from _table_lines(table, save.guard)
    yield b"\n]}\n"


def _table_lines(table: RawTable, guard: Guard) -> Iterator[bytes]:
    fields = ",\n".join(dumps(field) for field in table.fields)
    head = f'"class": {dumps(table.name)}, "number": {table.number}'
    yield f'{{{head}, "fields": [\n{fields}\n], "rows": ['.encode()
    for place, row in enumerate(table.rows(guard)):
        yield b",\n" if place else b"\n"
        yield dumps(_row_json(table, row)).encode()
    yield b"\n]}"


def _row_json(table: RawTable, row: RawRow) -> list[Any]:
    elements: list[Any] = [row.key]
    extras = {name: _typed_json(each) for name, each in row.extras.items()}
    for field in table.fields:
        if field.number in row.cells:
            elements.append(_to_json(decoded(row.cells[field.number])))
        else:
            elements.append({"$typed": extras.pop(field.number)})
    if extras:
        elements.append({"$recorded": [*extras.items()]})
    return elements


def _typed_json(typed: Typed) -> list[Any]:
    return [str(typed[0]), _to_json(spelled(typed))]


def _to_json(value: Any) -> Any:
    match value:
        case float() if not isfinite(value):
            bits = f" {_NAN.pack(value).hex()}" if isnan(value) else ""
            return {"$float": f"{value}{bits}"}
        case int() if not -(2**63) <= value < 2**64:
            return {"$int": hex(value)}
        case str() if (
            not value.isascii() and value != value.encode("utf-8", "replace").decode()
        ):
            data = value.encode("utf-8", "surrogatepass")
            return {"$str": base64.b64encode(data).decode()}
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case list() | tuple():
            return [*map(_to_json, value)]
        case dict() if all(type(key) is str and key[:1] != "$" for key in value):
            return {key: _to_json(each) for key, each in value.items()}
        case dict():
            pairs = value.items()
            return {"$map": [[_to_json(key), _to_json(each)] for key, each in pairs]}
    return value


# -- reading


def imported(data: bytes, limits: Limits = Limits()) -> bytes:
    """Return the save file for JSON that `export` wrote.

    Raises `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    limits.allow("the size of the save", "size", len(data))
    try:
        return _save_of(_parse(data), limits)
    except (*CODING_ERRORS, RecursionError, binascii.Error) as error:
        reason = encoding_fault(error)
        raise SaveCorruptError(f"the JSON is not a save: {reason}") from None


def _parse(data: bytes) -> _JsonSave:
    value = json_of(data, _MAX_DEPTH)
    version = value.get("savegen") if isinstance(value, dict) else None
    if type(version) is int and version != VERSION:
        raise SaveVersionError(
            f"the JSON has format {version}, but this savegen reads only format {VERSION}"
        )
    return msgspec.convert(value, _JsonSave)


def _save_of(save: _JsonSave, limits: Limits) -> bytes:
    types = Types()
    body = Body(
        msgspec.convert(_world_elements(save.world), WorldPart),
        types,
        [_raw_table(table, types) for table in save.tables],
        {
            key: msgspec.convert(_from_json(each), Placement)
            for key, each in save.placements
        },
        {key: _from_json(each) for key, each in save.generators},
        {name: _typed(*each) for name, each in save.states},
        save.tombstones,
    )
    metadata = metadata_of(dumps(save.metadata).encode())
    thumbnail = base64.b64decode(save.thumbnail, validate=True)
    return save_file(body.sections(), metadata, thumbnail, save.compression, limits)


def _world_elements(world: dict[str, Any]) -> list[Any]:
    names = WorldPart.__struct_fields__
    if world.keys() != {*names}:
        raise SaveCorruptError(
            f"the JSON is not a save: the keys of its `world` must be {', '.join(names)}"
        )
    return [0, *(world[name] for name in names)]


def _raw_table(json: _JsonTable, types: Types) -> RawTable:
    fields = (*json.fields,)
    for field in fields:
        parse(field.stored)  # raises an error if the type cannot be read
    table = RawTable(json.number, json.class_, fields, types)
    return table.add([_raw_row(table, row) for row in json.rows])


def _raw_row(table: RawTable, row: list[Any]) -> RawRow:
    count = len(table.fields)
    key, cells, others = row[:1], row[1 : count + 1], row[count + 1 :]
    if len(cells) != count or not (key and type(key[0]) is int):
        raise SaveCorruptError(
            f"a row of {table.name} must be a key and {counted(count, 'cell')}"
        )
    raw: dict[int, Raw] = {}
    extras: dict[int | str, Typed] = {}
    for field, cell in zip(table.fields, cells):
        match cell:
            case {"$typed": [str(stored), value]}:
                extras[field.number] = _typed(stored, value)
            case _:
                raw[field.number] = Raw(encode(_from_json(cell)))
    match others:
        case []:
            pass
        case [{"$recorded": list(recorded)}]:
            extras |= {name: _typed(*each) for name, each in recorded}
        case _:
            raise SaveCorruptError(f"a row of {table.name} has too many cells")
    return RawRow(key[0], raw, extras)


class _Types:
    """Finds types by their texts."""

    def __getitem__(self, text: str) -> StoredType:
        return parse_listed(text)


def _typed(text: str, value: Any) -> Typed:
    stored = parse_listed(text)
    return stored, opened(stored, _from_json(value), _Types())


def _from_json(value: Any) -> Any:
    match value:
        case {"$bytes": str(text)}:
            return base64.b64decode(text, validate=True)
        case {"$float": str(text)}:
            number, _, bits = text.partition(" ")
            return _NAN.unpack(bytes.fromhex(bits))[0] if bits else float(number)
        case {"$int": str(text)}:
            return int(text, 16)
        case {"$str": str(text)}:
            data = base64.b64decode(text, validate=True)
            return data.decode("utf-8", "surrogatepass")
        case {"$map": list(pairs)}:
            return {_from_json(key): _from_json(each) for key, each in pairs}
        case dict() if any(key[:1] == "$" for key in value):
            text = dumps(value)[:60]
            raise SaveCorruptError(f"unknown key with `$` in the JSON: {text}")
        case dict():
            return {key: _from_json(each) for key, each in value.items()}
        case list():
            return [*map(_from_json, value)]
    return value
