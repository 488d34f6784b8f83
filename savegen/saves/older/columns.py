"""Convert the saved values of one field of a class from their old type to the current type."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from msgspec import Raw, msgpack

from savegen.runtime.values.cells import has_keys, keys_in, without, without_unfit
from savegen.runtime.values.references import References
from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    describe_error,
    with_article,
)
from savegen.runtime.values.fields import default_of
from savegen.runtime.values.fits import Rules, find_mismatches
from savegen.runtime.values.methods import MissingMethod
from savegen.runtime.values.named import imported
from savegen.runtime.world.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import Field as InnerField
from savegen.runtime.values.stored import StoredType, parse
from savegen.runtime.values.tagged import (
    ABSENT,
    Opaque,
    Tag,
    Tagged,
    is_absent,
    parts_of,
    tag,
    untag,
    without_keys,
)
from savegen.runtime.values.values import Values
from savegen.saves.body import Body, Field, RawRow, encode
from savegen.saves.limits import Guard
from savegen.saves.older.conversion import (
    Conversion,
    Convert,
    UnconvertibleError,
    conversion,
)
from savegen.saves.older.plain import cell_of, to_plain
from savegen.saves.older.saved_objects import Cell, by_class, raw_row
from savegen.saves.preserved import PreservedPart
from savegen.saves.schema import Column, row_schema_of
from savegen.saves.tagged_cells import CellTagger, untag_cell

_ANY = msgpack.Decoder()
PARTS = (int(GameObjectFields.COMPONENTS_REF), int(GameObjectFields.CHILDREN_REF))


def decode_cells(
    stored: StoredType, cells: Iterable[Raw], guard: Guard, description: str
) -> list[Any]:
    """Return decoded cells. Raises `SaveError` if one does not fit the stored type."""
    values = [
        guard.decode(_ANY, memoryview(cell), description, is_deep=True)
        for cell in cells
    ]
    try:
        mismatches = find_mismatches(stored, values, Rules(dangling=True))
    except TypeError:  # an unhashable value in place of a name
        mismatches = [0]
    if mismatches:
        raise SaveCorruptError(f"{description} does not fit its type `{stored}`")
    return values


def encode_or_tag(cell: Any, stored: StoredType, tagger: CellTagger) -> Any:
    """Return the encoded cell, or a tagged value if MessagePack cannot encode the cell."""
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
        # Objects of unknown classes and prefabs, with their components: they are not loaded.
        self.absent: set[Key] = set()
        # Absent objects that are not preserved, because their class or prefab is retired.
        self.dropped: set[Key] = set()
        # Absent components and children of objects that are loaded.
        self.parts: list[PreservedPart] = []
        # The components of parts. Their class may have changed, in this load or in an earlier one,
        # so that not all references to them fit.
        self.of_prefabs: set[Key] = set()
        # Those whose class changes in this load, with the name of the old class.
        self.moved: dict[Key, str] = {}

    @cached_property
    def class_of(self) -> dict[Key, int]:
        """The class numbers of all objects, by key."""
        classes = self.saved.items()
        return {key: n for n, saved in classes for key in saved.read(self.guard).rows}

    def mark_absent(self, keys: Iterable[Key], number: int) -> None:
        """Do not load these objects, because the game lacks the class or prefab `number`."""
        keys = {*keys}
        self.absent |= keys
        if number in self.registry.retired:
            self.dropped |= keys

    def without_unfit(self, stored: StoredType, cell: Any) -> Any:
        """Return a cell without references to parts that do not allow the part's class."""
        if self.of_prefabs.isdisjoint(keys_in(stored, [cell])):
            return cell
        is_part, class_of = self.of_prefabs.__contains__, self.class_of

        def fits(key: Key, ref: StoredType) -> bool:
            return (
                not is_part(key) or 0 in ref.numbers or class_of.get(key) in ref.numbers
            )

        fitting = without_unfit(stored, cell, fits)
        return cell if fitting == cell else fitting

    def without_parts(self, owner: Key, number: int, cell: list[Any]) -> list[Any]:
        """Return the components or children that are loaded, and preserve the others."""
        loaded = []
        for place, item in enumerate(cell):
            part = PreservedPart(owner, number, place, item)
            if part.key not in self.absent:
                loaded.append(item)
            elif part.key not in self.dropped:
                self.parts.append(part)
        return loaded


class ColumnUpdate:
    """Converts the saved values of one field with one stored type."""

    def __init__(
        self,
        context: ConversionContext,
        entry: ClassEntry,
        column: Column,
        field: Field,
    ) -> None:
        self.converted: dict[Key, Any] = {}  # contents of cells
        self.originals: list[RawRow] = []  # of values that are loaded in part
        self.notes: list[str] = []  # on values that are replaced by the default
        self._context, self._field = context, field
        self._entry, self._cell = entry, column.cell
        self._values = context.registry.values
        self._tagger = CellTagger(self._values)
        self._holds_parts = entry is GAME_OBJECT and field.number in PARTS
        self._old, self._new = parse(field.stored), column.stored
        self._names = row_schema_of(entry).class_name, column.name
        self._where = "`{}.{}`".format(*self._names)
        rule = conversion(self._old, self._new, self._default, context.classes)
        fits = rule.convert is None and not rule.faults
        self._converter = None if fits else entry.converters.get(field.number)
        # A converter gets the complete value, so fields that it leaves out are not preserved.
        self._rule = Conversion() if self._converter else rule

    def _default(
        self, record: StoredType, field: InnerField
    ) -> Callable[[], Any] | None:
        """Return a function that creates the cell of a new field of a value or a record."""
        try:
            cls = self._values[record.label].load()
        except SaveError:
            return None
        make = default_of(cls, field.name)
        if make is None:
            return None

        def cell() -> Any:
            try:
                return cell_of(field.type, make(cls), self._values)
            except SaveError as error:
                # A load of the old value as a mismatch gives the field its default, too.
                raise UnconvertibleError(str(error), as_mismatch=True) from None

        return cell

    def _unreadable(self, reason: object) -> SaveApplyError:
        advice = '@converter({}, "{}")'.format(*self._names)
        return SaveApplyError(
            f"{self._where} cannot be read: {reason}; write a function with `{advice}`,"
            " or a migration"
        )

    def add(self, contents: Mapping[Key, Any]) -> None:
        """Convert the contents of cells.

        Raises `SaveApplyError` if a converter is needed and missing.
        """
        cells = {key: each for key, each in contents.items() if isinstance(each, Raw)}
        if cells:
            self._add_cells(cells)
        for key, content in contents.items():
            if key not in cells:
                self._add_mismatch(key, content)

    def _add_cells(self, cells: Mapping[Key, Raw]) -> None:
        rule, guard = self._rule, self._context.guard
        if rule.failure_reason:
            raise self._unreadable(rule.failure_reason)
        is_unchanged = not (
            self._converter or rule.convert or rule.partial_failure_reason
        )
        context = self._context
        has_lost = has_keys(self._new) and (context.absent or context.of_prefabs)
        if is_unchanged and not has_lost:
            self.converted |= cells
            return
        values = decode_cells(self._old, cells.values(), guard, self._where)
        for (key, raw), value in zip(cells.items(), values):
            try:
                self._add_converted(key, raw, self._convert(value))
            except UnconvertibleError as error:
                if not error.as_mismatch:
                    raise self._unreadable(error) from None
                tagged = self._tagger.tag(self._old, value)
                self.converted[key] = without_keys(tagged, self._context.absent)

    def _add_mismatch(self, key: Key, tagged: Tagged) -> None:
        """Convert a mismatch of the old type; one of neither type remains a mismatch."""
        attempts: list[tuple[StoredType, Convert]] = [(self._new, lambda cell: cell)]
        if not self._rule.failure_reason:
            attempts.insert(0, (self._old, self._convert))
        for stored, convert in attempts:
            with suppress(ValueError, UnconvertibleError, SaveError):
                cell = convert(untag_cell(stored, tagged))
                break
        else:
            loaded = without_keys(tagged, self._context.absent)
            if self._put(key, loaded):
                if loaded is not tagged or has_unknown_fields(tagged, self._values):
                    self._preserve(key, tagged)
            elif self._cell not in self._entry.defaults_by_cell:
                self.converted[key] = ABSENT
                self._preserve(key, tagged)
            return
        self._add_converted(key, tagged, cell)

    def _add_converted(self, key: Key, original: Any, cell: Any) -> None:
        """Add a converted cell without references to absent objects; preserve the original."""
        context = self._context
        absent = context.absent & keys_in(self._new, [cell])
        if absent and self._holds_parts:
            loaded = context.without_parts(key, self._field.number, cell)
            self.converted[key] = Raw(encode(loaded))
            return
        loaded = without(self._new, cell, absent) if absent else cell
        fitting = context.without_unfit(self._new, loaded)
        is_whole = fitting is loaded and absent <= context.dropped
        loaded = fitting
        if self._rule.partial_failure_reason or (
            self._converter and has_keys(self._new)
        ):
            rules = Rules(context.class_of.get, dangling=True)
            if find_mismatches(self._new, [loaded], rules):
                raise self._wrong_class()
        is_loaded = self._put(key, encode_or_tag(loaded, self._new, self._tagger))
        if is_loaded and (self._rule.lost_fields or not is_whole):
            self._preserve(key, original)

    def _put(self, key: Key, content: Any) -> bool:
        """Add the content of a cell; return false if the field gets its default instead."""
        try:
            if not isinstance(content, Raw):
                content = after_reload(content, self._values, self._context.classes)
        except SaveCorruptError:
            raise
        except SaveError as error:
            self.notes.append(f"{self._where}: {error}")
            return False
        self.converted[key] = content
        return True

    def _preserve(self, key: Key, original: Any) -> None:
        number, cell = self._field.number, Cell(self._field, self.converted[key])
        contents = {number: original, -number: cell.loaded_form}
        self.originals.append(raw_row(key, contents))

    def _convert(self, cell: Any) -> Any:
        if self._converter is None:
            return self._rule(cell)
        plain = to_plain(self._old, cell)
        try:
            function = imported(self._converter)
        except ImportError as error:
            raise self._converter_error(f"cannot be imported: {error}") from error
        try:
            value = function(plain)
        except Exception as error:
            raise self._converter_error(f"raised {describe_error(error)}") from error
        try:
            return cell_of(self._new, value, self._values)
        except SaveError as error:
            kind = with_article(type(value).__qualname__)
            problem = f"returned {kind} that does not fit the field: {error}"
            raise self._converter_error(problem) from None

    def _converter_error(self, problem: str) -> SaveApplyError:
        return SaveApplyError(
            f"the converter `{self._converter}` of {self._where} {problem}"
        )

    def _wrong_class(self) -> SaveApplyError:
        if not self._converter:
            return self._unreadable(self._rule.partial_failure_reason)
        return self._converter_error(
            "returned a reference to an object of another class than the field declares"
        )


# -- mismatches as the game loads them


class StandInReferences(References):
    """Provides opaque objects in place of the objects, assets and generators of a world.

    >>> stand_ins = StandInReferences(())
    >>> stand_ins.key_of(stand_ins.get_component(7))
    7
    """

    def __init__(self, classes: Container[int]) -> None:
        self._classes = classes
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

    def _generator(self, key: int, /) -> Any:
        return Opaque((int(Tag.GENERATOR), key))

    def _class_at(self, number: int, /) -> Any:
        if number not in self._classes:
            raise SaveError(f"no saveable class has the number {number}")
        return Opaque((int(Tag.CLASS), number))

    def _missing_method(self, obj: Any, name: str, /) -> Any:
        return MissingMethod(obj, name)


def after_reload(tagged: Tagged, values: Values, classes: Container[int]) -> Tagged:
    """Return the tagged value that the game would save after loading this one.

    `classes` are the numbers of the saveable classes that the game has.

    Raises `SaveError` for a value that the game cannot load.
    """
    if is_absent(tagged):
        return tagged
    stand_ins = StandInReferences(classes)
    return tag(untag(tagged, stand_ins, values), stand_ins, values)


def has_unknown_fields(tagged: Tagged, values: Values) -> bool:
    """Return whether a record in a value has fields that its class does not have."""
    if type(tagged) in (tuple, list) and tagged[0] == Tag.RECORD:
        name, *parts = tagged[1]
        if not {*parts[::3]} <= {*values[name].type.numbers}:
            return True
    return any(has_unknown_fields(part, values) for part in parts_of(tagged))
