"""A short text that changes when what a game saves does."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from weakref import WeakKeyDictionary

from savegen.runtime.checks import Check
from savegen.runtime.registry import ClassEntry, Registry

_known: WeakKeyDictionary[Registry, str] = WeakKeyDictionary()


def schema_of(registry: Registry) -> str:
    """Return the fingerprint of the classes of a game: numbers, names, kinds of fields.

    >>> from savegen.runtime.registry import FORMAT
    >>> len(schema_of(Registry(FORMAT, ())))
    16
    """
    if registry not in _known:
        entries = sorted(registry, key=lambda entry: entry.save_type)
        text = "\n".join(line for entry in entries for line in _lines(entry))
        _known[registry] = blake2b(text.encode(), digest_size=8).hexdigest()
    return _known[registry]


def _lines(entry: ClassEntry) -> Iterator[str]:
    yield f"{int(entry.save_type)} {entry.mixin.__qualname__}"
    fields = entry.mixin.save_load_field_names
    yield repr(sorted((int(number), name) for name, number in fields.items()))
    if entry.rows is not None:
        for check in entry.rows.checks.values():
            yield " ".join(_kinds(check))


def _kinds(check: Check) -> Iterator[str]:
    """Yield what a field may hold, and all that this is made of."""
    met, pending = set(), [check]
    while pending:
        found = pending.pop()
        if found not in met:
            met.add(found)
            yield found.wanted
            pending += found.checks()
