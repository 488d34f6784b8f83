"""The game: a world, its saves, and the time that runs back. It knows no screen and no clock."""

from __future__ import annotations

import gc
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from savegen.levels import Level
from savegen.runtime import (
    History,
    NoSuchSave,
    OnUnknown,
    SaveError,
    SaveLoadManager,
    SaveVersionError,
    SaveWriteError,
    SlotBusyError,
    Snapshot,
)
from savegen.saves import (
    Autosave,
    PendingSave,
    SaveInfo,
    SaveSlots,
    SharedSave,
    SlotLoadReport,
)

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.keys import MOVES, NONE, Keys
from sample_game.landmarks import Exit
from sample_game.level import FOLDER, LEVELS, folder_of, name_of
from sample_game.old_saves import make_room
from sample_game.player import Player
from sample_game.progress import Progress, Run
from sample_game.settings import Settings
from sample_game.world import Event, World

VERSION = "0.6"
REWINDABLE = 1800  # steps
OLD_SAVE = Path(__file__).parent / "saves" / "version-0.3.sav"
AUTO = "auto"
AUTOSAVE = 60  # steps between two records


class Game:
    """A game: `step` it with keys, look at it, save and load it."""

    def __init__(
        self, saves: Path | None = None, level: str | Path | None = None
    ) -> None:
        """Go on from the newest autosave, or start a level: the first one, if none is named."""
        # A thing that was removed from a level must not make its saves unloadable.
        self.manager = SaveLoadManager(REGISTRY, PREFAB_INFO, on_unknown=OnUnknown.DROP)
        self.world = World(self.manager)
        if saves is None:
            self.slots = SaveSlots.for_app("pip", game_version=VERSION)
        else:
            self.slots = SaveSlots(saves, game_version=VERSION)
        self.notice = ""
        self.settings = self._shared_settings()
        self.finished = False
        self._held = NONE
        self._history = History(self.manager, capacity=REWINDABLE)
        self._quick: tuple[str, Snapshot] | None = None
        self._saving: list[PendingSave] = []  # in the background
        # Slots whose saves cannot be loaded: they are left alone, beside new ones.
        self._set_aside: set[str] = set()
        self._running = ExitStack()  # the lock of the slot that this game autosaves to
        if level is not None or not self._go_on():
            self.start(level or LEVELS[0])
        self._autosave_slot = self._free_slot()
        self._autosave = Autosave(self.slots, self.manager, self._autosave_slot)

    def _shared_settings(self) -> Settings:
        """Return the settings of all slots; those of a newer game are left alone."""
        self._shared: SharedSave[Settings] | None = None
        try:
            # Two copies of the game may have changed them: the newest are right.
            self._shared = self.slots.shared(
                "settings", Settings(), REGISTRY, merge=lambda mine, theirs: mine
            )
        except SaveError as error:
            self._complain("the settings are the usual ones", error)
            return Settings()
        if self._shared.notes:
            self._warn(f"the settings: {self._shared.notes[0]}")
        return self._shared.value

    def _go_on(self) -> bool:
        """Load the newest autosave, and return whether there was one."""
        try:
            autos = [info for info in self.slots.list() if info.slot.startswith(AUTO)]
            if not autos:
                return False
            self.load(max(autos, key=lambda info: info.time).slot)
        except SaveError as error:
            self._complain("a new game begins", error)
            self._set_aside.add(AUTO)
            return False
        return True

    def _free_slot(self) -> str:
        """Return the slot to autosave to: another one for each copy of the game that runs.

        A slot that cannot be listed, and so has no generations, takes no saves either.
        """
        unlisted = set[str]()
        with suppress(SaveError):
            infos = self.slots.list()
            unlisted = {info.slot for info in infos if not info.generations}
        for slot in (AUTO, *(f"{AUTO}-{n}" for n in range(2, 10))):
            if slot in unlisted:
                continue
            try:
                self._running.enter_context(self.slots.store.lock(f"{slot}.playing"))
            except SlotBusyError:
                self._warn("the game runs twice: this one autosaves apart")
            except SaveError as error:
                self._complain("not saved", error)
                break
            else:
                return slot
        return AUTO

    # -- what there is to see

    @property
    def level(self) -> Level | None:
        return self.world.level

    @property
    def level_name(self) -> str:
        return self.world.level_name

    @property
    def levels(self) -> list[tuple[str, str]]:
        """The levels of the game, by name and title: first those of the story, in order."""
        others = (path.name for path in FOLDER.iterdir() if path.is_dir())
        names = dict.fromkeys([*LEVELS, *sorted(others)])
        return [(name, name.replace("-", " ").capitalize()) for name in names]

    @property
    def player(self) -> Player:
        return self.world.player

    @property
    def run(self) -> Run:
        return self.world.run

    @property
    def progress(self) -> Progress:
        return self.world.progress

    @property
    def steps(self) -> int:
        return self.run.steps

    @property
    def events(self) -> list[Event]:
        return self.world.events

    @property
    def title(self) -> str:
        """The title that a list of saves shows."""
        player = self.player
        coins = f"{player.coins} coin" + "s" * (player.coins != 1)
        return f"{player.name}: {coins}, {player.hp:g} hearts"

    def digest(self) -> str:
        """Return what two equal worlds have in common, wherever they were played."""
        return self.manager.create_snapshot().digest()

    # -- playing

    def start(self, level: str | Path) -> None:
        """Start a level by its name or folder. Raises `LevelError`; nothing has changed then."""
        self._enter(folder_of(level), self.manager.create_snapshot(filter=Progress))

    def step(self, keys: Keys) -> None:
        """Play one sixtieth of a second, or let the time run back twice as fast."""
        pressed, self._held = keys & ~self._held, keys
        self.events.clear()
        if Keys.QUICKSAVE in pressed:
            self.quicksave()
        if Keys.QUICKLOAD in pressed:
            self.quickload()
        if Keys.REWIND in keys:
            self._rewind()
        elif not self.finished:
            self._play(keys & MOVES)
        self.look_after_saves()

    def _play(self, keys: Keys) -> None:
        self.world.step(keys)
        self.notice = self.world.words or self.notice
        self._history.record()
        if self.world.left_by is not None:
            self._leave(self.world.left_by)
        elif self.steps % AUTOSAVE == 0:
            self._record()

    def _leave(self, exit: Exit) -> None:
        """Go on in the next level, with what the player has; after the last one is the end."""
        player = self.player
        player.stats.finish(self.level_name, self.run.time)
        if exit.to is None:
            self.finished = True
            self.progress.end("rich" if player.coins >= 100 else "free")
            self._record()
            return
        try:
            self.start(exit.to)
        except SaveError as error:
            self._complain(f"{exit.to} cannot be entered", error)
            return
        self.player.go_on_as(player)
        self._history.clear()
        self._history.record()
        self.world.tell("exit", self.player.position)
        self._record()

    def _rewind(self) -> None:
        if len(self._history):
            self._history.rewind(min(2, len(self._history)))
            self.finished = False

    def rewindable(self) -> float:
        """Return how many seconds can be taken back."""
        return len(self._history) / 60

    # -- saving and loading

    def quicksave(self) -> None:
        """Keep the world in memory, and write it to the disk in the background."""
        snapshot = self.manager.create_snapshot()
        self._quick = str(self._folder), snapshot
        about = self._about("quick")
        try:
            saving = self.slots.save_in_background(
                "quick", self.manager, snapshot=snapshot, **about
            )
        except SaveError as error:
            self._complain("not saved", error)
        else:
            self._saving.append(saving)
            self.notice = "saved"

    def quickload(self) -> None:
        """Go back to the quicksave: that in memory, or one of an earlier game."""
        self.notice = ""
        try:
            if self._quick is None:
                self.load("quick")
            elif self._quick[0] == str(self._folder):
                self.manager.apply_snapshot(self._quick[1])
            else:
                self._enter(Path(self._quick[0]), self._quick[1])
            self._warn("loaded")
            self.finished = False
        except NoSuchSave:
            self.notice = "nothing was saved yet"
        except SaveError as error:
            self._complain("not loaded", error)

    def save_settings(self) -> None:
        """Write the settings, which all slots share."""
        if self._shared is not None:
            try:
                self._saving.append(self._shared.save_in_background())
            except SaveError as error:
                self._complain("not saved", error)

    def save(self, slot: str, thumbnail: bytes = b"") -> SaveInfo | None:
        """Save to a slot; `notice` says whether that went well."""
        try:
            report = self.slots.save(
                slot, self.manager, thumbnail=thumbnail, **self._about(slot)
            )
        except SaveError as error:
            self._complain("not saved", error)
            return None
        self._set_aside.discard(slot)
        self.notice = f"saved: {report.info.title}"
        return report.info

    def load(self, slot: str, generation: int | None = None) -> SlotLoadReport:
        """Load a slot. Raises `SaveError`; the world is then unchanged."""
        before = self.world.place
        try:
            report = self.slots.load(
                slot,
                self.manager,
                generation=generation,
                levels=lambda name: self.world.enter(folder_of(name)),
            )
        except BaseException:
            self.world.place = before
            self._set_aside.add(slot)
            raise
        if report.migrations:
            make_room(self.world)
        if report.info.notes:
            self._warn("the newest save is damaged: this is the one before")
            self._set_aside.add(slot)
        self._arrive()
        return report

    @property
    def _folder(self) -> Path:
        return self.world.folder

    def _about(self, slot: str) -> dict[str, Any]:
        """Return what a list of saves shows, and whether the slot's other saves stay."""
        return {
            "title": self.title,
            "playtime": self.steps / 60,
            "level": name_of(self._folder),
            "new_lineage": slot in self._set_aside,
        }

    def _enter(self, folder: Path, snapshot: Snapshot) -> None:
        """Start a level, and apply a snapshot to it. Raises `SaveError`; nothing has changed then."""
        before = self.world.place
        try:
            self.manager.restart(lambda: self.world.enter(folder), snapshot)
        except BaseException:
            self.world.place = before
            raise
        self._arrive()

    def _arrive(self) -> None:
        self.finished = False
        self._history.clear()
        self._history.record()
        # What a level consists of stays as long as the level: the collector of garbage, which
        # would look at all of it in the middle of a frame, looks at it here.
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def _record(self) -> None:
        """Autosave in the background."""
        try:
            saving = self._autosave.record_async(**self._about(self._autosave_slot))
        except SaveError as error:
            self._complain("not saved", error)
        else:
            self._saving.append(saving)

    def look_after_saves(self) -> None:
        """Say what has become of the saves in the background."""
        ended = [saving for saving in self._saving if saving.done()]
        self._saving = [saving for saving in self._saving if saving not in ended]
        for saving in ended:
            error = saving.exception()
            if isinstance(error, SaveError):
                self._complain("not saved", error)
            elif error is not None:
                raise error
            else:
                self._set_aside.discard(saving.result().slot)

    def _complain(self, what: str, error: SaveError) -> None:
        self._warn(f"{what}: {reason(error)}")

    def _warn(self, words: str) -> None:
        """Show a notice, and not in place of one that nobody has seen yet."""
        if words not in self.notice:
            self.notice = f"{self.notice}; {words}" if self.notice else words

    def offer_old_save(self) -> None:
        """Put a save of version 0.3 into the list, for the player to see what becomes of it."""
        try:
            if all(info.slot != OLD_SAVE.stem for info in self.slots.list()):
                self.slots.import_(OLD_SAVE, OLD_SAVE.stem)
        except SaveError as error:
            self._complain("there is no old save", error)

    def close(self) -> None:
        """Save once more, and wait until everything is written."""
        if not self.finished:
            self._record()
        self.slots.wait()
        self.look_after_saves()
        self._running.close()


def reason(error: Exception) -> str:
    """Return an error in one line, as a player understands it."""
    if isinstance(error, SaveWriteError) and not error.committed:
        return error.reason
    if isinstance(error, SaveVersionError):
        return "saved by a newer version of the game"
    first, _, more = str(error).partition("\n")
    # If the first line announces others, the next one belongs to it.
    return (
        f"{first} {more.strip().partition(chr(10))[0]}" if first[-1:] == ":" else first
    )
