"""One field of one class, on its way from a stored type of the save to that of today."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import Raw, msgpack

from savegen.runtime.cells import has_keys, keys_in, without
from savegen.runtime.fields import default_of
from savegen.runtime.errors import SaveApplyError, SaveCorruptError, SaveError, a, told
from savegen.runtime.fits import ClassOf, Rules, misfits, wrong_places
from savegen.runtime.named import imported
from savegen.runtime.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.stored import Field as Part
from savegen.runtime.stored import Stored, parse
from savegen.runtime.tagged import Lost, keys_of, replace_keys
from savegen.saves.body import Field, RawRow
from savegen.saves.limits import Guard
from savegen.saves.older.conversion import Unfit, conversion
from savegen.saves.older.mismatched import loses, readable, untagged
from savegen.saves.older.plain import from_plain, to_plain
from savegen.saves.preserved import as_given, mismatch_as_given
from savegen.saves.schema import Column, layout_of
from savegen.saves.tagging import CellTagger

encode = msgpack.Encoder().encode
_ANY = msgpack.Decoder()
PARTS = (int(GameObjectFields.COMPONENTS_REF), int(GameObjectFields.CHILDREN_REF))


def decoded(stored: Stored, cells: Iterable[Raw], guard: Guard, what: str) -> list[Any]:
    """Return cells of one stored type. Raises `SaveError` if one does not fit it."""
    found = [guard.decode(_ANY, memoryview(cell), what, is_deep=True) for cell in cells]
    try:
        wrong = wrong_places(stored, found, Rules(dangling=True))
    except TypeError:  # something that cannot be hashed, where a name should be
        wrong = [0]
    if wrong:
        raise SaveCorruptError(f"{what} does not fit its type `{stored}`")
    return found


class Around(NamedTuple):
    """What is around the fields: today's game, and the objects of the save."""

    registry: Registry
    guard: Guard
    classes: frozenset[int]  # the numbers of those that the game has
    absent: set[Key]  # objects that are not in the world
    dropped: set[Key]  # of these, what is gone for good
    class_of: Callable[[], ClassOf]
    without_parts: Callable[[Key, int, list[Any]], list[Any]]


class ColumnUpdate:
    """Converts what a save has in one field, with one stored type."""

    def __init__(
        self, around: Around, entry: ClassEntry, column: Column, field: Field
    ) -> None:
        self.cells: dict[Key, Raw] = {}
        self.mismatches: dict[Key, Any] = {}
        self.kept: list[RawRow] = []  # what today's game holds in part
        self.notes: list[str] = []
        self._around = around
        self._values = around.registry.values
        self._tagger = CellTagger(self._values)
        self._column, self._number = column, field.number
        self._is_composing = entry is GAME_OBJECT and field.number in PARTS
        self._old, self._new = parse(field.stored), column.stored
        where = layout_of(entry).class_name, column.name
        self._where = "`{}.{}`".format(*where)
        advice = '@converter({}, "{}")'.format(*where)
        self._advice = f"write a function with `{advice}`, or a migration"
        rule = conversion(self._old, self._new, self._default, around.classes)
        is_same = rule.convert is None and not rule.faults
        self._converter = None if is_same else entry.converters.get(field.number)
        self._rule = rule
        # A function of the game's is given everything, and what it leaves out it means to.
        self._loses = self._converter is None and bool(rule.loses)
        self._refuses = "" if self._converter else rule.refuses
        self._keeps_cells = self._converter is None and rule.convert is None
        self._fails = "" if self._converter else rule.fails

    def _default(self, record: Stored, field: Part) -> Callable[[], Any] | None:
        """Return what makes the cell of a new field of a value or a record."""
        try:
            cls = self._values[record.label].load()
        except SaveError:
            return None
        make = default_of(cls, field.name)
        if make is None:
            return None
        return lambda: from_plain(field.type, make(cls), self._values)

    def _unreadable(self, reason: object) -> SaveApplyError:
        return SaveApplyError(f"{self._where} cannot be read: {reason}; {self._advice}")

    def _cut(self, tagged: Any) -> Any:
        return without_absent(tagged, self._around.absent)

    # -- cells

    def add_cells(self, there: Mapping[Key, Raw]) -> None:
        """Convert cells. Raises `SaveApplyError` for what needs a converter and has none."""
        if not there:
            return
        if self._fails:
            raise self._unreadable(self._fails)
        refers = has_keys(self._new) and (self._around.absent or not self._keeps_cells)
        if self._keeps_cells and not refers and not self._refuses:
            self.cells |= there
            return
        before = decoded(self._old, there.values(), self._around.guard, self._where)
        for (key, raw), cell in zip(there.items(), before):
            try:
                made = raw if self._keeps_cells else Raw(encode(self._converted(cell)))
            except Unfit as error:
                if not error.is_kept:
                    raise self._unreadable(error) from None
                self.mismatches[key] = self._cut(self._tagged(cell))
            else:
                self._settle(key, raw, made)

    def _settle(self, key: Key, old: Raw, made: Raw) -> None:
        """Take references to what is not in the world out of a cell, and preserve it whole."""
        absent, dropped = self._around.absent, self._around.dropped
        self.cells[key] = made
        is_dropped = False
        if has_keys(self._new):
            cell = msgpack.decode(made)
            gone = absent & keys_in(self._new, [cell])
            if gone and self._is_composing:
                cell = self._around.without_parts(key, self._number, cell)
                self.cells[key] = Raw(encode(cell))
                return
            if gone:
                cell = without(self._new, cell, absent)
                self.cells[key] = Raw(encode(cell))
                is_dropped = gone <= dropped
            if not is_dropped or self._loses:
                self._check_classes(cell)
        is_cut = self.cells[key] is not made and not is_dropped
        if is_cut or self._loses:
            self._keep(key, old, encode(bytes(self.cells[key])))

    def _keep(self, key: Key, old: Raw, given: bytes) -> None:
        self.kept.append(RawRow(key, {self._number: old, -self._number: Raw(given)}))

    def _check_classes(self, cell: Any) -> None:
        """Raise `SaveApplyError` for an object of a class that is not allowed any more."""
        if self._refuses:
            class_of = self._around.class_of()
            if misfits(self._new, [cell], class_of, dangling=True):
                raise self._unreadable(self._refuses)

    def _converted(self, cell: Any) -> Any:
        if self._converter is None:
            return self._rule(cell)
        made = self._called(self._converter, to_plain(self._old, cell))
        try:
            return from_plain(self._new, made, self._values)
        except SaveError as error:
            raise SaveApplyError(
                f"the converter `{self._converter}` of {self._where} returned"
                f" {a(type(made).__qualname__)}, not what the field holds: {error}"
            ) from None

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
                f"the converter `{name}` of {self._where} raised {told(error)}"
            ) from error

    def _tagged(self, cell: Any) -> Any:
        try:
            return self._tagger.tag(self._old, cell)
        except Lost as error:
            raise self._unreadable(error) from None

    # -- mismatches

    def add_mismatches(self, there: Mapping[Key, Any]) -> None:
        """Convert mismatches; one that is of neither type stays what it is."""
        absent = self._around.absent
        is_other = not self._fails and self._old != self._new
        for key, tagged in there.items():
            now = self._as_today(tagged) if is_other else tagged
            try:
                if isinstance(now, Raw):
                    cell = msgpack.decode(now)
                    cut = without(self._new, cell, absent)
                    self.cells[key] = Raw(encode(cut))
                    given, is_cut = as_given(cut), cut != cell
                else:
                    left = readable(now, self._new, self._values, absent)
                    self.mismatches[key] = left
                    given = mismatch_as_given(left)
                    is_cut = loses(now, self._values, absent)
            except SaveError as error:
                self.notes.append(f"{self._where}: {error}")
                continue  # it takes its default
            if is_cut or (self._loses and now is not tagged):
                row = RawRow(key, {-self._number: Raw(given)}, {self._number: tagged})
                self.kept.append(row)

    def _as_today(self, tagged: Any) -> Any:
        """Return a mismatch as a cell of today if it is one now, else tagged."""
        both = (self._old, self._converted), (self._new, lambda cell: cell)
        for stored, convert in both:
            try:
                cell = untagged(stored, tagged)
                if misfits(stored, [cell], dangling=True):
                    continue
                now = convert(cell)
            except (ValueError, Unfit, SaveError):
                continue
            try:
                return Raw(encode(now))
            except (OverflowError, UnicodeEncodeError):
                return self._tagger.tag(self._new, now)
        return tagged


def without_absent(tagged: Any, absent: set[Key]) -> Any:
    """Return a tagged value that does not refer to what is not in the world."""
    if absent.isdisjoint(keys_of(tagged)):
        return tagged
    return replace_keys(tagged, lambda key: 0 if key in absent else key)
