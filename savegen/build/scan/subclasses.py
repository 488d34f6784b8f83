"""Find the files that may define subclasses of given classes, without parsing them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from savegen.build.scan.words import LETTER, WORD

# Names of classes or aliases, each followed by the names that it may stand for or inherit from.
Bases: TypeAlias = tuple[tuple[str, ...], ...]

_CLASS = re.compile(
    rb"""\n [ \t\f]* class \b [\s\\]* (%b+) [\s\\]*
    (?: \[ [^]]* \] [\s\\]* )?                      # type parameters
    \( ( (?: [^)#] | \#[^\n]* )*+ )""" % LETTER,
    re.VERBOSE,
)
_IMPORTED = re.compile(rb" as[ \t]+(%b+)" % LETTER)
_ASSIGNED = re.compile(
    rb"\n(%b+)[ \t]*=[ \t]*(?:%b+\.)*(%b+)[ \t]*(?=[\r\n;#\[]|\Z)" % ((LETTER,) * 3)
)
_MAX_LENGTH = 200  # of a name before `as`


def bases_in(source: bytes) -> Bases:
    """Return the classes and aliases in a text with the names in their lists of bases.

    >>> bases_in(b"from foes import Enemy as Foe\\nclass Orc(Foe, fast.Runner): ...")
    (('Foe', 'Enemy'), ('Orc', 'Foe', 'fast', 'Runner'))
    """
    source = b"\n" + source  # a literal before each line makes the search fast
    classes = [(name, *WORD.findall(bases)) for name, bases in _CLASS.findall(source)]
    used = {word for _, *words in classes for word in words}
    aliases = (
        pair
        for pair in _aliases(source)
        if pair[0] in used or not any(name[:1].islower() for name in pair)
    )
    rows = [*dict.fromkeys(aliases), *classes]
    return tuple(tuple(name.decode("utf-8", "replace") for name in row) for row in rows)


def _aliases(source: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the names that stand for other names, each with that name."""
    for match in _IMPORTED.finditer(source):
        start = match.start()
        if words := WORD.findall(source, max(0, start - _MAX_LENGTH), start):
            yield match[1], words[-1]
    yield from _ASSIGNED.findall(source)


class Subclasses:
    """Finds the modules that may define subclasses of classes, by the simple names of these."""

    def __init__(self, bases: Mapping[str, Bases]) -> None:
        """`bases` has the classes of each module."""
        self._by_base: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for module, rows in bases.items():
            for name, *words in rows:
                for word in words:
                    self._by_base[word].append((module, name))

    def possible(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield modules, each with the name of a class that may be a subclass of one of `names`.

        >>> found = Subclasses({"foes": (("Orc", "Enemy"), ("Uruk", "Orc"))}).possible(["Enemy"])
        >>> sorted(found)
        [('foes', 'Orc'), ('foes', 'Uruk')]
        """
        waiting, seen = [*names], {*names}
        while waiting:
            for module, name in self._by_base.get(waiting.pop(), ()):
                yield module, name
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
