"""Check entries, ids, references and counts of a level against the rules of its game."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from savegen.findings import Finding
from savegen.levels.description import Description, Entry
from savegen.levels.findings import (
    DanglingReference,
    IdTwice,
    TooMany,
    UnknownPrefab,
    WrongEntry,
)
from savegen.levels.json_text import Path
from savegen.levels.reader import image_name
from savegen.levels.rules import Rules
from savegen.levels.schema import Fault, Mention
from savegen.runtime.errors import nearest

if TYPE_CHECKING:
    from savegen.levels.layout import LayerLayout, Placed

_MOST_SEARCHED = 100_000  # names that are compared before suggestions stop


class Entries:
    """The entries of a level under their present names, and the errors in them."""

    def __init__(self, description: Description, rules: Rules) -> None:
        self._description = description
        self._rules = rules
        self._former: dict[Path, Mapping[str, str]] = {}
        self._valid: list[Entry] = []
        self.faults: list[Finding] = []
        self.sprites = self._current(description.sprites)
        self.tiles = self._current(description.tiles)

    def mentions(self) -> Iterator[tuple[Path, Mention]]:
        """Yield the references in valid entries, with their places in the file."""
        for entry in self._valid:
            for mention in self._rules.mentions(entry.data):
                yield self._place(entry, mention.path), mention

    def _current(self, entries: Mapping[int, Entry]) -> dict[int, Entry]:
        return {colour: self._checked(each) for colour, each in entries.items()}

    def _checked(self, entry: Entry) -> Entry:
        current = self._rules.current(entry.data)
        now = entry._replace(data=current.data, tag=current.data["$type"])
        self._former[entry.where] = current.former
        faults = [*self._faults(now)]
        if not faults:
            self._valid.append(now)
        self.faults += faults
        return now

    def _faults(self, entry: Entry) -> Iterator[Finding]:
        if entry.tag not in self._rules.prefabs:
            span = self._description.span((*entry.where, "$type"))
            yield UnknownPrefab(span, nearest(entry.tag, self._rules.prefabs))
            return
        for fault in self._rules.faults(entry.data):
            if fault.path != ("$id",):  # reported already, without the game
                yield self._finding(entry, fault)

    def _finding(self, entry: Entry, fault: Fault) -> Finding:
        place = self._place(entry, fault.path)
        span = self._description.span(place, of_key=fault.of_key)
        return WrongEntry(span, fault.message(place[len(entry.where) :]))

    def _place(self, entry: Entry, path: Path) -> Path:
        """Return the place in the file of a part of an entry, under its name there."""
        former: dict[Path, str] = {
            (new,): old for new, old in self._former[entry.where].items()
        }
        first = (former[path[:1]],) if path[:1] in former else path[:1]
        return (*entry.where, *first, *path[1:])


class Placements:
    """The objects of a level by their entries: checks of counts, ids and references.

    Unless it `is_whole`, an entry that is in no image may be in one that could not be read.
    """

    def __init__(
        self, layers: Sequence[LayerLayout], description: Description, is_whole: bool
    ) -> None:
        self._description = description
        self._is_whole = is_whole
        self._searched = 0  # names that were compared
        # By entry: the places of its objects in images, as texts.
        self._drawn: dict[Path, list[str]] = defaultdict(list)
        self._automatic: set[str] = set()  # the ids of objects without `$id`
        self._entries: dict[str, list[Entry]] = defaultdict(list)  # by `$id`
        for entry in description.entries:
            if entry.id is not None:
                self._entries[entry.id].append(entry)
        for layer in layers:
            self._add("geometry", layer, layer.tiles)
            self._add("sprites", layer, layer.sprites)

    def _add(self, kind: str, layer: LayerLayout, placed: Sequence[Placed]) -> None:
        image = image_name(kind, layer.name)
        for each in placed:
            self._drawn[each.entry.where].append(f"`{image}` at {each.x},{each.y}")
            if each.entry.id is None:
                self._automatic.add(each.id)

    def faults(self, entries: Entries, rules: Rules) -> Iterator[Finding]:
        """Yield the errors in counts, ids and references."""
        yield from self._too_many(rules)
        yield from self._wrong_ids()
        yield from self._wrong_references(entries, rules)

    def _too_many(self, rules: Rules) -> Iterator[Finding]:
        drawn: dict[str, list[str]] = defaultdict(list)
        firsts: dict[str, Entry] = {}
        for entry in self._description.entries:
            drawn[entry.tag] += self._drawn[entry.where]
            firsts.setdefault(entry.tag, entry)
        for tag, places in drawn.items():
            most = rules.prefabs[tag].max_count if tag in rules.prefabs else None
            if most is not None and len(places) > most:
                span = self._description.span((*firsts[tag].where, "$type"))
                yield TooMany(span, tag, most, len(places), places[most])

    def _wrong_ids(self) -> Iterator[Finding]:
        for id, entries in self._entries.items():
            spans = [self._description.span((*e.where, "$id")) for e in entries]
            for span in spans[1:]:
                yield IdTwice(span, id, f"line {spans[0].line} has it too")
            for entry, span in zip(entries, spans):
                if why := self._id_problem(id, self._drawn[entry.where]):
                    yield IdTwice(span, id, why)

    def _id_problem(self, id: str, drawn: Sequence[str]) -> str:
        """Return the reason why an entry cannot have its id; "" if it can."""
        if len(drawn) > 1:
            first, second = drawn[:2]
            return f"its entry is placed {len(drawn)} times, first in {first} and in {second}"
        is_taken = id in self._automatic
        return "an object without a `$id` has it already" if is_taken else ""

    def _wrong_references(self, entries: Entries, rules: Rules) -> Iterator[Finding]:
        for where, mention in entries.mentions():
            is_drawn = bool(self._drawn[where[:2]])
            if self._has_wrong_entry(mention.id, rules):
                continue
            if why := self._reference_problem(mention.id, mention.tags, is_drawn):
                yield DanglingReference(self._description.span(where), why)

    def _has_wrong_entry(self, id: str, rules: Rules) -> bool:
        """Return whether the entry with an id may be wrong, and so have a finding already."""
        unread = self._description.unread_ids
        if found := self._entries.get(id):
            return found[0].tag not in rules.prefabs
        return id in unread or None in unread

    def _nearest(self, id: str) -> str:
        """Return an id, quoted, with a similar one unless there are too many to compare."""
        known = {*self._entries, *filter(None, self._description.unread_ids)}
        self._searched += len(known)
        is_quick = self._searched < _MOST_SEARCHED
        return nearest(id, sorted(known)) if is_quick else repr(id)

    def _reference_problem(self, id: str, tags: frozenset[str], is_drawn: bool) -> str:
        """Return the error in a reference; "" if it is valid.

        If an entry is not drawn, the entry that it refers to need not be drawn either.
        """
        found = self._entries.get(id)
        if not found:
            return f"no entry has the `$id` {self._nearest(id)}"
        if found[0].tag not in tags:
            wanted = " or ".join(f"`{tag}`" for tag in sorted(tags)) or "nothing"
            return f"{id!r} is a `{found[0].tag}`, but this parameter accepts {wanted}"
        is_error = is_drawn and self._is_whole
        if is_error and not any(self._drawn[each.where] for each in found):
            return f"the colour of {id!r} is not drawn in any image"
        return ""
