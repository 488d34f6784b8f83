"""Objects that are filled while they are read hold what they would have held later."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime import SaveApplyError, SaveLoadManager
from savegen.runtime.registry import Registry
from savegen.runtime.saves import MemoryStore, Metadata, SaveSlots
from savegen.runtime.saves.container import container
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.world import early
from savegen.runtime.saves.world.pack import pack
from savegen.runtime.saves.world.unpack import unpack
from tests.runtime.worlds import Storm, assert_consistent
from tests.saves.versions import Version
from tests.soaking import examples


def document_of(manager: SaveLoadManager) -> Document:
    parts = container.write(pack(manager.create_snapshot()), Metadata())
    return container.read(b"".join(parts))[1]


def loaded(registry: Registry, document: Document, is_once: bool) -> SaveLoadManager:
    manager = SaveLoadManager(registry)
    manager.apply_snapshot(unpack(document, manager, is_once=is_once))
    assert_consistent(manager)
    return manager


@settings(deadline=None, max_examples=examples(40))
@given(seed=st.integers(0, 10**6))
def test_it_makes_the_same_world(
    game: ModuleType, registry: Registry, seed: int
) -> None:
    source = SaveLoadManager(registry)
    Storm(game, source, random.Random(seed)).blow(25)
    document = document_of(source)
    early_one, late_one = (loaded(registry, document, each) for each in (True, False))
    one, other = early_one.create_snapshot(), late_one.create_snapshot()
    assert one.digest() == other.digest() == source.create_snapshot().digest()


def test_plain_objects_are_filled_early(
    game: ModuleType, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SaveLoadManager(registry)
    for number in range(3):
        source.add(game.Unit(number)), source.add(game.Slotted(number))
    source.add(game.Picky(1))
    filled: list[str] = []
    monkeypatch.setattr(
        early, "run", lambda step, table: filled.append(type(table.objects[0]).__name__)
    )
    unpack(document_of(source), SaveLoadManager(registry), is_once=True)
    assert {*filled} == {"Unit", "Slotted"}  # a `Picky` has a setter of its own


class Plain:
    hp: int = 1


class Slots:
    __slots__ = ("hp",)


class Hidden(Slots):
    """Has an attribute of its class where its base has a slot."""

    hp = 3


class Set(Plain):
    @property
    def hp(self) -> int:
        return 1

    @hp.setter
    def hp(self, value: int) -> None: ...


class Only(Plain):
    def __new__(cls) -> Only:
        return ONLY


ONLY = object.__new__(Only)


class All:
    def __setattr__(self, name: str, value: Any) -> None: ...


@pytest.mark.parametrize(
    ("cls", "is_plain"),
    [
        (Plain, True),
        (Slots, True),
        (Hidden, True),
        (Set, False),
        (All, False),
        (Only, False),
    ],
)
def test_a_setter_of_any_sort_is_seen(cls: type, is_plain: bool) -> None:
    assert early._sets_plainly(cls, ("hp",)) is is_plain


GAME = """
    @saveable
    class Settings:
        volume: Saved[int]
        _only = None

        def __new__(cls):
            if cls._only is None:
                cls._only = super().__new__(cls)
            return cls._only
"""


def test_a_load_that_fails_leaves_the_only_one_of_a_class_alone(tmp_path: Path) -> None:
    version, slots = Version(tmp_path / "game", GAME).generate(), SaveSlots(
        MemoryStore()
    )
    with version.playing() as (game, registry):
        manager = SaveLoadManager(registry)
        settings = game.Settings()
        settings.volume = 1
        manager.add(settings)
        slots.save("one", manager)
        settings.volume = 2
        manager.before_load.append(refuse)
        with pytest.raises(SaveApplyError, match="not now"):
            slots.load("one", manager)
        assert settings.volume == 2 and manager.key_of(settings) is not None


def refuse() -> None:
    raise ValueError("not now")
