"""Classes that save themselves: what their `save_data_` gives them, wherever they put it."""

from __future__ import annotations

from pathlib import Path

from savegen.runtime import SaveLoadManager
from savegen.runtime.saves import encode
from savegen.runtime.saves.container import container
from savegen.runtime.saves import loading
from tests.saves.versions import Version

GAME = """
class Mood(Enum):
    CALM = "calm"
    ANGRY = "angry"

@dataclass
class Paint:
    mood: Mood = Mood.CALM

@saveable(override=True)
class Engine:
    mood: Saved[Mood] = Mood.CALM
    paint: Saved[Paint]
    log: list[str]

    def __init__(self) -> None:
        self.paint, self.log = Paint(), []

    def save_data(self, references: Any = NO_REFERENCES) -> Any:
        return {"fields": self.save_data_(references), "log": self.log}

    def load_data(self, data: Any, references: Any = NO_REFERENCES) -> None:
        self.load_data_(data["fields"], references)
        self.log = data["log"]
"""


def test_fields_of_a_class_that_saves_itself_come_back_though_no_other_class_has_such(
    tmp_path: Path,
) -> None:
    with Version(tmp_path / "game", GAME).generate().playing() as (game, registry):
        manager = SaveLoadManager(registry)
        engine = manager.add(game.Engine())
        engine.mood, engine.paint.mood = game.Mood.ANGRY, game.Mood.ANGRY
        engine.log.append("started")
        data = encode(manager.create_snapshot())
        later = SaveLoadManager(registry)
        loading.apply(later, container.read(data)[1])
        (found,) = later.find(game.Engine)
        again = encode(later.create_snapshot())
    assert (found.mood, found.paint.mood) == (game.Mood.ANGRY, game.Mood.ANGRY)
    assert found.log == ["started"]
    assert again == data
