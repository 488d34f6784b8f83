"""The rules for converting values of one stored type to another.

Loads follow these rules, and `savegen breaking` uses them to report what a load would do. There
is a rule only where each old value corresponds to exactly one value of the new type.

================================  ===========================================================
bool → int → float → complex      the number; bool and int also → each type with an `of_int`
T → optional<T>, a union with T   the value; from a union if each of its members fits
sequence ↔ sequence               the members; a `maxlen` is lost
set ↔ set                         the members
mapping ↔ mapping                 the entries; ↔ Counter if the values are or become ints
(A, B) → (C, D)                   part by part, if the lengths are equal
value ↔ record                    fields by number; a new field needs a default; if a field was
                                  removed, the whole cell is preserved
enum, flag, literal               by name or constant; a load fails at one that was removed;
                                  `None` in a literal is like an optional type
ref, weak, class                  a load fails at a class that the new type does not allow
bytes ↔ bytearray                 the bytes
codec                             the stored value, if the codec has the same name
subclass                          the content, also from and to its base
================================  ===========================================================
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from itertools import cycle
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from savegen.runtime.values.libraries.arrays import (
    covers,
    dtype_fits,
    dtype_of,
    expand,
    shorten,
)
from savegen.runtime.values.folds import filler, parts_in
from savegen.runtime.values.kinds import KINDS
from savegen.runtime.values.kinds.kind import BY_CLASS
from savegen.runtime.values.kinds.choices import union_cell
from savegen.runtime.values.libraries.standard_types import STANDARD_TYPES
from savegen.runtime.values.stored import (
    ATOMS,
    CONTAINERS,
    MAPPINGS,
    RECORDS,
    SEQUENCES,
    SETS,
    StoredField,
    StoredType,
    annotation,
    shortened,
)

Convert = Callable[[Any], Any]
# Returns a function that creates the default cell of a field of a value or a record.
Defaults = Callable[[StoredType, StoredField], "Callable[[], Any] | None"]


class Fault(Struct, frozen=True):
    """The reason why some or all values of the old type cannot be converted."""

    reason: str
    # What does not fit: "type", "default", "key", "member", "class" or "value".
    cause: str = "type"
    owner: str = ""  # the full name of the record or enumeration
    name: str = ""  # the name of its field or member
    is_partial: bool = False  # whether it affects only some values


class Conversion(Struct, frozen=True):
    """The conversion of cells from one stored type to another.

    >>> from savegen.runtime.values.stored import parse
    >>> to_float = conversion(parse("list<int>"), parse("tuple<float>"))
    >>> to_float([1, 2])
    [1.0, 2.0]
    >>> print(conversion(parse("str"), parse("int")).failure_reason)
    its type was str and is int now
    """

    convert: Convert | None = None  # `None`: cells stay as they are
    # Fields that are dropped: the name of the record, and of the field.
    lost_fields: tuple[tuple[str, str], ...] = ()
    faults: tuple[Fault, ...] = ()

    def __call__(self, cell: Any) -> Any:
        return cell if self.convert is None else self.convert(cell)

    @property
    def failure_reason(self) -> str:
        """The reason why no value can be converted; "" if some can."""
        return next((each.reason for each in self.faults if not each.is_partial), "")

    @property
    def partial_failure_reason(self) -> str:
        """The reason why some values cannot be converted; "" if all can."""
        return next((each.reason for each in self.faults if each.is_partial), "")


class UnconvertibleError(Exception):
    """The error for a cell that cannot be converted, although others of its type can.

    With `as_mismatch`, a load gives the field the old value, as a mismatch.
    """

    def __init__(self, reason: str, *, as_mismatch: bool = False) -> None:
        super().__init__(reason)
        self.as_mismatch = as_mismatch


def no_defaults(record: StoredType, field: StoredField) -> None:
    """Return `None`: no field has a default."""


def conversion(
    old: StoredType,
    new: StoredType,
    defaults: Defaults = no_defaults,
    classes: Container[int] | None = None,
) -> Conversion:
    """Return the conversion of cells from the type `old` to the type `new`.

    `classes` are the numbers of the saveable classes that the game has. A reference to
    a class that is not in `classes` converts, because its objects are preserved.
    """
    return _ConversionFinder(defaults, classes).of(old, new)


# -- building blocks of the rules

_SAME = Conversion()
_NONE = StoredType("none")
_MAX_SHOWN = 100  # characters of a type in a reason


def _simple_name(stored: StoredType) -> str:
    return stored.label.rpartition(".")[2]


def _content(stored: StoredType) -> StoredType:
    """Return the type of the content of a subclass; another type is its own content."""
    return stored.parts[0] if stored.name == "subclass" else stored


def _impossible(old: StoredType, new: StoredType) -> Conversion:
    """Return the conversion between unrelated types, which always fails."""
    types = old, new
    before, after = map(annotation, types)
    # They may differ in what an annotation does not show.
    if before == after or max(len(before), len(after)) > _MAX_SHOWN:
        before, after = (shortened(stored, _MAX_SHOWN) for stored in types)
    return Conversion(faults=(Fault(f"its type was {before} and is {after} now"),))


def _check_only(reason_of: Callable[[Any], str], *faults: Fault) -> Conversion:
    """Return a conversion that keeps a cell, or fails if `reason_of` returns a reason."""
    if not faults:
        return _SAME

    def convert(cell: Any) -> Any:
        if reason := reason_of(cell):
            raise UnconvertibleError(reason)
        return cell

    return Conversion(convert, faults=faults)


def _combined(
    parts: Iterable[Conversion], convert: Convert, *, always: bool = False
) -> Conversion:
    """Return the conversion of a value with parts.

    Cells change if a part changes them, or with `always`.
    """
    parts = [*parts]
    is_same = not always and all(part.convert is None for part in parts)
    return Conversion(
        None if is_same else convert,
        (*dict.fromkeys(each for part in parts for each in part.lost_fields),),
        (*dict.fromkeys(each for part in parts for each in part.faults),),
    )


class _ConversionFinder:
    """Finds the conversion for a pair of types. Records may contain themselves."""

    def __init__(self, defaults: Defaults, classes: Container[int] | None) -> None:
        self.defaults = defaults
        self.classes = classes
        # Pairs of records whose conversion is being found, with a list that gets the conversion
        # when it is found.
        self._in_progress: dict[tuple[StoredType, StoredType], list[Conversion]] = {}

    def of(self, old: StoredType, new: StoredType) -> Conversion:
        old, new = _none_as_optional(old), _none_as_optional(new)
        if old == new:
            return _SAME
        if old.name == "subclass" and not _has_subclass(new, old.label):
            return self.of(old.parts[0], new)
        if new.name == "subclass":
            return self.of(
                old.parts[0] if old.name == "subclass" else old, new.parts[0]
            )
        if old.name == "literal" and not _has_literal(new):
            return _literal_to_other(self, old, new)
        if {old.name, new.name} & {"optional", "union"}:
            return _to_or_from_union(self, old, new)
        if "subclass" in (old.name, new.name):
            return self.of(_content(old), _content(new))
        rule = _RULES.get((old.name, new.name))
        return rule(self, old, new) if rule else _impossible(old, new)

    def record(self, old: StoredType, new: StoredType) -> Conversion:
        pair = (old, new)
        if pair in self._in_progress:
            result = self._in_progress[pair]
            return Conversion(lambda cell: result[0](cell))
        self._in_progress[pair] = result = []
        result.append(_fields(self, old, new))
        return self._in_progress.pop(pair)[0]


_Rule = Callable[[_ConversionFinder, StoredType, StoredType], Conversion]


# -- types without parts, such as numbers and texts


def _to_float(cell: int) -> float:
    """Return the float that equals an int, or the int if no float does."""
    value = float(cell)
    return value if int(value) == cell else cell


def _to_complex(cell: float) -> list[float]:
    if type(cell) is int and int(float(cell)) != cell:
        raise UnconvertibleError(
            f"{cell} cannot be represented exactly as a complex number",
            as_mismatch=True,
        )
    return [float(cell), 0.0]


def _of_int(make: Convert) -> Convert:
    return lambda cell: make(int(cell))


_SCALARS: dict[tuple[str, str], Convert | None] = {
    ("bool", "int"): int,
    ("bool", "float"): float,
    ("bool", "complex"): _to_complex,
    ("int", "float"): _to_float,
    ("int", "complex"): _to_complex,
    ("float", "complex"): _to_complex,
    ("bytes", "bytearray"): None,
    ("bytearray", "bytes"): None,
    **{
        (old, new): _of_int(row.of_int)
        for new, row in STANDARD_TYPES.items()
        for old in ("bool", "int")
        if row.of_int
    },
}


def _scalar(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    return Conversion(_SCALARS[old.name, new.name])


def _enum(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    lost = {
        name: f"`{_simple_name(new)}` has no member `{name}` any more"
        for name in old.names
        if name not in new.names
    }

    def reason_of(cell: str) -> str:
        return next((lost[part] for part in cell.split("|") if part in lost), "")

    faults = (Fault(lost[n], "member", new.label, n, is_partial=True) for n in lost)
    return _check_only(reason_of, *faults)


def _literal(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    reason = "{} is not one of its constants any more"
    lost = [name for name in old.names if name not in new.names]
    return _check_only(
        lambda cell: reason.format(repr(cell)) if ascii(cell) in lost else "",
        *(Fault(reason.format(name), "value", is_partial=True) for name in lost[:1]),
    )


def _array(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    before, after = old.label, new.label
    is_same = old.name == "numpy" or dtype_of(before) == dtype_of(after)
    is_wider = covers(after, before)
    if is_wider and is_same:
        return _SAME
    if not (is_wider or covers(before, after)):
        return _impossible(old, new)

    def convert(cell: Any) -> Any:
        full = expand(cell, before)
        if not dtype_fits(after, full[0]):
            raise UnconvertibleError(f"its dtype is {full[0]}, which is not `{after}`")
        return cell if is_same else shorten(full, after)

    reason = f"its dtype may be another than `{after}`"
    faults = () if is_wider else (Fault(reason, "value", is_partial=True),)
    return Conversion(convert, faults=faults)


# -- references


def _ref(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    before, after = (
        {*(each.parts[0] if each.name == "weak" else each).numbers}
        for each in (old, new)
    )
    classes = finder.classes
    lost = {n for n in before - after if classes is None or n <= 0 or n in classes}
    if 0 in after or not lost:
        return _SAME
    reason = "the reference may be of a class that is not allowed any more"
    return Conversion(faults=(Fault(reason, "class", is_partial=True),))


def _class(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    allowed = {*new.numbers}
    if 0 in allowed or allowed.issuperset(old.numbers):
        return _SAME
    reason = "the class may be one that is not allowed any more"
    return _check_only(
        lambda cell: "" if cell in allowed else reason,
        Fault(reason, "class", is_partial=True),
    )


# -- containers


def _container(
    finder: _ConversionFinder, old: StoredType, new: StoredType
) -> Conversion:
    old_types, new_types = (KINDS[each.name].part_types(each) for each in (old, new))
    if len(old_types) != len(new_types) or _codec_name(old) != _codec_name(new):
        return _impossible(old, new)
    rules = [*map(finder.of, old_types, new_types)]
    kind, is_same = KINDS[new.name], old.name == new.name
    blank = kind.filler(new) if new.name in CONTAINERS else None

    def convert(cell: Any) -> Any:
        pairs = zip(cycle(rules), parts_in(old, cell))
        parts = [rule(part) for rule, (_, part) in pairs]
        return kind.rebuilt(new, cell if is_same else blank, parts)

    # Cells are laid out alike if those without parts are.
    return _combined(rules, convert, always=blank is not None and filler(old) != blank)


def _codec_name(stored: StoredType) -> str:
    return _simple_name(stored) if stored.name == "codec" else ""


# -- values and records, field by field, by number


def _fields(finder: _ConversionFinder, old: StoredType, new: StoredType) -> Conversion:
    before = {field.number: (n, field) for n, field in enumerate(old.inner_fields)}
    after = new.numbers
    if after and before and before.keys().isdisjoint(after):
        return _impossible(old, new)
    parts: list[tuple[int, Conversion]] = []  # with the indices in the old cell
    for field in new.inner_fields:
        if field.number in before:
            index, old_field = before[field.number]
            part = _existing_field(finder, new, old_field, field)
            parts.append((index, part))
        else:
            parts.append((0, _new_field(finder, new, field)))
    combined = _combined(
        (part for _, part in parts),
        lambda cell: [part(cell[index] if cell else None) for index, part in parts],
        always=old.numbers != after,
    )
    lost = (field for number, (_, field) in before.items() if number not in after)
    lost_fields = *((old.label, field.name) for field in lost), *combined.lost_fields
    return replace(combined, lost_fields=lost_fields)


def _existing_field(
    finder: _ConversionFinder, record: StoredType, old: StoredField, field: StoredField
) -> Conversion:
    part = finder.of(old.type, field.type)
    faults = (*(_with_field(fault, record, field) for fault in part.faults),)
    if old.may_be_absent and not field.may_be_absent:
        reason = f"`{_simple_name(record)}` needs a key {field.name!r} now"
        faults = (Fault(reason, "key", record.label, field.name), *faults)
    convert = part.convert
    if field.may_be_absent and not old.may_be_absent:
        convert = lambda cell: [part(cell)]
    elif convert and old.may_be_absent:
        convert = lambda cell: [part(each) for each in cell]
    return Conversion(convert, part.lost_fields, faults)


def _with_field(fault: Fault, record: StoredType, field: StoredField) -> Fault:
    """Return a fault with the name of the field, unless it has a more exact one."""
    if fault.owner:
        return fault
    reason = f"`{_simple_name(record)}.{field.name}`: {fault.reason}"
    return replace(fault, reason=reason, owner=record.label, name=field.name)


def _new_field(
    finder: _ConversionFinder, record: StoredType, field: StoredField
) -> Conversion:
    if field.may_be_absent:
        return Conversion(lambda cell: [])
    make = finder.defaults(record, field)
    if make is None:
        reason = (
            f"`{_simple_name(record)}` has a new field `{field.name}` without a default"
        )
        fault = Fault(reason, "default", record.label, field.name)
        return Conversion(faults=(fault,))
    return Conversion(lambda cell: make())


# -- unions and optional types


def _members(stored: StoredType) -> list[StoredType]:
    """Return the member types of a union; of an optional type, `None` is the last one."""
    if stored.name == "union":
        return [*stored.parts]
    if stored.name == "optional":
        return [*_members(stored.parts[0]), _NONE]
    return [stored]


def _split_cell(stored: StoredType, cell: Any) -> tuple[int, Any]:
    """Return the index of the member type of a cell, and the cell of that member."""
    if stored.name == "optional":
        (part,) = stored.parts
        is_none = not cell if part.name == "ref" else cell is None
        return (len(_members(part)), None) if is_none else _split_cell(part, cell)
    if stored.name != "union":
        return 0, cell
    if not stored.is_native_union:
        return cell[0], cell[cell[0] + 1]
    names = [part.name for part in stored.parts]
    name = BY_CLASS[id(type(cell))].name
    return names.index(name if name in names else "float"), cell


def _join_cell(stored: StoredType, index: int, cell: Any) -> Any:
    """Return the cell of a union type for a cell of one of its members."""
    if stored.name == "optional":
        (part,) = stored.parts
        if index < len(_members(part)):
            return _join_cell(part, index, cell)
        return 0 if part.name == "ref" else None
    if _has_plain_cells(stored):
        return cell
    return union_cell(stored, index, cell)


def _has_plain_cells(stored: StoredType) -> bool:
    """Return whether a cell holds only the cell of its member.

    Otherwise it begins with the index of the member.
    """
    if stored.name == "optional":
        return _has_plain_cells(stored.parts[0])
    return stored.name != "union" or stored.is_native_union


def _have_same_cells(old: StoredType, new: StoredType) -> bool:
    """Return whether the cell of a member is the same in both types."""
    if not (_has_plain_cells(old) and _has_plain_cells(new)):
        return False
    # An optional reference has the cell 0 for `None`.
    old_is_ref, new_is_ref = (
        each.name == "optional" and each.parts[0].name == "ref" for each in (old, new)
    )
    return _NONE not in _members(old) or old_is_ref == new_is_ref


def _to_or_from_union(
    finder: _ConversionFinder, old: StoredType, new: StoredType
) -> Conversion:
    """Return the conversion between types at least one of which is a union or optional."""
    members = _members(old)
    if _NONE in members:
        # A union with `None` stores a `None` as that member, so its literals need no `None`.
        members = [*map(_without_none, members)]
    chosen = [_best_member(finder, member, old, new) for member in members]

    def convert(cell: Any) -> Any:
        old_index, inner = _split_cell(old, cell)
        new_index, part = chosen[old_index]
        if new_index is None:
            return part(inner)
        return _join_cell(new, new_index, part(inner))

    parts = (part for _, part in chosen)
    return _combined(parts, convert, always=not _have_same_cells(old, new))


def _none_as_optional(stored: StoredType) -> StoredType:
    """Return a type with the same cells in which no literal has the constant `None`.

    It is `optional<literal{'a'}>` for `literal{'a' None}`; other types are unchanged.
    """
    others = _without_none(stored)
    if others == stored:
        return stored
    return StoredType("optional", (others,)) if others.names else _NONE


def _without_none(stored: StoredType) -> StoredType:
    if stored.name != "literal":
        return stored
    return replace(stored, names=(*(n for n in stored.names if n != "None"),))


def _best_member(
    finder: _ConversionFinder, member: StoredType, old: StoredType, new: StoredType
) -> tuple[int | None, Conversion]:
    """Return the index of the new member type that fits best, and the conversion to it.

    Without an index, the conversion returns a complete cell of the new type, or fails.
    """
    if member.name == "literal" and not _has_literal(new):
        return None, _literal_to_other(finder, member, new)
    members = _members(new)
    indices = _possible_members(member, _members(old), members)
    choices = [finder.of(member, members[index]) for index in indices]
    if not choices:  # only the objects of this class cannot be converted
        reason = f"`{member.label}` is no longer one of its classes"
        fault = Fault(reason, is_partial=True)
        return None, _check_only(lambda cell: reason, fault)
    costs = [
        (
            bool(part.failure_reason),
            bool(part.partial_failure_reason),
            bool(part.lost_fields),
            member.label != each.label,
            bool(part.convert),
        )
        for part, each in zip(choices, _members(new))
    ]
    best = costs.index(min(costs))
    if not choices[best].failure_reason:
        return indices[best], choices[best]
    # A fault in a field of a record says more than that the types are unrelated.
    exact = (part for part in choices if any(each.owner for each in part.faults))
    return None, next(exact, _impossible(old, new))


def _possible_members(
    member: StoredType, old: list[StoredType], new: list[StoredType]
) -> list[int]:
    """Return the indices of the new members that an old member may have become.

    A class becomes the class of its name, even if another one has the same fields. If there is
    none, it was removed, or renamed to a name that the old union does not have.
    """
    name = _name_of_class(member)
    if not name:
        return [*range(len(new))]
    names = [_name_of_class(each) for each in new]
    if any(each.label == member.label for each in new):
        return [n for n, each in enumerate(new) if each.label == member.label]
    if name in names:
        return [n for n, each in enumerate(names) if each == name]
    taken = {*map(_name_of_class, old)} - {""}
    if member.name != "subclass":  # it may have become its content
        taken.add("")
    return [n for n, each in enumerate(names) if each not in taken]


def _name_of_class(stored: StoredType) -> str:
    """Return the simple name of the class of a type; "" for a type that names no class."""
    return "" if stored.name in ("ndarray", "numpy") else _simple_name(stored)


def _has_literal(stored: StoredType) -> bool:
    return any(each.name == "literal" for each in _members(stored))


def _has_subclass(stored: StoredType, label: str) -> bool:
    members = _members(stored)
    return any(each.name == "subclass" and each.label == label for each in members)


def _literal_to_other(
    finder: _ConversionFinder, old: StoredType, new: StoredType
) -> Conversion:
    """Return the conversion of a literal, by the types of its constants."""
    names = dict.fromkeys(BY_CLASS[id(type(each))].name for each in old.constants)
    types = (*map(StoredType, names),)
    constants = StoredType("union", types) if len(types) > 1 else types[0]
    result = finder.of(constants, new)
    return _impossible(old, new) if result.failure_reason else result


# -- the rule of each type name


def _pairs(*names: str) -> list[tuple[str, str]]:
    return [(old, new) for old in names for new in names]


_RULES: dict[tuple[str, str], _Rule] = {
    **{(n, n): lambda finder, old, new: _SAME for n in ATOMS - {"ndarray"}},
    **dict.fromkeys(_SCALARS, _scalar),
    **dict.fromkeys([("enum", "enum"), ("flag", "flag")], _enum),
    ("literal", "literal"): _literal,
    **dict.fromkeys([("ndarray", "ndarray"), ("numpy", "numpy")], _array),
    ("class", "class"): _class,
    **dict.fromkeys(_pairs("ref", "weak"), _ref),
    **dict.fromkeys([("fixed", "fixed"), ("codec", "codec")], _container),
    **dict.fromkeys(_pairs(*SEQUENCES), _container),
    **dict.fromkeys(_pairs(*SETS), _container),
    **dict.fromkeys(_pairs(*MAPPINGS), _container),
    **dict.fromkeys(_pairs(*RECORDS), _ConversionFinder.record),
}
