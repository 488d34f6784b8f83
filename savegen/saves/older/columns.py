"""The cells of one field, on their way from the stored type of a save to that of today."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from msgspec import Raw, msgpack

from savegen.runtime.fields import default_of
from savegen.runtime.errors import SaveApplyError, SaveCorruptError, SaveError, a, told
from savegen.runtime.fits import ClassOf, Rules, misfits, wrong_places
from savegen.runtime.named import imported
from savegen.runtime.stored import Field as Part
from savegen.runtime.stored import Stored, parse
from savegen.runtime.tagged import Lost
from savegen.runtime.values import Values
from savegen.saves.body import Field
from savegen.saves.limits import Guard
from savegen.saves.older.conversion import Conversion, Unfit, conversion
from savegen.saves.older.plain import from_plain, to_plain
from savegen.saves.older.untagging import untagged
from savegen.saves.schema import Column
from savegen.saves.tagging import CellTagger

encode = msgpack.Encoder().encode
_ANY = msgpack.Decoder()


def decoded(stored: Stored, cells: Sequence[Raw], guard: Guard, what: str) -> list[Any]:
    """Return cells of one stored type. Raises `SaveError` if one does not fit it."""
    found = [guard.decode(_ANY, memoryview(cell), what, is_deep=True) for cell in cells]
    try:
        wrong = wrong_places(stored, found, Rules(dangling=True))
    except TypeError:  # something that cannot be hashed, where a name should be
        wrong = [0]
    if wrong:
        raise SaveCorruptError(f"{what} does not fit its type `{stored}`")
    return found


class ColumnConverter:
    """Converts the cells of one field."""

    def __init__(
        self,
        field: Field,
        column: Column,
        where: tuple[str, str],
        converter: str | None,
        values: Values,
        classes: Container[int],
        tagger: CellTagger,
    ) -> None:
        """`where` is the class and the field; `converter` the function that is named for it.

        Raises `SaveApplyError` if the field needs a converter and has none.
        """
        self._where = "`{}.{}`".format(*where)
        self._old, self._column = parse(field.stored), column
        self._values, self._tagger = values, tagger
        self._converter = converter
        advice = '@converter({}, "{}")'.format(*where)
        self._advice = f"write a function with `{advice}`, or a migration"
        self._rule = self._found(classes)

    @property
    def keeps_cells(self) -> bool:
        """Whether cells stay the bytes that they are."""
        return self._rule is not None and self._rule.convert is None

    @property
    def refuses(self) -> bool:
        """Whether some values cannot be converted."""
        return self._rule is not None and bool(self._rule.refuses)

    @property
    def loses(self) -> bool:
        """Whether a cell of today may say less than the one that it was."""
        return self._rule is not None and bool(self._rule.loses)

    def _found(self, classes: Container[int]) -> Conversion | None:
        """Return the conversion; `None` if the game's function converts."""
        found = conversion(self._old, self._column.stored, self._default, classes)
        if self._converter is not None:
            is_same = found.convert is None and not found.faults
            return found if is_same else None
        if found.fails:
            raise self._unreadable(found.fails)
        return found

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

    # -- cells

    def check_references(self, cells: Sequence[Any], class_of: ClassOf) -> None:
        """Raise `SaveApplyError` for an object of a class that is not allowed any more."""
        if self._rule is not None and self._rule.refuses:
            if misfits(self._column.stored, cells, class_of, dangling=True):
                raise self._unreadable(self._rule.refuses)

    def convert(self, cells: Sequence[Any]) -> tuple[list[Raw], dict[int, Any]]:
        """Return cells of today, and by position the values, tagged, that none can hold."""
        made: list[Raw] = []
        mismatches: dict[int, Any] = {}
        for place, cell in enumerate(cells):
            try:
                made.append(Raw(encode(self._converted(cell))))
            except Unfit as error:
                if not error.is_kept:
                    raise self._unreadable(error) from None
                made.append(_NOTHING)
                mismatches[place] = self._tagged(cell)
        return made, mismatches

    def convert_tagged(self, tagged: Any) -> tuple[bool, Any]:
        """Return a mismatch as a cell of today, or tagged, and whether it is a cell.

        A value that is of neither type stays what it is.
        """
        for stored, convert in (
            (self._old, self._converted),
            (self._column.stored, None),
        ):
            try:
                cell = untagged(stored, tagged)
                if misfits(stored, [cell], dangling=True):
                    continue
                return self._settled(convert(cell) if convert else cell)
            except (ValueError, Unfit, SaveError):
                continue
        return False, tagged

    def _settled(self, cell: Any) -> tuple[bool, Any]:
        """Return a cell as it is written, or tagged if it cannot be."""
        try:
            return True, Raw(encode(cell))
        except (OverflowError, UnicodeEncodeError):
            return False, self._tagger.tag(self._column.stored, cell)

    def _converted(self, cell: Any) -> Any:
        if self._rule is not None:
            return self._rule(cell)
        assert self._converter is not None
        made = self._called(self._converter, to_plain(self._old, cell))
        try:
            return from_plain(self._column.stored, made, self._values)
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


_NOTHING = Raw(encode(None))
