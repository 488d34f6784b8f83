"""Forms: how the values of a column are written, and what can be done with them without a game.

A form is a word, or a list of a word and what it is made of; `document` says what forms are
for. The values of a column, as a `Document` has them, are called wire values:

    none bool bytes bytearray         the value; of a bytearray its bytes
    int float                         the value; above 64 bits its digits in base 16, as a text
    complex                           likewise, or [real, imaginary]
    str asset                         the text; one with lone surrogates as [it, escaped]
    decimal                           its digits, as a text
    fraction                          [numerator, denominator]
    date time datetime                in ISO 8601; if it has a zone or a fold, [that, fold, zone]
    timedelta                         [days, seconds, microseconds]
    uuid                              16 bytes, one more if it is known how safe it is
    path                              ["posix", "windows" or "path", its text]
    array                             [typecode, bytes of a member, all bytes]
    ndarray ["scalar", name]          [dtype, shape, order, bytes], [dtype, bytes]
    ref                               the number of an object, or None
    class prefab                      a stable number
    random numpy_random               a place in the table of generators
    ["enum", name, [member, …]]       a place in that list
    ["literal", [constant, …]]        likewise; constants as `jsonable` has them
    ["flag", name]                    "A|B", "A|0x40", "0"
    ["list", f] ["tuple", f]          a list
    ["set", f] ["frozenset", f]       a list, sorted
    ["deque", f]                      [maxlen, list]
    ["dict", k, v] ["ordereddict", k, v] ["counter", k]
                                      a dict if all keys are plain texts, else [keys, values]
    ["defaultdict", k, v]             [name of the factory, likewise]
    ["places", f, …]                  a list of that length
    ["optional", f]                   the value, or None
    ["maybe", f]                      a list of the value, an empty one if it is not set
    ["union", f, …]                   [place of the form, the value]
    ["record", name]                  the values of the fields, in the order of `shapes[name]`
    ["keys", name]                    likewise, behind the order of the keys; `None` if it is that
    any ["foreign", name]             MessagePack of its own, in bytes

A list may be a tuple in a document that was just made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import msgpack

from savegen.runtime.errors import SaveCorruptError, SaveLimitError
from savegen.runtime.saves.document import ROWS_OF_A_PIECE, Form, Piece
from savegen.runtime.saves.wire import (
    _any_nodes,
    _choice_nodes,
    _container_nodes,
    _leaf_nodes,
    _mapping_nodes,
    _record_nodes,
)
from savegen.runtime.saves.wire._json import jsonable
from savegen.runtime.saves.wire._node import (
    DEPTH,
    Exact,
    NewNumber,
    Node,
    Nodes,
    Shapes,
    decoded,
    list_of,
    packed,
    reached,
    scan,
    tuple_of,
)

_KINDS: Mapping[str, Callable[[Form, Nodes], Node]] = {
    **_leaf_nodes.NODES,
    **_container_nodes.NODES,
    **_mapping_nodes.NODES,
    **_choice_nodes.NODES,
    **_record_nodes.NODES,
    **_any_nodes.NODES,
}
WORDS = frozenset(_KINDS)


def node_of(form: Form, shapes: Shapes) -> Node:
    """Return what knows a form. Raises `SaveCorruptError` or `SaveLimitError` without sense."""
    return Nodes(shapes, _KINDS).of(form)


def check_form(form: Form, shapes: Shapes) -> None:
    """Raise `SaveCorruptError` or `SaveLimitError` if a form makes no sense.

    >>> check_form(["list", "int"], {})
    >>> check_form(["list", "pickle"], {})
    Traceback (most recent call last):
    savegen.runtime.errors.SaveCorruptError: the save has a form that nothing has: 'pickle'
    """
    try:
        node_of(form, shapes)
    except RecursionError:
        raise SaveLimitError("the depth of a form", DEPTH, 1000) from None


def type_of(form: Form, shapes: Shapes) -> Any:
    """Return the type that msgspec decodes a value of a form as.

    `Raw` stands in it for what takes a second step: use `decoder`. Lengths are not bounded, so
    bytes must be looked through by `scan` first.

    >>> type_of(["list", "bool"], {})
    list[bool]
    """
    return node_of(form, shapes).type


def decoder(
    forms: Sequence[Form], shapes: Shapes
) -> Callable[[bytes | memoryview], Piece]:
    """Return what decodes the MessagePack of a piece with columns of these forms.

    It looks through the bytes first, so that nothing is made of a length that they do not
    back, and raises `SaveCorruptError` or `SaveLimitError` for whatever is wrong. The
    columns are of one length, and that is at most `ROWS_OF_A_PIECE`.

    >>> decoder(["int", "str"], {})(msgpack.encode([[1, 2], ["a", "b"]]))
    [[1, 2], ['a', 'b']]
    """
    nodes = Nodes(shapes, _KINDS)
    parts = [nodes.of(form) for form in forms]
    whole = msgpack.Decoder(tuple_of(list_of(part.type) for part in parts))
    exact = _exactly(parts)

    def decode(data: bytes | memoryview) -> Piece:
        scan(data)
        columns = exact(data) or decoded(whole, data)
        lengths = {*map(len, columns)}
        if len(lengths) > 1:
            raise SaveCorruptError("the columns of a piece are not of one length")
        if lengths and max(lengths) > ROWS_OF_A_PIECE:
            raise SaveLimitError("the number of rows", ROWS_OF_A_PIECE, max(lengths))
        return [
            [*part.settle(column)] if part.is_raw else column
            for part, column in zip(parts, columns, strict=True)
        ]

    return decode


def _exactly(parts: Sequence[Node]) -> Callable[[bytes | memoryview], Piece | None]:
    """Return what decodes columns if nothing in them is odd."""
    if not all(part.exact for part in parts):
        return lambda data: None
    decoder = msgpack.Decoder(tuple_of(list_of(part.exact) for part in parts))

    def decode(data: bytes | memoryview) -> Piece | None:
        try:
            return [*map(Exact, decoder.decode(data))]
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None  # the other way tells what is wrong with it, if anything is

    return decode


def refers(form: Form, shapes: Shapes) -> bool:
    """Tell whether there can be references in the values of a form."""
    return node_of(form, shapes).refers


def relink(
    form: Form, shapes: Shapes, values: Sequence[Any], new_number: NewNumber
) -> list[Any]:
    """Return wire values with what `new_number` gives for each reference in them.

    That may be `None`, and it may be an object: then what it returns is no wire value before
    it went through here once more, and came out with numbers.

    >>> relink(["list", "ref"], {}, [[3, None]], lambda number: number + 1)
    [[4, None]]
    """
    return [*node_of(form, shapes).relink(values, new_number)]


def to_plain(
    form: Form, shapes: Shapes, values: Sequence[Any], *, natural: bool = False
) -> list[Any]:
    """Return wire values as people read them: records as dicts, enums as names.

    They are JSON: an infinite float is `{"$float": "inf"}`, bytes are `{"$bytes": …}` in base
    64. If they are to be `natural`, they are Python's instead: floats, ints, texts and bytes.

    >>> to_plain(["optional", "ref"], {}, [7, None])
    [{'$ref': 7}, None]
    >>> to_plain("bytes", {}, [b"ab"]), to_plain("bytes", {}, [b"ab"], natural=True)
    ([{'$bytes': 'YWI='}], [b'ab'])
    """
    found = node_of(form, shapes).plain(values)
    return found if natural else [*map(jsonable, found)]


def from_plain(form: Form, shapes: Shapes, plain: Sequence[Any]) -> list[Any]:
    """Return the wire values that `to_plain` returned these for, JSON's or natural ones.

    Raises `SaveCorruptError` if they are none, `SaveLimitError` if they are nested too deep.

    >>> from_plain(["dict", "int", "str"], {}, [[[1, "a"]]])
    [[[1], ['a']]]
    """
    try:
        found = [*node_of(form, shapes).wire(plain)]
        packed(found)
    except RecursionError:
        raise SaveLimitError("the depth of a value", DEPTH, 1000) from None
    except (OverflowError, UnicodeEncodeError) as error:
        raise SaveCorruptError(
            f"the save has a value that is broken: {error}"
        ) from None
    return found


def used_shapes(
    forms: Iterable[Form], shapes: Shapes
) -> dict[str, list[tuple[str, Form]]]:
    """Return those shapes that some forms are made of, by name, sorted.

    >>> used_shapes([["list", ["record", "m:V"]]], {"m:V": [("x", "int")], "m:W": []})
    {'m:V': [('x', 'int')]}
    """
    nodes = Nodes(shapes, _KINDS)
    found = {
        node.form[1]
        for form in forms
        for node in reached(nodes.of(form))
        if isinstance(node, _record_nodes.RecordNode)
    }
    return {name: [*shapes[name]] for name in sorted(found)}
