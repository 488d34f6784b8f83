"""Text that somebody might write to get out of where it is put: names and strings of all sorts."""

from __future__ import annotations

import keyword
import random
import sys
import unicodedata
from functools import cache

# What generated code, classes or Python itself give a meaning to.
MEANINGFUL = """
    name value type data self cls mro references o objects rows values zip iter it made x y z k
    list dict set tuple frozenset int str bytes object property classmethod hasattr isinstance
    print exec eval open compile globals breakpoint IntEnum Any ClassVar TYPE_CHECKING checks
    _ __ _sunder_ _ignore_ _order_ _value_ __private __a__b match case type_ soft
""".split()
STRINGS = (
    '"',
    "'",
    '"""',
    "'''",
    "\\",
    "\\'",
    "\n",
    "\r\n",
    "\t\f\v",
    "\0",
    "\u2028",
    "\u202e",
    "\ud800",
    "\N{BYTE ORDER MARK}",
    "{{ n }}",
    "{% raw %}",
    "{# #}",
    "# fmt: on",
    "# type: ignore",
    "${x}",
    "%s",
    "); import os; os.abort(); (",
    "\n__import__('os').abort()\n",
    ": int",
    " as x",
    "<<<<<<< HEAD",
)


@cache
def letters() -> dict[str, list[str]]:
    """Return all characters that names may have, by their category; first ones in capitals."""
    found: dict[str, list[str]] = {}
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if letter.isidentifier():
            found.setdefault(f"FIRST {unicodedata.category(letter)}", []).append(letter)
        if f"a{letter}".isidentifier():
            found.setdefault(unicodedata.category(letter), []).append(letter)
    return found


class Hostile:
    """Makes names and strings; no two names are the same to Python or to an enumeration."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._taken: set[str] = set()
        table = letters()
        self._first = [table[key] for key in table if key.startswith("FIRST ")]
        self._rest = [table[key] for key in table if not key.startswith("FIRST ")]

    def name(self) -> str:
        """Return a name that Python takes, and that nothing made before looks like."""
        while True:
            name = self._any_name()
            key = likeness(name)
            if key not in self._taken and is_usable(name):
                self._taken.add(key)
                return name

    def _any_name(self) -> str:
        way = self._chance.randrange(10)
        if way == 0:
            word = self._chance.choice([*MEANINGFUL, *keyword.kwlist])
            return word + self._chance.choice(["", "_", "__", "1", "ﬁ"])
        first = self._chance.choice(["", "", "_", "__"])
        first += self._chance.choice(self._chance.choice(self._first))
        more = range(self._chance.choice([0, 1, 2, 5, 20]))
        letters = (self._chance.choice(self._chance.choice(self._rest)) for _ in more)
        return first + "".join(letters)

    def string(self) -> str:
        """Return any string at all."""
        parts = [
            self._chance.choice(STRINGS) for _ in range(self._chance.randint(0, 3))
        ]
        parts += [chr(self._chance.randrange(sys.maxunicode + 1)) for _ in range(2)]
        self._chance.shuffle(parts)
        return "".join(parts)


def likeness(name: str) -> str:
    """Return what names have in common that an enumeration would not tell apart."""
    plain = unicodedata.normalize("NFKC", name).strip("_").upper()
    return unicodedata.normalize("NFKC", plain).casefold()


def is_usable(name: str) -> bool:
    """Return whether a name is one to Python, also in the form in which Python keeps it."""
    plain = unicodedata.normalize("NFKC", name)
    if plain.startswith("__") and plain.endswith("__"):  # Python keeps them for itself
        return False
    return plain.isidentifier() and name.isidentifier() and not keyword.iskeyword(plain)
