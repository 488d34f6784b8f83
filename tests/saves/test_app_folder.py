"""The folder in which the saves of a game belong, on the system of its player."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from savegen.saves import SaveError, SaveSlots
from tests.project import program
from tests.saves.small_world import World
from tests.saves.test_slot_names import BAD


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["pip", "Pip and Zoe", "Zoë 2"])
def test_saves_are_in_the_folder_for_the_data_of_the_user(
    home: Path, name: str
) -> None:
    slots = SaveSlots.for_app(name, keep=1, game_version="1.2")
    assert not any(home.iterdir()), "the first save creates it"
    for state in (1, 2):
        slots.save("one", World(state))
    folder = platformdirs.user_data_path(name, appauthor=False) / "saves"
    assert home in folder.parents and (folder / "one/2.sav").is_file()
    (info,) = SaveSlots.for_app(name).list()
    assert (info.generations, info.metadata.game_version) == ((2,), "1.2")


@pytest.mark.parametrize("name", [*BAD, "", None, 7, Path("pip"), "/pip", "a/../../b"])
def test_a_name_that_leads_elsewhere_is_refused(home: Path, name: str) -> None:
    with pytest.raises(ValueError, match="an app"):
        SaveSlots.for_app(name)
    assert not any(home.iterdir())


@pytest.mark.parametrize("old", [False, True])
def test_a_user_without_a_home_is_told(
    monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    def folder(name: str, appauthor: object) -> Path:
        if old:
            return Path("~/.local/share") / name
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_data_path", folder)
    with pytest.raises(SaveError, match="no folder for the saves of 'pip': .* home"):
        SaveSlots.for_app("pip")


def test_a_subclass_makes_slots_of_its_own() -> None:
    class Slots(SaveSlots):
        pass

    assert type(Slots.for_app("pip")) is Slots


def test_who_names_the_folder_does_not_load_platformdirs() -> None:
    text = """
        import sys
        from savegen.saves import SaveError, SaveSlots
        SaveSlots("saves").list()
        print(*sys.modules)
    """
    assert "platformdirs" not in program(text).split()
