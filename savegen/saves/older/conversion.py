"""What becomes of a cell whose field has another stored type today.

One set of rules for both who ask: a load, which converts cells by them, and `savegen breaking`,
which says before the game is released what a load would do. A conversion never guesses: it
exists where every old value is a value of the new type too, or becomes exactly one.

================================  ===========================================================
bool → int → float → complex      the number; bool and int also → decimal and fraction
T → optional<T>, a union with T   the value; from a union if each of its members fits
list ↔ tuple ↔ deque              the members; a deque loses its `maxlen`
set ↔ frozenset                   the members
dict ↔ defaultdict ↔ OrderedDict  the entries; ↔ Counter if the values are or become ints
(A, B) → (C, D)                   of one length, part by part
value ↔ record                    fields by number; a new one needs a default, a lost one is
                                  preserved with the whole cell
enum, flag, literal               by name and constant; a lost one is refused when met
ref, weak, class                  a class that the new type does not allow is refused when met
bytes ↔ bytearray                 the bytes; a datetime where a date is declared is one
codec                             of the same name, by what it stores
================================  ===========================================================
"""

from __future__ import annotations

from collections.abc import Container

from savegen.runtime.stored import Stored
from savegen.saves.older import _choices, _kinds, _records
from savegen.saves.older._rules import Conversion as Conversion
from savegen.saves.older._rules import Defaults as Defaults
from savegen.saves.older._rules import NoConversion as NoConversion
from savegen.saves.older._rules import Rules, Type, changed, no_defaults
from savegen.saves.older._rules import Unfit as Unfit


def conversion(
    old: Stored,
    new: Stored,
    defaults: Defaults = no_defaults,
    classes: Container[int] | None = None,
) -> Conversion:
    """Return how cells of `old` become cells of `new`.

    `classes` are the numbers of the saveable classes that the game still has; objects of others
    are preserved, so that references to them are no obstacle. Raises `NoConversion`.

    >>> from savegen.runtime.stored import parse
    >>> conversion(parse("str"), parse("int"))
    Traceback (most recent call last):
        ...
    savegen.saves.older._rules.NoConversion: it was str, it is int
    """
    return Rules(defaults, classes, _found).of(Type(old), Type(new))


def verdict(
    old: Stored,
    new: Stored,
    defaults: Defaults = no_defaults,
    classes: Container[int] | None = None,
) -> str | None:
    """Return why old values need a converter or a migration; `None` if they do not.

    >>> from savegen.runtime.stored import parse
    >>> verdict(parse("enum Mood{CALM ANGRY}"), parse("enum Mood{CALM}"))
    '`Mood` has no member `ANGRY` any more'
    """
    try:
        return conversion(old, new, defaults, classes).refuses or None
    except NoConversion as error:
        return str(error)


_RULES = _kinds.RULES | _records.RULES


def _found(rules: Rules, old: Type, new: Type) -> Conversion:
    if old.name == "literal" and not _choices.has_literal(new):
        return _kinds.of_literal(rules, old, new)
    if _choices.is_choice(old) or _choices.is_choice(new):
        return _choices.choice(rules, old, new)
    rule = _RULES.get((old.name, new.name))
    if rule is None:
        raise changed(old, new)
    return rule(rules, old, new)
