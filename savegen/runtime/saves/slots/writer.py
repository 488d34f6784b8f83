"""The next generation of a slot: what it follows, and which ones need not be kept then."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

import msgspec

from savegen.runtime.errors import NoSuchSave, SaveError, SaveWriteError
from savegen.runtime.saves.container import container
from savegen.runtime.saves.slots.info import SaveInfo, info_of
from savegen.runtime.saves.slots.lineage import (
    MOST,
    Generation,
    files_by_slot,
    journals,
    kept,
    number_of,
)
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.stores.names import check_no_twin
from savegen.runtime.saves.slots.shelf import FoundSave, Shelf
from savegen.runtime.saves.stores.store import at_once

_REPLACED = 16  # lineages that are remembered: more than ever stay in a slot


class Position(msgspec.Struct, frozen=True):
    """Where this process stands in a slot: what it has loaded there, or saved, last."""

    lineage: str
    digest: str
    replaces: tuple[str, ...]


def _beginning(saves: list[Generation]) -> Position:
    """Return where a new lineage stands that takes the place of some saves."""
    readable = [each.metadata for each in saves if each.digest and not each.is_copy]
    replaced = [
        lineage for each in readable for lineage in (each.lineage, *each.replaces)
    ]
    parent = next(
        (each.digest for each in saves if each.digest and not each.is_copy), ""
    )
    lineages = tuple(dict.fromkeys(replaced))[:_REPLACED]
    return Position(os.urandom(8).hex(), parent, lineages)


class Writer:
    """Writes to the slots of a store, and knows where this process stands in each."""

    def __init__(self, shelf: Shelf, keep: int) -> None:
        self._shelf = shelf
        self._store = shelf.store
        self._keep = keep
        self._positions: dict[str, Position] = {}
        self._refused: dict[str, str] = {}  # slots that must not be saved to, and why

    def write(
        self,
        slot: str,
        encode: Callable[[Metadata], Iterable[bytes]],
        about: Metadata,
        *,
        new_lineage: bool = False,
        after: int = 0,
        agree: Callable[[], object] = at_once,
    ) -> SaveInfo:
        """Write the next generation of a slot, numbered above `after`, and prune.

        `encode` is called with the metadata completed. Raises `SaveWriteError`,
        `SlotBusyError`, and `SaveError` if the slot must not be saved to.
        """
        if not new_lineage:
            self.check_open(slot)
        with self._store.lock(slot):
            by_slot = files_by_slot(self._store.names())
            check_no_twin(slot, by_slot)
            files = by_slot.get(slot, [])
            saves = self._shelf.generations(files)
            number = max([after, *map(number_of, files)]) + 1
            if number > MOST:  # nobody would find it again
                raise SaveError(
                    f"{slot!r} has a file of the highest number that there is: save to"
                    " another slot, or remove that file"
                )
            about = self._placed(slot, about, number, saves, new_lineage)
            made = self._written(f"{slot}/{number}.sav", encode(about), about, agree)
            return info_of(slot, made, self._prune(files, [made, *saves]))

    def _placed(
        self,
        slot: str,
        about: Metadata,
        number: int,
        saves: list[Generation],
        new_lineage: bool,
    ) -> Metadata:
        """Complete metadata by the place of a save among the others.

        Who has loaded nothing here follows nothing: that is a lineage of its own.
        """
        position = None if new_lineage else self._positions.get(slot)
        if position is None:
            position = _beginning(saves)
        return msgspec.structs.replace(
            about,
            slot=slot,
            generation=number,
            lineage=position.lineage,
            parent=position.digest,
            replaces=position.replaces,
        )

    def _written(
        self,
        name: str,
        pieces: Iterable[bytes],
        about: Metadata,
        agree: Callable[[], object],
    ) -> Generation:
        ends = _Ends(pieces)
        fault: SaveWriteError | None = None
        try:
            self._store.write(name, ends, agree)
        except SaveWriteError as error:
            if not error.committed:
                raise
            fault = error
        made = Generation(
            name=name,
            number=about.generation,
            metadata=about,
            digest=container.digest_of(ends.first + ends.last),
            size=ends.size,
        )
        self.stand(about.slot, made)
        if fault:
            raise fault
        return made

    def _prune(self, files: list[str], saves: list[Generation]) -> list[Generation]:
        """Remove what need not be kept; return the rest. Journals go with their saves."""
        stay = kept(saves, self._keep)
        rest = [each for each in saves if each.name in stay]
        numbers = {each.number for each in rest}
        gone = [each.name for each in reversed(saves) if each.name not in stay]
        for number, names in journals(files).items():
            gone += names if number not in numbers else ()
        for name in gone:
            self._remove(name)
        return rest

    def _remove(self, name: str) -> None:
        try:
            self._store.remove(name)
        except NoSuchSave:
            pass
        except SaveWriteError as error:
            number, stage, why = error.errno, error.stage, error.reason
            raise SaveWriteError(number, stage, True, why) from None

    def place(self, slot: str, found: FoundSave) -> SaveInfo:
        """Write a save as it is, as the first one of an empty slot.

        `notes` tell what was passed over when it was read.
        """
        with self._store.lock(slot):
            self._shelf.check_free(slot)
            name = f"{slot}/1.sav"
            self._store.write(name, [found.whole(self._shelf.limits)])
        self.leave(slot)
        info = self._shelf.info(slot, self._shelf.saves(slot))
        return msgspec.structs.replace(info, notes=found.info.notes)

    # -- where this process stands

    def stand(self, slot: str, save: Generation | SaveInfo) -> None:
        """What is saved to the slot next follows this."""
        about = save.metadata
        self._positions[slot] = Position(about.lineage, save.digest, about.replaces)
        self._refused.pop(slot, None)

    def leave(self, slot: str) -> None:
        """Nothing that this process has is in the slot any more."""
        self._positions.pop(slot, None)
        self._refused.pop(slot, None)

    def refuse(self, slot: str, why: str) -> None:
        """Let nobody save to the slot before it was loaded, or is given up."""
        self._refused[slot] = why

    def is_open(self, slot: str) -> bool:
        return slot not in self._refused

    def check_open(self, slot: str) -> None:
        """Raise `SaveError` if saving to the slot is refused."""
        if slot in self._refused:
            raise SaveError(
                f"nothing is saved to {slot!r}: {self._refused[slot]}; save to another slot, or"
                " with `new_lineage=True` beside what is there"
            )


class _Ends:
    """Passes pieces on, and keeps the first and the last bytes of them."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.size = 0
        self.first = self.last = b""

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.size += len(piece)
            self.first = (self.first + piece[:_END])[:_END]
            self.last = (self.last + piece[-_END:])[-_END:]
            yield piece


_END = 64  # bytes: what tells the kind of a file, and its digest
