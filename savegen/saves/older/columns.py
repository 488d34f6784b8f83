"""Convert the values of one field of a class from their old stored type to the current one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from msgspec import Raw, msgpack

from savegen.runtime.cells import has_keys, keys_in, without
from savegen.runtime.components import References
from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    with_article,
    describe_error,
)
from savegen.runtime.fields import default_of
from savegen.runtime.fits import Rules, find_mismatches
from savegen.runtime.named import imported
from savegen.runtime.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.stored import Field as InnerField
from savegen.runtime.stored import Stored, parse
from savegen.runtime.tagged import (
    Opaque,
    Tag,
    Tagged,
    is_absent,
    parts_of,
    tag,
    untag,
    without_keys,
)
from savegen.runtime.values import Values
from savegen.saves.body import Body, Field, RawRow, encode
from savegen.saves.limits import Guard
from savegen.saves.older.conversion import (
    Conversion,
    Convert,
    UnconvertibleError,
    conversion,
)
from savegen.saves.older.plain import from_plain, to_plain
from savegen.saves.older.saved_objects import Cell, by_class, raw_row
from savegen.saves.preserved import Part
from savegen.saves.schema import Column, row_schema_of
from savegen.saves.tagged_cells import CellTagger, untagged

_ANY = msgpack.Decoder()
PARTS = (int(GameObjectFields.COMPONENTS_REF), int(GameObjectFields.CHILDREN_REF))


def decoded(stored: Stored, cells: Iterable[Raw], guard: Guard, what: str) -> list[Any]:
    """Return decoded cells of a stored type. Raises `SaveError` if a cell does not fit it."""
    found = [guard.decode(_ANY, memoryview(cell), what, is_deep=True) for cell in cells]
    try:
        wrong = find_mismatches(stored, found, Rules(dangling=True))
    except TypeError:  # an unhashable value in place of a name
        wrong = [0]
    if wrong:
        raise SaveCorruptError(f"{what} does not fit its type `{stored}`")
    return found


def content_of(cell: Any, stored: Stored, tagger: CellTagger) -> Any:
    """Return an encoded cell; a tagged value if an int or text in it cannot be encoded."""
    try:
        return Raw(encode(cell))
    except (OverflowError, UnicodeEncodeError):
        return tagger.tag(stored, cell)


class ConversionContext:
    """The context of a conversion: the game, and which objects of the save are loaded."""

    def __init__(self, body: Body, registry: Registry, guard: Guard) -> None:
        self.registry = registry
        self.guard = guard
        self.saved = by_class(body, registry)
        self.classes = {int(GAME_OBJECT.save_type)} | {e.number for e in registry}
        self.absent: set[Key] = (
            set()
        )  # objects of unknown classes and prefabs, and their parts
        self.dropped: set[Key] = set()  # those of them that are not preserved
        self.parts: list[Part] = (
            []
        )  # excluded components and children, with their positions

    @cached_property
    def class_of(self) -> dict[Key, int]:
        """The class numbers of all objects, by key."""
        found = self.saved.items()
        return {key: n for n, each in found for key in each.read(self.guard).rows}

    def leave_out(self, keys: Iterable[Key], number: int) -> None:
        """Exclude objects whose class or prefab the game does not have."""
        keys = {*keys}
        self.absent |= keys
        if number in self.registry.retired:
            self.dropped |= keys

    def without_parts(self, owner: Key, number: int, cell: list[Any]) -> list[Any]:
        """Return the components or children that are loaded; record the positions of the others."""
        left = []
        for place, item in enumerate(cell):
            part = Part(owner, number, place, item)
            if part.key not in self.absent:
                left.append(item)
            elif part.key not in self.dropped:
                self.parts.append(part)
        return left


class ColumnUpdate:
    """Converts the saved values of one field with one stored type."""

    def __init__(
        self, around: ConversionContext, entry: ClassEntry, column: Column, field: Field
    ) -> None:
        self.found: dict[Key, Any] = {}  # converted cells and mismatches
        self.kept: list[RawRow] = []  # originals of values that are loaded in part
        self.notes: list[str] = []
        self._context, self._field = around, field
        self._values = around.registry.values
        self._tagger = CellTagger(self._values)
        self._is_composing = entry is GAME_OBJECT and field.number in PARTS
        self._old, self._new = parse(field.stored), column.stored
        self._names = row_schema_of(entry).class_name, column.name
        self._where = "`{}.{}`".format(*self._names)
        rule = conversion(self._old, self._new, self._default, around.classes)
        is_same = rule.convert is None and not rule.faults
        self._converter = None if is_same else entry.converters.get(field.number)
        # A converter gets the complete value, so fields that it leaves out are not preserved.
        self._rule = Conversion() if self._converter else rule

    def _default(self, record: Stored, field: InnerField) -> Callable[[], Any] | None:
        """Return a function that creates the cell of a new field of a value or a record."""
        try:
            cls = self._values[record.label].load()
        except SaveError:
            return None
        make = default_of(cls, field.name)
        if make is None:
            return None
        return lambda: from_plain(field.type, make(cls), self._values)

    def _unreadable(self, reason: object) -> SaveApplyError:
        advice = '@converter({}, "{}")'.format(*self._names)
        return SaveApplyError(
            f"{self._where} cannot be read: {reason}; write a function with `{advice}`,"
            " or a migration"
        )

    def add(self, there: Mapping[Key, Any]) -> None:
        """Convert cells and mismatches.

        Raises `SaveApplyError` if a converter is needed and missing.
        """
        cells = {key: each for key, each in there.items() if isinstance(each, Raw)}
        if cells:
            self._add_cells(cells)
        for key, each in there.items():
            if key not in cells:
                self._add_mismatch(key, each)

    def _add_cells(self, there: Mapping[Key, Raw]) -> None:
        rule = self._rule
        if rule.fails:
            raise self._unreadable(rule.fails)
        is_kept = not (self._converter or rule.convert or rule.refuses)
        if is_kept and not (self._context.absent and has_keys(self._new)):
            self.found |= there
            return
        before = decoded(self._old, there.values(), self._context.guard, self._where)
        for (key, raw), cell in zip(there.items(), before):
            try:
                self._settle(key, raw, self._converted(cell))
            except UnconvertibleError as error:
                if not error.is_kept:
                    raise self._unreadable(error) from None
                tagged = self._tagger.tag(self._old, cell)
                self.found[key] = without_keys(tagged, self._context.absent)

    def _add_mismatch(self, key: Key, tagged: Tagged) -> None:
        """Convert a mismatch like a cell; if it has neither type, it remains unchanged."""
        ways: list[tuple[Stored, Convert]] = [(self._new, lambda cell: cell)]
        if not self._rule.fails:
            ways.insert(0, (self._old, self._converted))
        for stored, convert in ways:
            with suppress(ValueError, UnconvertibleError, SaveError):
                now = convert(untagged(stored, tagged))
                break
        else:
            left = without_keys(tagged, self._context.absent)
            self._put(key, left)
            is_cut = left is not tagged
            if key in self.found and (is_cut or loses(tagged, self._values)):
                self._keep(key, tagged)
            return
        self._settle(key, tagged, now)

    def _settle(self, key: Key, old: Any, cell: Any) -> None:
        """Remove references to excluded objects from a cell, and preserve the original."""
        around = self._context
        gone = around.absent & keys_in(self._new, [cell])
        if gone and self._is_composing:
            left = around.without_parts(key, self._field.number, cell)
            self.found[key] = Raw(encode(left))
            return
        left = without(self._new, cell, gone) if gone else cell
        # Objects of a class that the field no longer allows.
        if self._rule.refuses or (self._converter and has_keys(self._new)):
            if find_mismatches(
                self._new, [left], Rules(around.class_of.get, dangling=True)
            ):
                raise self._misdirected()
        self._put(key, content_of(left, self._new, self._tagger))
        if self._rule.loses or not gone <= around.dropped:
            self._keep(key, old)

    def _put(self, key: Key, content: Any) -> None:
        is_cell = isinstance(content, Raw)
        try:
            self.found[key] = content if is_cell else readable(content, self._values)
        except SaveCorruptError:
            raise
        except SaveError as error:
            self.notes.append(f"{self._where}: {error}")  # the field gets its default

    def _keep(self, key: Key, old: Any) -> None:
        if key in self.found:
            number, given = self._field.number, Cell(self._field, self.found[key]).given
            self.kept.append(raw_row(key, {number: old, -number: given}))

    def _converted(self, cell: Any) -> Any:
        if self._converter is None:
            return self._rule(cell)
        made = self._called(self._converter, to_plain(self._old, cell))
        try:
            return from_plain(self._new, made, self._values)
        except SaveError as error:
            raise SaveApplyError(
                f"the converter `{self._converter}` of {self._where} returned"
                f" {with_article(type(made).__qualname__)}, not what the field holds: {error}"
            ) from None

    def _misdirected(self) -> SaveApplyError:
        if not self._converter:
            return self._unreadable(self._rule.refuses)
        return SaveApplyError(
            f"the converter `{self._converter}` of {self._where} returned a reference to an"
            " object of another class than the field declares"
        )

    def _called(self, name: str, plain: Any) -> Any:
        try:
            function = imported(name)
        except ImportError as error:
            raise SaveApplyError(
                f"the converter `{name}` of {self._where} cannot be found: {error}"
            ) from error
        try:
            return function(plain)
        except Exception as error:
            raise SaveApplyError(
                f"the converter `{name}` of {self._where} raised {describe_error(error)}"
            ) from error


# -- which part of a mismatch the game can load


class StandInReferences(References):
    """Provides stand-ins for the objects, assets and generators of a world.

    >>> stand_ins = StandInReferences()
    >>> stand_ins.key_of(stand_ins.get_component(7))
    7
    """

    def __init__(self) -> None:
        self._made: dict[Key, Opaque] = {}  # keeps the targets of weak references alive

    def get_component(self, key: Key, /) -> Any:
        return self._made.setdefault(key, Opaque((int(Tag.KEY), key))) if key else None

    def key_of(self, component: Any, /) -> Key:
        if type(component) is not Opaque:
            return super().key_of(component)
        key: Key = component.tagged[1]
        return key

    def asset(self, id: str, /) -> Any:
        return Opaque((int(Tag.ASSET), id))

    def generator(self, key: int, /) -> Any:
        return Opaque((int(Tag.GENERATOR), key))

    def class_at(self, number: int, /) -> Any:
        return Opaque((int(Tag.CLASS), number))


def readable(tagged: Tagged, values: Values) -> Tagged:
    """Return the tagged value that the game would save again after loading a tagged value.

    Raises `SaveError` for a value that the game cannot load.
    """
    if is_absent(tagged):
        return tagged
    stand_ins = StandInReferences()
    return tag(untag(tagged, stand_ins, values), stand_ins, values)


def loses(tagged: Tagged, values: Values) -> bool:
    """Return whether a record in a readable value has fields that its class lacks."""
    if type(tagged) in (tuple, list) and tagged[0] == Tag.RECORD:
        name, *parts = tagged[1]
        if not {*parts[::3]} <= {*values[name].type.numbers}:
            return True
    return any(loses(part, values) for part in parts_of(tagged))
