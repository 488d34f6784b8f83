"""What the presets say of libraries is true of those that are installed."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

from savegen.build.config import PRESETS
from savegen.build.kinds.array import SCALARS
from savegen.build.resolve.presets import LIBRARIES, preset_name_of

CODECS = {name: c for lib in LIBRARIES.values() for name, c in lib.codecs.items()}
BASES = [name for lib in LIBRARIES.values() for name in lib.bases]


def found(name: str) -> Any:
    """Return what a dotted name means; `None` if nothing has it."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last, None)
    except ImportError:
        owner = found(module) if "." in module else None
        return getattr(owner, last, None)


def test_the_configuration_knows_each_library() -> None:
    assert set(PRESETS) == set(LIBRARIES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_leads_to_its_library(library: str) -> None:
    preset = LIBRARIES[library]
    named = {*preset.codecs, *preset.bases, *preset.properties, *preset.transient}
    assert {name for name in named if preset_name_of(name) != library} == set()


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_exists(library: str) -> None:
    preset = LIBRARIES[library]
    named = {*preset.codecs, *preset.bases, *preset.properties, *preset.transient}
    assert sorted(name for name in named if found(name) is None) == []


@pytest.mark.parametrize("name", BASES)
def test_the_properties_of_a_base_are_all_known(name: str) -> None:
    cls = found(name)
    library = LIBRARIES[str(preset_name_of(name))]
    members = {each: inspect.getattr_static(cls, each) for each in dir(cls)}
    properties = {n: p for n, p in members.items() if isinstance(p, property)}
    assert library.properties[name] == set(properties)
    read_only = {n for n, p in properties.items() if p.fset is None}
    assert library.read_only.get(name, set()) == read_only


@pytest.mark.parametrize("name", CODECS)
def test_a_codec_is_right_about_its_values(name: str) -> None:
    cls = found(name)
    codec = CODECS[name]
    value = cls(*range(1, 1 + size_of(cls)))
    module, _, attribute = codec.name.partition(":")
    made = getattr(importlib.import_module(module), attribute)(cls)
    decoded = made.decode(made.encode(value))
    assert type(decoded) is cls and decoded is not value
    assert made.encode(decoded) == made.encode(value)
    if codec.hashable:
        assert hash(value) == hash(decoded)


def size_of(cls: Any) -> int:
    """Return how many numbers a value is made of."""
    if fields := getattr(cls, "_fields", None):
        return len(fields)
    if issubclass(cls, tuple):  # colours
        return 4
    try:
        return len(cls())
    except (TypeError, ValueError):
        return 4 if "Color" in cls.__name__ else 0


def test_the_numbers_of_numpy_exist_and_cannot_change() -> None:
    numpy = importlib.import_module("numpy")
    missing = {name for name in SCALARS if not hasattr(numpy, name)}
    assert missing <= {"bool", "long", "ulong"}  # since numpy 2
    assert all(issubclass(getattr(numpy, n), numpy.generic) for n in SCALARS - missing)
