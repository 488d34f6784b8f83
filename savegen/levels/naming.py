"""Checks of ids, references and counts in a level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from savegen.levels.findings import DanglingReference, IdTwice, TooMany
from savegen.levels.reader import image_name
from savegen.findings import Finding
from savegen.runtime.errors import nearest

if TYPE_CHECKING:
    from savegen.levels.description import Description, Entry
    from savegen.levels.entries import Entries
    from savegen.levels.json_text import Path
    from savegen.levels.layout import LayerLayout, Placed
    from savegen.levels.validate import Rules


_MOST_SEARCHED = 100_000  # names, until none is offered for one that is not known


def by_own_names(layer: LayerLayout) -> LayerLayout:
    """Return a layer in which what has a `$id` is placed under it."""
    return replace(layer, tiles=_named(layer.tiles), sprites=_named(layer.sprites))


def _named(placed: tuple[Placed, ...]) -> tuple[Placed, ...]:
    if not any(each.entry.id for each in placed):
        return placed
    return tuple(each._replace(id=each.entry.id or each.id) for each in placed)


def naming_faults(
    layers: Sequence[LayerLayout],
    description: Description,
    entries: Entries,
    rules: Rules,
    *,
    is_whole: bool,
) -> Iterator[Finding]:
    """Yield what is wrong with what is placed how often, and with what refers to it.

    Unless it `is_whole`, what is in no image may be in one that could not be read.
    """
    found = _Naming(layers, description, is_whole)
    yield from found.too_many(rules)
    yield from found.ids()
    yield from found.references(entries, rules)


class _Naming:
    """All that is placed, by entry."""

    def __init__(
        self, layers: Sequence[LayerLayout], description: Description, is_whole: bool
    ) -> None:
        self._description = description
        self._is_whole = is_whole
        self._searched = 0  # names that were held against others
        self._by_tag: Counter[str] = Counter()
        # By entry: an image, and what is placed in it.
        self._places: dict[Path, list[tuple[str, Placed]]] = defaultdict(list)
        self._own: set[str] = set()  # the ids of what has no other
        self._entries: dict[str, list[Entry]] = defaultdict(list)  # by `$id`
        for entry in description.entries:
            if entry.id is not None:
                self._entries[entry.id].append(entry)
        for layer in layers:
            self._count(layer, "geometry", layer.tiles)
            self._count(layer, "sprites", layer.sprites)

    def _count(self, layer: LayerLayout, kind: str, placed: Iterable[Placed]) -> None:
        image = image_name(kind, layer.name)
        for each in placed:
            self._places[each.entry.where].append((image, each))
            if each.entry.id is None:
                self._own.add(each.id)

    def too_many(self, rules: Rules) -> Iterator[Finding]:
        places: dict[str, list[tuple[str, Placed]]] = defaultdict(list)
        firsts: dict[str, Entry] = {}
        for entry in self._description.entries:
            places[entry.tag] += self._places[entry.where]
            firsts.setdefault(entry.tag, entry)
        for tag, found in places.items():
            most = rules.max_count(tag) if tag in rules.tags else None
            if most is not None and len(found) > most:
                span = self._description.span((*firsts[tag].where, "$type"))
                yield TooMany(span, tag, most, len(found), _told(*found[most]))

    def ids(self) -> Iterator[Finding]:
        for id, entries in self._entries.items():
            spans = [self._description.span((*e.where, "$id")) for e in entries]
            for span in spans[1:]:
                yield IdTwice(span, id, f"line {spans[0].line} has it too")
            for entry, span in zip(entries, spans):
                if why := self._why_not(id, self._places[entry.where]):
                    yield IdTwice(span, id, why)

    def _why_not(self, id: str, places: Sequence[tuple[str, Placed]]) -> str:
        """Return why something cannot have an id; "" if it can."""
        if len(places) > 1:
            first, second = (_told(*place) for place in places[:2])
            return f"its entry is placed {len(places)} times, first in {first} and in {second}"
        return "an object without a `$id` has it already" if id in self._own else ""

    def references(self, entries: Entries, rules: Rules) -> Iterator[Finding]:
        """Yield references that lead nowhere, or astray, as far as all entries are known."""
        tags = frozenset(rules.tags)
        for where, mention in entries.mentions():
            is_drawn = bool(self._places[where[:2]])
            if self._is_unread(mention.id, tags):
                continue
            if why := self._why_dangling(mention.id, mention.tags, is_drawn):
                yield DanglingReference(self._description.span(where), why)

    def _is_unread(self, id: str, tags: frozenset[str]) -> bool:
        """Tell whether an id may be that of an entry of which something is told already."""
        unread = self._description.unread_ids
        if found := self._entries.get(id):
            return found[0].tag not in tags
        return id in unread or None in unread

    def _nearest(self, id: str) -> str:
        """Return an id with the one that was meant, if that is found in a moment."""
        known = {*self._entries, *filter(None, self._description.unread_ids)}
        self._searched += len(known)
        return (
            nearest(id, sorted(known)) if self._searched < _MOST_SEARCHED else repr(id)
        )

    def _why_dangling(self, id: str, tags: frozenset[str], is_drawn: bool) -> str:
        """Return why a reference leads nowhere, or astray; "" if it does not.

        What is not drawn itself yet may refer to what is not either.
        """
        found = self._entries.get(id)
        if not found:
            return f"no entry has the `$id` {self._nearest(id)}"
        if found[0].tag not in tags:
            wanted = " or ".join(f"`{tag}`" for tag in sorted(tags)) or "nothing"
            return f"{id!r} is a `{found[0].tag}`, but this parameter accepts {wanted}"
        is_sure = is_drawn and self._is_whole
        if is_sure and not any(self._places[each.where] for each in found):
            return f"the colour of {id!r} is not drawn in any image"
        return ""


def _told(image: str, placed: Placed) -> str:
    return f"`{image}` at {placed.x},{placed.y}"
