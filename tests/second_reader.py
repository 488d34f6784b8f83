"""Reads savegen's saves and the records of journals by docs/save-format.md alone.

Beyond digests and lengths it checks nothing. A value of a native type is given as it is, any other
as an array: the first word of its type, the name behind it if it has one, and what is in it.
"""

import lzma
import re
import struct
import sys
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from itertools import accumulate, cycle, pairwise
from typing import Any, NamedTuple

from msgspec import json, msgpack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    import backports.zstd as zstd

NATIVE = "bool int float str bytes none literal".split()
SYNONYMS = {"(": "tuple", "record": "value", "generator": "random"}
LISTS = ("(", "list", "tuple", "set", "frozenset")
MAPPINGS = ("dict", "defaultdict", "OrderedDict", "Counter")
FIELDED = ("value", "record")
LABELLED = (*FIELDED, "rec", "enum", "flag", "codec", "subclass")
WITHOUT_TYPES = "enum flag literal ref class numpy".split()
# A string; or a word with the bracket or question mark behind it; or another bracket.
WORD = r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*"|[^\s<>{}()|,:?]+[<{?]?|[()}>]"""


class Type(NamedTuple):
    """A stored type: its first word, the name behind it, and the types inside it."""

    word: str  # "(" of a tuple with a type for each member, "?" of a field with one
    label: str
    parts: list["Type"]
    fields: list[tuple[int, str]]  # number and name of each part


def type_of(text: str) -> Type:
    return read_type(re.findall(WORD, text)[::-1], {})


def read_type(words: list[str], around: dict[str, Type]) -> Type:
    """Return the type whose words stand in reverse at the end of a list; remove them."""
    word = words.pop()
    label = words.pop() if word in LABELLED else ""
    if word == "rec":
        return around[label]
    made = Type(word.rstrip("<{"), label.rstrip("{<"), [], [])
    around = {**around, made.label: made}
    while (label or word)[-1] in "<{(" and (first := words.pop()) not in ")}>":
        if word in FIELDED:
            name = words.pop()
            made.fields.append((int(first), name.rstrip("?")))
            part = read_type(words, around)
            made.parts.append(Type("?", "", [part], []) if name[-1] == "?" else part)
        elif made.word not in WITHOUT_TYPES:
            words.append(first)
            made.parts.append(read_type(words, around))
    return made


def value(kind: Type, cell: Any, types: list[str]) -> Any:
    """Return what a cell of a type stands for; typed values in it have a type of `types`."""
    word, label, parts, fields = kind
    if word == "any":
        return value(type_of(types[cell[0]]), cell[1], types)
    if word == "union" and type(cell) is list:
        return value(parts[cell[0]], cell[1 + cell[0]], types)
    if word in (*NATIVE, "union"):
        return cell
    if word == "optional":
        return None if cell is None else value(parts[0], cell, types)
    if word == "ref" and cell == 0:
        return None
    found: Any = cell
    if word == "?":
        found = [value(parts[0], each, types) for each in cell]
    elif word == "ndarray" and type(cell) is bytes:
        name, bits, _ = re.split(r"(\d+)", parts[0].word)
        dtype = f"{'<' if bits != '8' else '|'}{name[0]}{int(bits) // 8}"
        found = [dtype, [len(cell) * 8 // int(bits)], "C", cell]
    elif word == "path" and not cell.startswith(("posix:", "windows:", "path:")):
        found = f"path:{cell}"
    elif word in ("codec", "subclass"):
        found = value(parts[0], cell, types)
    elif word == "deque":
        found = [cell[0], members(parts, cell[1], types)]
    elif word in MAPPINGS:
        pairs = cell.items() if type(cell) is dict else cell
        kinds = [*parts, Type("int", "", [], [])][:2]
        found = members(kinds, [each for pair in pairs for each in pair], types)
    elif word in FIELDED:
        inside = members(parts, cell, types)
        found = [[*names, each] for names, each in zip(fields, inside, strict=True)]
    elif word in LISTS:
        found = members(parts, cell, types)
    return [SYNONYMS.get(word, word), *([label] if label else []), found]


def members(parts: list[Type], cells: list[Any], types: list[str]) -> list[Any]:
    """Return what cells stand for whose types are these, again and again."""
    return [value(*each, types) for each in zip(cycle(parts), cells)]


def extension(code: int, data: memoryview) -> Any:
    """Return the long int, or the text with lone surrogates, of an extension type."""
    if code == 1:
        return int.from_bytes(data, "big", signed=True)
    return str(data, "utf-8", "surrogatepass")


PART = msgpack.Decoder(ext_hook=extension)


class Save(NamedTuple):
    """What a file holds; `maps` are placements, generators, states and tombstones."""

    digest: bytes
    metadata: dict[str, Any]
    thumbnail: bytes
    world: list[Any]
    types: list[str]
    maps: list[dict[Any, Any]]
    classes: dict[int, int]  # the number of its class by key
    # By key and number of the field: its name, its type, its cell, and what this stands for.
    values: dict[int, dict[int, tuple[str, str, Any, Any]]]
    recordings: dict[int, dict[Any, Any]]  # by key: behaviours under 0, values by name

    def add_all(self, parts: list[Any]) -> None:
        table: list[Any] = []
        for types in (part[1] for part in parts if part[0] == 7):
            self.types.extend(types)
        for kind, *content in parts:
            if kind == 0:
                self.world.extend(content)
            elif kind == 1:
                table = content
            elif kind == 2:
                keys, rows, extras = content
                for n, (key, row) in enumerate(
                    zip(accumulate(keys), rows, strict=True)
                ):
                    self.add_row(table, key, row, extras.get(n, {}))
            elif kind < 7:
                new = (
                    zip(accumulate(content[0]), content[1]) if kind == 3 else content[0]
                )
                self.maps[kind - 3].update(new)
        states = self.maps[2]
        states.update({name: self.typed(each) for name, each in states.items()})

    def typed(self, cell: list[Any]) -> Any:
        return value(Type("any", "", [], []), cell, self.types)

    def add_row(self, table: Any, key: int, row: Any, extras: dict[Any, Any]) -> None:
        number, _, fields = table
        self.classes[key], known = number, self.values.setdefault(key, {})
        cells = {field[0]: each for field, each in zip(fields, row, strict=True)}
        for n, name, text in fields:
            if n > 0 and -n in cells:
                kind, loaded = cells[-n]
                now = known[n][1:3] if n in known else ()
                if repr(now) != repr((self.types[kind], loaded)):
                    continue
            cell = cells[n]
            if n in extras:
                kind, cell = extras[n]
                text = self.types[kind]
            if n > 0 and text != "default":
                known[n] = name, text, cell, value(type_of(text), cell, self.types)
        recorded = {
            n: self.typed(extras[n]) for n in extras if n == 0 or type(n) is str
        }
        self.recordings.update({key: recorded} if recorded else {})


def digest(data: bytes, key: bytes = b"") -> bytes:
    return blake2b(data, digest_size=16, key=key).digest()


def need(condition: object, what: str) -> None:
    if not condition:
        raise ValueError(f"the file is damaged: {what}")


def cut(data: bytes, *sizes: int) -> list[bytes]:
    """Return parts of these sizes, and what is left."""
    need(sum(sizes) <= len(data), "a length leads out of its surroundings")
    return [data[a:b] for a, b in pairwise([0, *accumulate(sizes), len(data)])]


def read_save(data: bytes) -> Save:
    """Return what a save file holds. Raises `ValueError` if it is damaged."""
    fixed, last, rest = cut(data, 56, 16)
    need(fixed[:10] == b"\x89SGN\r\n\x1a\n\3\0", "it is no save of format 3")
    numbers = struct.unpack("<HIIQQI16s", fixed[10:])
    compression, about, picture, size, raw, count, seal = numbers
    metadata, thumbnail, chunks, end, rest = cut(rest, about, picture, size, 16)
    is_good = last == digest(fixed + metadata) and seal == digest(thumbnail)
    need(is_good and compression < 4, "the header")
    parts, digests = list[Any](), last
    for _ in range(count):
        head, last, chunks = cut(chunks, 8, 16)
        stored, whole = struct.unpack("<II", head)
        content, chunks = cut(chunks, stored)
        need(last == digest(head + content), "a chunk")
        readers = bytes, zlib.decompress, lzma.decompress, zstd.decompress
        sections = readers[compression](content)
        need(len(sections) == whole, "a chunk has another length")
        while sections:
            length, sections = cut(sections, 4)
            section, sections = cut(sections, int.from_bytes(length, "little"))
            parts += PART.decode(section)
        digests, raw = digests + last, raw - whole
    need(end == digest(digests) and not (raw or chunks or rest), "the end")
    save = Save(
        end, json.decode(metadata), thumbnail, [], [], [{}, {}, {}, {}], {}, {}, {}
    )
    save.add_all(parts)
    return save


def read_journal(data: bytes, seal: bytes) -> Iterator[tuple[list[Any], Save]]:
    """Yield what each record removes and adds; `seal` is the last digest of the save."""
    while len(data) >= 28 + (size := int.from_bytes(data[:4], "little")):
        head, payload, last, data = cut(data, 12, size, 16)
        if last != digest(payload + head, seal):
            return
        removed, file = cut(payload[4:], int.from_bytes(payload[:4], "little"))
        yield msgpack.decode(removed), read_save(file)
        seal = last
