"""The game: a world, its saves, and the time that runs back. It knows no screen and no clock."""

from __future__ import annotations

from pathlib import Path

from savegen.levels import Level
from savegen.runtime import History, OnUnknown, SaveError, SaveLoadManager, Snapshot
from savegen.saves import SaveSlots, SlotLoadReport

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.keys import Keys
from sample_game.level import LEVELS, folder_of
from sample_game.player import Player
from sample_game.progress import Progress, Run
from sample_game.settings import Settings
from sample_game.world import Event, World

VERSION = "0.6"
REWINDABLE = 1800  # steps
AUTOSAVE = 60  # steps between two records


class Game:
    """A game: `step` it with keys, look at it, save and load it."""

    def __init__(
        self, saves: Path | None = None, level: str | Path | None = None
    ) -> None:
        """Go on from the autosave, or start a level: the first one, if none is named."""
        # A thing that was removed from a level must not make its saves unloadable.
        self.manager = SaveLoadManager(REGISTRY, PREFAB_INFO, on_unknown=OnUnknown.DROP)
        self.world = World(self.manager)
        self.slots = SaveSlots(saves or Path("saves"), game_version=VERSION)
        self.settings = Settings()
        self.notice = ""
        self.finished = False
        self._history = History(self.manager, capacity=REWINDABLE)
        self._quicksave: Snapshot | None = None
        self.start(level or LEVELS[0])

    @property
    def level(self) -> Level | None:
        return self.world.level

    @property
    def level_name(self) -> str:
        return "" if self.level is None else self.level.name

    @property
    def levels(self) -> list[tuple[str, str]]:
        """The levels of the game in their order: name and title."""
        return [(name, name.title()) for name in LEVELS]

    @property
    def player(self) -> Player:
        return self.world.player

    @property
    def run(self) -> Run:
        return next(self.manager.find(Run))

    @property
    def progress(self) -> Progress:
        return next(self.manager.find(Progress))

    @property
    def steps(self) -> int:
        return self.run.steps

    @property
    def events(self) -> list[Event]:
        return self.world.events

    def start(self, level: str | Path) -> None:
        """Start a level by its name or folder. Raises `LevelError`; nothing has changed then."""
        folder = folder_of(str(level))
        if self.level is not None:
            self.level.unload()
        self.world.enter(folder)
        if not any(self.manager.find(Run)):
            self.manager.add(Run())
            self.manager.add(Progress())
        self._history.clear()

    def step(self, keys: Keys) -> None:
        """Play one sixtieth of a second, or let the time run back twice as fast."""
        if Keys.REWIND in keys:
            self._history.rewind(min(2, len(self._history)))
            return
        self.world.step(keys)
        self._history.record()

    def rewindable(self) -> float:
        """Return how many seconds can be taken back."""
        return len(self._history) / 60

    def quicksave(self) -> None:
        self._quicksave = self.manager.create_snapshot()
        self.notice = "saved"

    def quickload(self) -> None:
        if self._quicksave is None:
            self.notice = "nothing was saved yet"
            return
        self.manager.apply_snapshot(self._quicksave)
        self.notice = "loaded"

    def save(self, slot: str, thumbnail: bytes = b"") -> None:
        try:
            self.slots.save(
                slot, self.manager, thumbnail=thumbnail, level=self.level_name
            )
        except SaveError as error:
            self.notice = str(error)

    def load(self, slot: str, generation: int | None = None) -> SlotLoadReport:
        """Load a slot. Raises `SaveError`; the world is then unchanged."""
        return self.slots.load(
            slot,
            self.manager,
            generation=generation,
            levels=lambda name: self.world.enter(folder_of(name)),
        )

    def digest(self) -> str:
        return self.manager.create_snapshot().digest()
