"""Check the entries of a level against the rules of its game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from savegen.levels.description import Description, Entry
from savegen.levels.findings import UnknownPrefab, WrongEntry
from savegen.levels.json_text import Path
from savegen.levels.schema import Fault, Mention
from savegen.levels.validate import Rules
from savegen.findings import Finding
from savegen.runtime.errors import nearest


class Entries:
    """The entries of a level as the game names things today, and what is wrong with them."""

    def __init__(self, description: Description, rules: Rules) -> None:
        self._description = description
        self._rules = rules
        self._former: dict[Path, Mapping[str, str]] = {}
        self._sound: list[Entry] = []
        self.faults: list[Finding] = []
        self.sprites = self._current(description.sprites)
        self.tiles = self._current(description.tiles)

    def mentions(self) -> Iterator[tuple[Path, Mention]]:
        """Yield what the entries without faults refer to, and where they say so."""
        for entry in self._sound:
            for mention in self._rules.mentions(entry.data):
                yield self._place(entry, mention.path), mention

    def _current(self, entries: Mapping[int, Entry]) -> dict[int, Entry]:
        return {colour: self._checked(each) for colour, each in entries.items()}

    def _checked(self, entry: Entry) -> Entry:
        current = self._rules.current(entry.data)
        now = entry._replace(data=current.data, tag=current.data["$type"])
        self._former[entry.where] = current.former
        faults = [*self._found(now)]
        if not faults:
            self._sound.append(now)
        self.faults += faults
        return now

    def _found(self, entry: Entry) -> Iterator[Finding]:
        if entry.tag not in self._rules.tags:
            span = self._description.span((*entry.where, "$type"))
            yield UnknownPrefab(span, nearest(entry.tag, self._rules.tags))
            return
        for fault in self._rules.faults(entry.data):
            if fault.path != ("$id",):  # that was told without the game
                yield self._finding(entry, fault)

    def _finding(self, entry: Entry, fault: Fault) -> Finding:
        place = self._place(entry, fault.path)
        span = self._description.span(place, of_key=fault.of_key)
        inside = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}"
            for step in place[len(entry.where) :]
        )
        where = f"`{inside.removeprefix('.')}`: " if inside and not fault.of_key else ""
        return WrongEntry(span, f"{where}{fault.what}")

    def _place(self, entry: Entry, path: Path) -> Path:
        """Return where something of an entry is in the file, whatever it is called there."""
        former = self._former[entry.where]
        first = [
            former.get(step, step) if isinstance(step, str) else step
            for step in path[:1]
        ]
        return (*entry.where, *first, *path[1:])
