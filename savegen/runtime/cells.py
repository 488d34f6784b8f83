"""What is done with cells whose type is known: fill one in, and find or replace its keys."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from msgspec import UNSET
from msgspec.structs import astuple

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.packing import ordered
from savegen.runtime.rows import Key, Row
from savegen.runtime.stored import Stored
from savegen.runtime.tagged import replace_keys

# -- a cell for nothing


def filler(stored: Stored) -> Any:
    """Return a cell that can be written and read, but stands for no value.

    It takes the place of a mismatch in a file.

    >>> from savegen.runtime.stored import parse
    >>> filler(parse("(int, optional<date>, list<str>, enum Colour{RED GREEN})"))
    (0, None, [], 'RED')
    """
    try:
        return _filler(stored, {})
    except RecursionError:
        raise SaveCorruptError(f"no value can be of the stored type {stored}") from None


def _filler(stored: Stored, around: Mapping[str, Stored]) -> Any:
    name, parts = stored.name, stored.parts
    if name in _FILLERS:
        made = _FILLERS[name]
        return made() if callable(made) else made
    if name == "optional":
        return 0 if parts[0].name == "ref" else None
    if name in ("dict", "defaultdict", "Counter"):
        return {} if parts[0].is_scalar else []
    if name == "fixed":
        return (*(_filler(part, around) for part in parts),)
    if name in ("value", "record"):
        around = {**around, stored.label: stored}
        return (
            *(
                () if field.may_be_absent else _filler(field.type, around)
                for field in stored.fields
            ),
        )
    if name == "rec":
        return _filler(around[stored.label], around)
    if name == "codec" or stored.is_native_union:
        return _filler(parts[0], around)
    if name == "union":
        return [0, _filler(parts[0], around), *[None] * (len(parts) - 1)]
    if name == "literal":
        return stored.constants[0]
    if name == "class":
        return stored.numbers[0]
    return stored.names[0] if stored.names else ""  # of an enum or a flag


_FILLERS: dict[str, Any] = {
    "bool": False,
    "float": 0.0,
    **dict.fromkeys("int random generator prefab ref weak".split(), 0),
    **dict.fromkeys(["str", "asset"], ""),
    **dict.fromkeys(["bytes", "bytearray"], b""),
    **dict.fromkeys(["none", "any"], None),
    **dict.fromkeys("list tuple set frozenset OrderedDict".split(), list),
    "complex": (0.0, 0.0),
    "decimal": "0",
    "fraction": "0/1",
    "date": "0001-01-01",
    "time": "00:00:00",
    "datetime": "0001-01-01T00:00:00",
    "timedelta": (0, 0, 0),
    "uuid": bytes(16),
    "path": ".",
    "array": ("b1", b""),
    "ndarray": ("|b1", (0,), "C", b""),
    "numpy": ("|b1", b"\0"),
    "deque": (None, ()),
}


# -- keys


def has_keys(stored: Stored) -> bool:
    """Return whether a cell of a stored type can hold a key."""
    return _rewriter(stored) is not None


def keys_in(stored: Stored, column: Iterable[Any]) -> set[Key]:
    """Return the keys in a column of cells; `UNSET` cells have none.

    >>> from savegen.runtime.stored import parse
    >>> sorted(keys_in(parse("dict<str, list<ref<7>>>"), [{"a": [1, 0], "b": [2]}, {}]))
    [1, 2]
    """
    found: set[Key] = set()
    rewrite = _rewriter(stored)
    if rewrite is None:
        return found
    cells = (cell for cell in column if cell is not UNSET)
    if _is_ref(stored):
        found.update(cells)
    elif stored.name in _ARRAYS and _is_ref(stored.parts[0]):
        found.update(chain.from_iterable(cells))
    else:
        for cell in cells:
            rewrite(cell, _noting(found), False)
    found.discard(0)
    return found


def _is_ref(stored: Stored) -> bool:
    if stored.name in ("optional", "weak"):
        return stored.parts[0].name == "ref"
    return stored.name == "ref"


def _noting(found: set[Key]) -> Change:
    def note(key: Key) -> Key:
        found.add(key)
        return key

    return note


def remap(stored: Stored, cell: Any, keys: Mapping[Key, Key]) -> Any:
    """Return a cell with other keys; a key that is not in `keys` stays as it is.

    >>> from savegen.runtime.stored import parse
    >>> remap(parse("set<ref<7>>"), [1, 2], {1: 9})
    [2, 9]
    """
    rewrite = _rewriter(stored)
    if rewrite is None:
        return cell
    return rewrite(cell, lambda key: keys.get(key, key), False)


def without(stored: Stored, cell: Any, dead: Container[Key]) -> Any:
    """Return a cell without the keys of objects that are gone.

    A container whose members cannot be `None` loses such a member; elsewhere the key becomes 0.

    >>> from savegen.runtime.stored import parse
    >>> without(parse("list<ref<7>>"), [1, 2], {1}), without(parse("(ref<7>)"), (1,), {1})
    ([2], (0,))
    """
    rewrite = _rewriter(stored)
    if rewrite is None:
        return cell
    return rewrite(cell, lambda key: GONE if key in dead else key, False)


GONE: Any = object()
"""What a `Change` returns for the key of an object that is gone."""
Change = Callable[[Key], Key]
Rewrite = Callable[[Any, Change, bool], Any]
"""Returns a cell with changed keys. If the flag says that the cell is a member of a container,
`GONE` for one that should leave it."""
Around = Mapping[str, list[Rewrite]]
"""What changes the values and records that a type is in, by name, once there is something."""
_KEYED = frozenset(["ref", "weak", "any"])
_ARRAYS = frozenset("list tuple set frozenset".split())


@lru_cache(4096)
def _rewriter(stored: Stored) -> Rewrite | None:
    """Return what changes the keys in cells; `None` if there can be none."""
    return _made(stored, {})


def _made(stored: Stored, around: Around) -> Rewrite | None:
    if stored.name == "rec":
        return _rec(around[stored.label]) if stored.label in around else None
    if not any(_may_be_key(part, around) for part in stored.walk()):
        return None
    return _MAKERS[stored.name](stored, around)


def _may_be_key(part: Stored, around: Around) -> bool:
    return part.name in _KEYED or (part.name == "rec" and part.label in around)


def _parts(stored: Stored, around: Around) -> list[Rewrite | None]:
    return [_made(part, around) for part in stored.parts]


def _ref(cell: Any, change: Change, is_member: bool) -> Any:
    found = change(cell) if cell else cell
    return 0 if found is GONE and not is_member else found


def _lasting(cell: Any, change: Change, is_member: bool) -> Any:
    """Change a reference that may be 0, wherever it is."""
    return _ref(cell, change, False)


def _optional(stored: Stored, around: Around) -> Rewrite:
    if stored.parts[0].name == "ref":
        return _lasting
    (inner,) = _parts(stored, around)
    assert inner is not None

    def rewrite(cell: Any, change: Change, is_member: bool) -> Any:
        found = None if cell is None else inner(cell, change, True)
        return None if found is GONE else found

    return rewrite


def _items(stored: Stored, around: Around) -> Rewrite:
    (item,) = _parts(stored, around)
    is_set = stored.name in ("set", "frozenset")

    def rewrite(cell: Any, change: Change, is_member: bool) -> Any:
        made = _members(item, cell, change)
        return type(cell)(ordered(made) if is_set else made)

    return rewrite


def _members(item: Rewrite | None, cells: Iterable[Any], change: Change) -> list[Any]:
    if item is None:
        return [*cells]
    made = (item(each, change, True) for each in cells)
    return [each for each in made if each is not GONE]


def _deque(stored: Stored, around: Around) -> Rewrite:
    (item,) = _parts(stored, around)

    def rewrite(cell: Any, change: Change, is_member: bool) -> Any:
        limit, members = cell
        return type(cell)((limit, _members(item, members, change)))

    return rewrite


def _dict(stored: Stored, around: Around) -> Rewrite:
    key, value = (*_parts(stored, around), None)[:2]

    def rewrite(cell: Any, change: Change, is_member: bool) -> Any:
        is_map = type(cell) is dict
        made = (
            (_part(key, one, change, True), _part(value, other, change, True))
            for one, other in (cell.items() if is_map else cell)
        )
        pairs = [pair for pair in made if pair[0] is not GONE is not pair[1]]
        return dict(pairs) if is_map else pairs

    return rewrite


def _part(rewrite: Rewrite | None, cell: Any, change: Change, is_member: bool) -> Any:
    return cell if rewrite is None else rewrite(cell, change, is_member)


def _fixed(stored: Stored, around: Around) -> Rewrite:
    return _places(_parts(stored, around))


def _places(parts: list[Rewrite | None]) -> Rewrite:
    def rewrite(cell: Any, change: Change, is_member: bool) -> Any:
        is_row = isinstance(cell, Row)  # of a recursive record
        cells = astuple(cell) if is_row else cell
        made = (_part(part, each, change, False) for part, each in zip(parts, cells))
        return type(cell)(*made) if is_row else type(cell)(made)

    return rewrite


def _record(stored: Stored, around: Around) -> Rewrite:
    later: list[Rewrite] = []
    around = {**around, stored.label: later}
    parts = []
    for field in stored.fields:
        part = _made(field.type, around)
        parts.append(_places([part]) if field.may_be_absent and part else part)
    later.append(_places(parts))
    return later[0]


def _rec(later: list[Rewrite]) -> Rewrite:
    return lambda cell, change, is_member: later[0](cell, change, is_member)


def _union(stored: Stored, around: Around) -> Rewrite:
    members = _parts(stored, around)

    def rewrite(cell: Any, change: Change, is_member: bool) -> Any:
        index, *cells = cell
        made = _part(members[index], cells[index], change, is_member)
        if made is GONE:
            return GONE
        cells[index] = made
        return type(cell)([index, *cells])

    return rewrite


def _codec(stored: Stored, around: Around) -> Rewrite:
    (inner,) = _parts(stored, around)
    assert inner is not None
    return lambda cell, change, is_member: inner(cell, change, False)


def _tagged(cell: Any, change: Change, is_member: bool) -> Any:
    return replace_keys(cell, lambda key: _ref(key, change, False))


_MAKERS: dict[str, Callable[[Stored, Around], Rewrite]] = {
    "ref": lambda stored, around: _ref,
    "weak": lambda stored, around: _lasting,
    "any": lambda stored, around: _tagged,
    "optional": _optional,
    **dict.fromkeys(["list", "tuple", "set", "frozenset"], _items),
    "deque": _deque,
    **dict.fromkeys(["dict", "defaultdict", "OrderedDict", "Counter"], _dict),
    "fixed": _fixed,
    "value": _record,
    "record": _record,
    "union": _union,
    "codec": _codec,
}
