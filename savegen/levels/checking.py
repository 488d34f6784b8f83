"""Check entries, ids, references and counts of a level against the rules of its game."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from savegen.findings import Finding
from savegen.levels.description import Description, Entry
from savegen.levels.findings import (
    DanglingReference,
    DuplicateId,
    TooManyOfPrefab,
    UnknownPrefab,
    WrongEntry,
)
from savegen.levels.json_text import JsonPath
from savegen.levels.plan import LayerLayout, PlacedObject
from savegen.levels.reader import image_name
from savegen.levels.rules import SchemaRules
from savegen.levels.schema import EntryFault, IdReference
from savegen.runtime.errors import nearest

_MAX_COMPARED_NAMES = 100_000  # after that, errors in references suggest no names


class EntryChecker:
    """Checks the entries of a level one by one, and replaces former names in its description."""

    def __init__(self, description: Description, rules: SchemaRules) -> None:
        self.rules = rules
        self.findings: list[Finding] = []
        self._valid: list[Entry] = []  # entries of prefabs, without wrong parameters
        self.description = description
        sprites, tiles = map(self._current, (description.sprites, description.tiles))
        self.description = replace(description, sprites=sprites, tiles=tiles)

    def references(self) -> Iterator[tuple[JsonPath, IdReference]]:
        """Yield the references in valid parameters, with their paths in the file."""
        for entry in self._valid:
            for reference in self.rules.references(entry.data):
                yield entry.place_of(reference.path), reference

    def _current(self, entries: Mapping[int, Entry]) -> dict[int, Entry]:
        return {
            colour: self._in_current_names(entry) for colour, entry in entries.items()
        }

    def _in_current_names(self, entry: Entry) -> Entry:
        data, former = self.rules.current(entry.data)
        checked = entry._replace(type_name=data["$type"], data=data, former=former)
        if checked.type_name not in self.rules.prefabs:
            span = self.description.span((*entry.path, "$type"))
            nearest_name = nearest(checked.type_name, self.rules.prefabs)
            self.findings.append(UnknownPrefab(span, nearest_name))
            return checked
        faults = [*self.rules.faults(data)]
        wrong = {name for fault in faults for name in fault.path[:1]}
        if all(fault.path for fault in faults):
            valid = {name: value for name, value in data.items() if name not in wrong}
            self._valid.append(checked._replace(data=valid))
        self.findings += [
            self._finding(checked, fault)
            for fault in faults
            if fault.path != ("$id",)  # `read_description` has reported it
        ]
        return checked

    def _finding(self, entry: Entry, fault: EntryFault) -> Finding:
        path = entry.place_of(fault.path)
        span = self.description.span(path, of_key=fault.of_key)
        return WrongEntry(span, fault.message(path[len(entry.path) :]))


class PlacementChecker:
    """Checks the objects of a level together: their counts, ids and references.

    `is_complete`: all images could be read; otherwise a colour that is not found may be in an
    unreadable one.
    """

    def __init__(
        self,
        layers: Sequence[LayerLayout],
        entries: EntryChecker,
        is_complete: bool,
    ) -> None:
        self._checked = entries
        self._description = entries.description
        self._prefabs = entries.rules.prefabs
        self._is_complete = is_complete
        self._compared_names = 0
        # By path of the entry: the images and pixels of its objects, for messages.
        self._drawn: dict[JsonPath, list[str]] = defaultdict(list)
        self._automatic: set[str] = set()  # the ids of objects without `$id`
        self._entries: dict[str, list[Entry]] = defaultdict(list)  # by `$id`
        for entry in self._description.entries:
            if entry.id is not None:
                self._entries[entry.id].append(entry)
        for layer in layers:
            self._add("geometry", layer, layer.tiles)
            self._add("sprites", layer, layer.sprites)

    def _add(
        self, kind: str, layer: LayerLayout, placed: Sequence[PlacedObject]
    ) -> None:
        image = image_name(kind, layer.name)
        for id, entry, x, y, *_ in placed:
            self._drawn[entry.path].append(f"`{image}` at {x},{y}")
            if entry.id is None:
                self._automatic.add(id)

    def findings(self) -> Iterator[Finding]:
        """Yield the errors in counts, ids and references."""
        yield from self._too_many()
        yield from self._wrong_ids()
        yield from self._wrong_references()

    def _too_many(self) -> Iterator[Finding]:
        drawn: dict[str, list[str]] = defaultdict(list)
        firsts: dict[str, Entry] = {}
        for entry in self._description.entries:
            drawn[entry.type_name] += self._drawn[entry.path]
            firsts.setdefault(entry.type_name, entry)
        for type_name, places in drawn.items():
            rule = self._prefabs.get(type_name)
            limit = rule.max_count if rule is not None else None
            if limit is not None and len(places) > limit:
                span = self._description.span((*firsts[type_name].path, "$type"))
                yield TooManyOfPrefab(
                    span, type_name, limit, len(places), places[limit]
                )

    def _wrong_ids(self) -> Iterator[Finding]:
        for id, entries in self._entries.items():
            spans = [self._description.span((*e.path, "$id")) for e in entries]
            for span in spans[1:]:
                yield DuplicateId(span, id, f"line {spans[0].line} has it too")
            for entry, span in zip(entries, spans):
                if reason := self._id_problem(id, self._drawn[entry.path]):
                    yield DuplicateId(span, id, reason)

    def _id_problem(self, id: str, drawn: Sequence[str]) -> str:
        """Return the reason why an entry cannot have its id; "" if it can."""
        if len(drawn) > 1:
            first, second = drawn[:2]
            return f"its entry is placed {len(drawn)} times, first in {first} and in {second}"
        is_taken = id in self._automatic
        return "an object without a `$id` has it already" if is_taken else ""

    def _wrong_references(self) -> Iterator[Finding]:
        for path, reference in self._checked.references():
            is_drawn = bool(self._drawn[path[:2]])
            if self._may_have_wrong_entry(reference.id):
                continue
            if reason := self._reference_problem(reference, is_drawn):
                yield DanglingReference(self._description.span(path), reason)

    def _may_have_wrong_entry(self, id: str) -> bool:
        """Return whether the entry with an id may have a finding of its own already."""
        unread = self._description.unread_ids
        if entries := self._entries.get(id):
            return entries[0].type_name not in self._prefabs
        return id in unread or None in unread  # `None`: the `$id` could not be read

    def _nearest(self, id: str) -> str:
        """Return an id, quoted, with a similar one unless there are too many to compare."""
        names = {*self._entries, *filter(None, self._description.unread_ids)}
        self._compared_names += len(names)
        is_quick = self._compared_names < _MAX_COMPARED_NAMES
        return nearest(id, sorted(names)) if is_quick else repr(id)

    def _reference_problem(self, reference: IdReference, is_drawn: bool) -> str:
        """Return the error in a reference; "" if it is valid.

        If the entry with the reference is not drawn, its target need not be drawn either.
        """
        id, targets = reference.id, self._entries.get(reference.id)
        if not targets:
            return f"no entry has the `$id` {self._nearest(id)}"
        if (type_name := targets[0].type_name) in self._checked.rules.static:
            return f"{id!r} is a `{type_name}`, which is static: there is no object to refer to"
        if type_name not in reference.type_names:
            accepted = " or ".join(f"`{name}`" for name in sorted(reference.type_names))
            return f"{id!r} is a `{type_name}`, but this parameter accepts {accepted or 'nothing'}"
        is_error = is_drawn and self._is_complete
        if is_error and not any(self._drawn[target.path] for target in targets):
            return f"the colour of {id!r} is not drawn in any image"
        return ""
