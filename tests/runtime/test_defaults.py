"""Defaults that classes declare for fields that an older save does not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import attrs
import msgspec
import pytest

from savegen.runtime import SaveError, SaveLoadable
from savegen.runtime.values.libraries.fields import default_of
from savegen.runtime.generated.registry import FORMAT, ClassEntry, Registry


class Plain:
    hp = 7
    name: str

    def mood(self) -> str:
        return "calm"

    @property
    def speed(self) -> int:
        return 3


@dataclass
class Data:
    name: str
    hp: int = 7
    loot: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Slotted:
    name: str
    hp: int = 7
    loot: list[str] = field(default_factory=list)


@attrs.define
class Attrs:
    name: str
    hp: int = 7
    loot: list[str] = attrs.field(factory=list)
    twice: int = attrs.field()

    @twice.default
    def _twice(self) -> int:
        return self.hp * 2


class Struct(msgspec.Struct):
    name: str
    hp: int = 7
    loot: list[str] = []


DESCRIBED = [Data, Slotted, Attrs, Struct]


def default(cls: Any, attribute: str) -> Callable[[type], Any]:
    found = default_of(cls, attribute)
    assert found is not None
    return found


@pytest.mark.parametrize("cls", [Plain, *DESCRIBED])
def test_a_value_in_the_class_is_the_default(cls: type) -> None:
    assert default(cls, "hp")(cls) == 7


@pytest.mark.parametrize("cls", DESCRIBED)
def test_a_factory_makes_a_new_default_each_time(cls: type) -> None:
    make = default(cls, "loot")
    assert make(cls) == [] and make(cls) is not make(cls)


@pytest.mark.parametrize("cls", [Plain, *DESCRIBED])
def test_a_field_that_must_be_given_has_no_default(cls: type) -> None:
    assert default_of(cls, "name") is None


def test_methods_and_properties_and_slots_are_no_defaults() -> None:
    class Slots:
        __slots__ = ("hp",)

    assert default_of(Plain, "mood") is None and default_of(Plain, "speed") is None
    assert default_of(Slots, "hp") is None


def test_a_default_that_needs_the_object_is_none() -> None:
    assert default_of(Attrs, "twice") is None


@pytest.mark.parametrize("cls", [Plain, Data, Attrs, Struct])
def test_a_subclass_inherits_defaults_and_may_say_otherwise(cls: Any) -> None:
    class Heir(cls):  # type: ignore[misc]
        pass

    class Strong(cls):  # type: ignore[misc]
        hp = 9

    assert default(Heir, "hp")(Heir) == 7
    if cls is not Struct:  # it takes that for no field
        assert default(Strong, "hp")(Strong) == 9


class Kinds(IntEnum):
    GOBLIN = 16


def entry_of(**kwargs: Any) -> ClassEntry:
    class GoblinSaveLoad(SaveLoadable):
        save_type = Kinds.GOBLIN
        save_load_field_names = {"hp": 17, "mood": 18, "name": 19}

    class Goblin(GoblinSaveLoad):
        hp = 7

    fields = (("hp", "int"), ("mood", "str"), ("name", "str"))
    return ClassEntry(GoblinSaveLoad, lambda: Goblin, fields=fields, **kwargs)


def test_an_entry_has_the_defaults_that_the_class_tells_and_those_written() -> None:
    entry = entry_of(initial={18: lambda cls: "calm"})
    cls = entry.load_class()
    assert {n: make(cls) for n, make in entry.defaults.items()} == {17: 7, 18: "calm"}


def test_what_is_written_counts_more_than_what_the_class_tells() -> None:
    entry = entry_of(initial={17: lambda cls: 3})
    assert entry.defaults[17](entry.load_class()) == 3


def test_a_registry_knows_what_leads_from_older_saves_to_its_own() -> None:
    registry = Registry(
        FORMAT,
        (),
        save_version=7,
        migrations=((7, "game:to_seven"),),
        retired=(16, 17),
    )
    assert registry.save_version == 7 and registry.retired == frozenset([16, 17])
    assert registry.migrations == ((7, "game:to_seven"),)


def test_a_registry_without_older_saves_has_nothing_of_it() -> None:
    registry = Registry(FORMAT, (entry_of(),))
    assert (registry.save_version, registry.migrations) == (0, ())
    assert not registry.retired
    entry = next(iter(registry))
    assert not entry.retired and not entry.converters


def test_a_registry_of_another_format_is_refused_with_the_command_that_mends_it() -> (
    None
):
    with pytest.raises(SaveError, match="savegen build"):
        Registry(FORMAT - 1, ())
