"""Convert the saved values of one field of a class from their old type to the current type."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import suppress
from functools import cached_property
from typing import Any

from msgspec import Raw, msgpack

from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    describe_error,
    with_article,
)
from savegen.runtime.values.libraries.fields import default_of
from savegen.runtime.values.basics.named import imported
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.reports import LostValue
from savegen.runtime.values.folds import (
    NOT_SET,
    Rules,
    Typed,
    keys_in,
    pack,
    untyped,
    without,
    without_unfit,
    wrong,
)
from savegen.runtime.values.kinds import KINDS
from savegen.runtime.values.rows import Key, Misfit
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.values.stored import StoredField as InnerField
from savegen.runtime.values.stored import RECORDS, RESERVED, StoredType, has_keys, parse
from savegen.runtime.values.values import Values
from savegen.runtime.world.objects import GAME_OBJECT, GameObjectFields
from savegen.saves.body import Body, SavedField, RawRow
from savegen.saves.encoding import can_be_encoded, encode
from savegen.saves.limits import Guard
from savegen.saves.older.conversion import (
    Conversion,
    UnconvertibleError,
    conversion,
)
from savegen.saves.older.plain import PlainReferences, cell_of, to_plain
from savegen.saves.older.saved_objects import by_class, raw_row
from savegen.saves.preserved import ANY, PreservedPart, condition_of
from savegen.saves.schema import Column, row_schema_of
from savegen.saves.typed import is_same, typed_of

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
        misfits = wrong(stored, values, Rules(dangling=True))
    except TypeError:  # an unhashable value in place of a name
        misfits = [0]
    if misfits:
        raise SaveCorruptError(f"{description} does not fit its type `{stored}`")
    return values


def content_of(cell: Any, stored: StoredType) -> Raw | Typed:
    """Return the encoded cell; with its type if a row cannot have it, or has no list of types."""
    if "any" in stored.names_inside or not can_be_encoded(cell):
        return stored, cell
    return Raw(encode(cell))


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

    @cached_property
    def stand_ins(self) -> StandIns:
        return StandIns(self.registry.values, self.classes)

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
        field: SavedField,
    ) -> None:
        self.converted: dict[Key, Any] = {}  # contents of cells
        self.originals: list[RawRow] = []  # of values that are loaded in part
        self.notes: list[str] = []  # on values that are replaced by the default
        self.lost: list[LostValue] = []  # parts of values
        self._context, self._field = context, field
        self._entry, self._cell = entry, column.cell
        self._values = context.registry.values
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
        own = {
            key: each
            for key, each in contents.items()
            if isinstance(each, Raw) or each[0] == self._old
        }
        if own:
            self._add_own(own)
        for key in contents.keys() - own.keys():
            self._add_mismatch(key, contents[key])

    def _add_own(self, contents: Mapping[Key, Raw | Typed]) -> None:
        """Convert values of the old type."""
        rule, context = self._rule, self._context
        if rule.failure_reason:
            raise self._unreadable(rule.failure_reason)
        is_unchanged = not (
            self._converter or rule.convert or rule.partial_failure_reason
        )
        has_lost = has_keys(self._new) and (context.absent or context.of_prefabs)
        if is_unchanged and not has_lost:
            for key, content in contents.items():
                is_raw = isinstance(content, Raw)
                self.converted[key] = content if is_raw else (self._new, content[1])
            return
        raw = {key: each for key, each in contents.items() if isinstance(each, Raw)}
        values = decode_cells(self._old, raw.values(), context.guard, self._where)
        cells = dict(zip(raw, values))
        for key, content in contents.items():
            cell = cells[key] if key in cells else content[1]
            try:
                is_whole = self._add_converted(key, content, self._convert(cell))
            except UnconvertibleError as error:
                if not error.as_mismatch:
                    raise self._unreadable(error) from None
                cell = without(self._old, cell, context.absent)
                self.converted[key] = self._old, cell
                continue
            if is_whole:
                self._lose(key, (self._old, cell), rule.lost_fields)

    def _lose(
        self, key: Key, typed: Typed, removed: Collection[tuple[str, str]]
    ) -> None:
        """Report the fields in a value that their classes have no more."""
        class_name, field = self._names
        found = saved_fields(*typed) if removed else ()
        for owner, name in dict.fromkeys(each for each in found if each in removed):
            reason = f"`{owner.rpartition('.')[2]}` has no field `{name}` any more"
            self.lost.append(LostValue(key, class_name, f"{field}.{name}", reason))

    def _add_mismatch(self, key: Key, typed: Typed) -> None:
        """Add a value of another type than the old one; if it fits the new one, as a cell."""
        stored, cell = typed
        if stored.name in RESERVED:
            self.converted[key] = typed
            return
        stand_ins = self._context.stand_ins
        try:
            value = untyped(typed, stand_ins)
        except SaveCorruptError:
            raise
        except SaveError as error:  # the game cannot load it
            self.notes.append(f"{self._where}: {error}")
            if self._cell not in self._entry.defaults_by_cell:
                self.converted[key] = NOT_SET
                self._preserve(key, typed)
            return
        with suppress(Misfit):
            self._add_converted(key, typed, pack(self._new, value, stand_ins))
            return
        loaded = stored, without(stored, cell, self._context.absent)
        self.converted[key] = loaded
        if is_same(loaded, typed):
            self._lose(key, typed, [*removed_fields(stored, self._values)])
        else:
            self._preserve(key, typed)

    def _add_converted(self, key: Key, original: Any, cell: Any) -> bool:
        """Add a converted cell without references to absent objects.

        If it had some, preserve the original, and return false.
        """
        context = self._context
        absent = context.absent & keys_in(self._new, [cell])
        if absent and self._holds_parts:
            loaded = context.without_parts(key, self._field.number, cell)
            self.converted[key] = Raw(encode(loaded))
            return True
        loaded = without(self._new, cell, absent) if absent else cell
        fitting = context.without_unfit(self._new, loaded)
        is_whole = fitting is loaded and absent <= context.dropped
        loaded = fitting
        if self._rule.partial_failure_reason or (
            self._converter and has_keys(self._new)
        ):
            rules = Rules(context.class_of.get, dangling=True)
            if wrong(self._new, [loaded], rules):
                raise self._wrong_class()
        self.converted[key] = content_of(loaded, self._new)
        if not is_whole:
            self._preserve(key, original)
        return is_whole

    def _preserve(self, key: Key, original: Any) -> None:
        field = self._field
        loaded = typed_of(str(self._new), self.converted[key])
        contents = {field.number: original, -field.number: (ANY, loaded)}
        self.originals.append(raw_row(key, contents))

    @property
    def fields_of_originals(self) -> tuple[SavedField, SavedField]:
        return self._field, condition_of(self._field)

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


class _Thing(SaveLoadable):
    """Stands in for an object."""

    __slots__ = ("__weakref__", "key")

    def __init__(self, key: Key) -> None:
        self.key = key


class StandIns(PlainReferences):
    """Has other objects, assets and generators in place of those of a world."""

    def __init__(self, values: Values, classes: Container[int]) -> None:
        super().__init__(values)
        self._classes = classes
        self._things: dict[Key, _Thing] = {}  # alive, as targets of weak references are

    def get_component(self, key: Key, /) -> Any:
        return self._things.setdefault(key, _Thing(key)) if key else None

    def key_of(self, component: Any, /) -> Key:
        is_thing = type(component) is _Thing
        return component.key if is_thing else super().key_of(component)

    def _class_at(self, number: int, /) -> Any:
        if number not in self._classes:
            raise SaveError(f"no saveable class has the number {number}")
        return super()._class_at(number)


def removed_fields(stored: StoredType, values: Values) -> Iterator[tuple[str, str]]:
    """Yield the classes and fields in a type that the game's classes do not have."""
    for part in stored.walk():
        if part.name in RECORDS and (entry := values.get(part.label)):
            for number, name in zip(part.numbers, part.names):
                if number not in entry.type.numbers:
                    yield part.label, name


def saved_fields(stored: StoredType, cell: Any) -> Iterator[tuple[str, str]]:
    """Yield the class and the name of each field of a plain class in a value."""
    kind = KINDS[stored.name]
    if stored.name in RECORDS:
        names = (step.removeprefix(".") for step in kind.steps(stored, cell))
        yield from ((stored.label, name) for name in names)
    for part in kind.parts(stored, cell):
        yield from saved_fields(*part)
