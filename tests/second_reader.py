"""Reads savegen's saves and the records of journals by docs/save-format.md alone.

Beyond digests and lengths it checks nothing. Every value is given as a tagged value.
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

from msgspec import Raw, json, msgpack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    import backports.zstd as zstd

TAGS = """unset int str list tuple set frozenset dict defaultdict OrderedDict Counter deque
complex decimal fraction date time datetime timedelta uuid path bytearray array ndarray numpy
ref weak class prefab asset random enum flag value codec"""
TAG = {word: tag for tag, word in enumerate(TAGS.split())}
TAG |= {"(": TAG["tuple"], "generator": TAG["random"], "record": TAG["value"]}
NATIVE = "bool int float str bytes none literal any union".split()
LISTS = ("(", "list", "tuple", "set", "frozenset")
MAPPINGS = ("dict", "defaultdict", "OrderedDict", "Counter")
FIELDED = ("value", "record")
LABELLED = (*FIELDED, "rec", "enum", "flag", "codec")
WITHOUT_TYPES = "enum flag literal ref class numpy".split()
# A string; or a word with the bracket or question mark behind it; or another bracket.
WORD = r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*"|[^\s<>{}()|,:?]+[<{?]?|[()}>]"""
ROWS = tuple[int, list[int], list[list[Raw]], dict[int, Any], dict[int, Any], Any]


class Type(NamedTuple):
    """A stored type: its first word, the name behind it, and the types inside it."""

    word: str  # "(" of a tuple with a type for each member, "?" of a field with one
    label: str
    parts: list["Type"]
    fields: list[tuple[int, str]]  # number and name of each part


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


def tagged(kind: Type, cell: Any) -> Any:
    """Return the tagged value of a cell."""
    word, _, parts, _ = kind
    if word == "union" and type(cell) is list:
        return tagged(parts[cell[0]], cell[1 + cell[0]])
    if word in NATIVE:
        return cell
    if word == "?":
        return tagged(parts[0], cell[0]) if cell else [0, None]
    if word == "optional":
        return None if cell is None else tagged(parts[0], cell)
    return None if word == "ref" and cell == 0 else [TAG[word], payload(kind, cell)]


def payload(kind: Type, cell: Any) -> Any:
    """Return what stands behind the tag of a cell."""
    word, label, parts, fields = kind
    if word in ("enum", "flag", "codec"):
        return [label, tagged(parts[0], cell) if parts else cell]
    if word == "ndarray" and type(cell) is bytes:
        name, bits, _ = re.split(r"(\d+)", parts[0].word)
        dtype = f"{'<' if bits != '8' else '|'}{name[0]}{int(bits) // 8}"
        return [dtype, [len(cell) * 8 // int(bits)], "C", cell]
    if word == "path" and not cell.startswith(("posix:", "windows:", "path:")):
        return f"path:{cell}"
    if word == "deque":
        return [cell[0], *members(parts, cell[1])]
    if word in MAPPINGS:
        pairs = cell.items() if type(cell) is dict else cell
        kinds = [*parts, Type("int", "", [], [])][:2]
        found = members(kinds, [each for pair in pairs for each in pair])
        return [None, *found] if word == "defaultdict" else found
    if word in FIELDED:
        triples = zip(fields, members(parts, cell), strict=True)
        return [label, *(each for names, value in triples for each in (*names, value))]
    return members(parts, cell) if word in LISTS else cell


def members(parts: Any, cells: list[Any]) -> list[Any]:
    """Return the tagged values of cells whose types are these, again and again."""
    return [tagged(*each) for each in zip(cycle(parts), cells)]


class Save(NamedTuple):
    """What a file holds; `maps` are placements, generators, states and tombstones."""

    digest: bytes
    metadata: dict[str, Any]
    thumbnail: bytes
    world: list[Any]
    maps: list[dict[Any, Any]]
    classes: dict[int, int]  # the number of its class by key
    # By key and number of the field: its name, its tagged value, and the encoded value.
    values: dict[int, dict[int, tuple[str, Any, bytes]]]
    recordings: dict[int, Any]  # by key

    def add(self, section: bytes, table: list[Any]) -> None:
        """Add a section; `table` is the latest one: number, name, fields."""
        kind, *parts = msgpack.decode(section)
        if kind == 0:
            self.world.extend(parts)
        elif kind == 1:
            types = [read_type(re.findall(WORD, t)[::-1], {}) for _, _, t in parts[2]]
            table[:] = *parts, types
        elif kind == 2:
            _, keys, rows, *beside = msgpack.decode(section, type=ROWS)
            pairs = zip(accumulate(keys), rows, strict=True)
            for place, (key, row) in enumerate(pairs):
                self.add_row(table, key, row, *(each.get(place, ()) for each in beside))
        else:
            new = zip(accumulate(parts[0]), parts[1]) if kind == 3 else parts[0]
            self.maps[kind - 3].update(new)

    def add_row(self, table: Any, key: int, row: Any, *beside: Any) -> None:
        number, _, fields, types = table
        wrong, missing, recording = beside
        self.recordings.update({key: recording} if recording else {})
        self.classes[key], known = number, self.values.setdefault(key, {})
        cells = {f[0]: bytes(cell) for f, cell in zip(fields, row, strict=True)}
        for (n, name, _), kind in zip(fields, types):
            if -n in cells and msgpack.decode(cells[-n]) != known.get(n, [b""])[-1]:
                continue
            if n in wrong:
                known[n] = name, wrong[n], b"\xc1" + msgpack.encode(wrong[n])
            elif n > 0 and n not in missing:
                known[n] = name, tagged(kind, msgpack.decode(cells[n])), cells[n]


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
    need(fixed[:10] == b"\x89SGN\r\n\x1a\n\2\0", "it is no save of format 2")
    numbers = struct.unpack("<HIIQQI16s", fixed[10:])
    compression, about, picture, size, raw, count, seal = numbers
    metadata, thumbnail, chunks, end, rest = cut(rest, about, picture, size, 16)
    is_good = last == digest(fixed + metadata) and seal == digest(thumbnail)
    need(is_good and compression < 4, "the header")
    save = Save(end, json.decode(metadata), thumbnail, [], [{}, {}, {}, {}], {}, {}, {})
    table, digests = list[Any](), last
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
            save.add(section, table)
        digests, raw = digests + last, raw - whole
    need(end == digest(digests) and not (raw or chunks or rest), "the end")
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
