"""Compression of all saves of a game, and of saves on a machine that lacks zstd."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from savegen.runtime import (
    GameObject,
    SaveError,
    SaveLoadManager,
    SaveVersionError,
)
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.saves import Autosave, MemoryStore, SaveSlots, decode, encode
from savegen.saves.file import read_header
from savegen.saves.journal import valid_records
from tests.project import savegen


def world(count: int = 50) -> SaveLoadManager:
    manager = SaveLoadManager(Registry(FORMAT, ()))
    for number in range(count):
        manager.add(GameObject(position=(float(number), 0.0, 0.0)))
    return manager


def compression_of(data: bytes) -> str:
    return read_header(data).compression


@pytest.mark.parametrize("compress", ["", "zlib", "lzma", "zstd"])
def test_slots_compress_all_saves_as_they_were_told_once(compress: Any) -> None:
    store, manager = MemoryStore(), world()
    slots = SaveSlots(store, compress=compress)
    slots.save("one", manager)
    slots.quick(manager)
    slots.save_in_background("two", manager)
    slots.wait()
    assert {compression_of(store.read(name)) for name in store.names()} == {compress}
    slots.save("one", manager, compress="zlib" if compress != "zlib" else "")
    assert compression_of(store.read("one/2.sav")) != compress
    assert slots.load("one", world()).info.generation == 2


def test_an_autosave_compresses_its_records_too() -> None:
    store, manager = MemoryStore(), world(2000)
    autosave = Autosave(SaveSlots(store, compress="zstd"), manager)
    for turn in range(3):
        next(iter(manager.objects)).transform.rotation = float(turn)
        autosave.record()
    save, journal = store.read("auto/1.sav"), store.appended("auto/1.journal")
    assert compression_of(save) == "zstd"
    payloads = valid_records(journal, save[-16:].hex()).payloads
    for payload in map(bytes, payloads):
        assert compression_of(payload[payload.index(b"\x89SGN") :]) == "zstd"
    assert len(payloads) == 2
    other = world()
    SaveSlots(store).load("auto", other)
    assert next(iter(other.objects)).transform.rotation == 2.0


def test_the_default_is_no_compression_whatever_is_installed() -> None:
    assert compression_of(encode(world().create_snapshot())) == ""
    store = MemoryStore()
    SaveSlots(store).save("one", world())
    assert compression_of(store.read("one/1.sav")) == ""


@pytest.mark.parametrize("compress", ["zip", None, 7])
def test_slots_refuse_an_unknown_compression_at_once(compress: Any) -> None:
    with pytest.raises(SaveError, match="compress"):
        SaveSlots(MemoryStore(), compress=compress)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take zstd away from this machine."""
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    for package in ("backports", "compression"):
        if package in sys.modules:
            monkeypatch.delattr(sys.modules[package], "zstd", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    slots = SaveSlots(tmp_path / "saves")
    slots.save("one", world(), title="plain")
    slots.save("one", world(), title="packed", compress="zstd")
    return tmp_path / "saves"


def test_a_save_that_needs_zstd_is_shown_and_names_the_extra(
    folder: Path, without: None
) -> None:
    slots = SaveSlots(folder)
    (info,) = slots.list()
    assert (info.title, info.generation, info.fault) == ("packed", 2, "")
    (info,) = slots.list(verify=True)
    assert info.title == "packed" and "savegen[zstd]" in info.fault
    manager = world(3)
    with pytest.raises(SaveVersionError, match=r"savegen\[zstd\].*`generation=1`"):
        slots.load("one", manager)
    assert len(manager) == 3
    assert slots.load("one", manager, generation=1).info.title == "plain"
    with pytest.raises(SaveVersionError, match=r"savegen\[zstd\]"):
        decode((folder / "one/2.sav").read_bytes(), manager)


def test_who_cannot_write_zstd_is_told_at_once(folder: Path, without: None) -> None:
    with pytest.raises(SaveError, match=r"savegen\[zstd\]"):
        SaveSlots(folder, compress="zstd")
    with pytest.raises(SaveError, match=r"savegen\[zstd\]"):
        SaveSlots(folder).save("two", world(), compress="zstd")
    with pytest.raises(SaveError, match=r"savegen\[zstd\]"):
        encode(world().create_snapshot(), compress="zstd")
    assert [info.slot for info in SaveSlots(folder).list()] == ["one"]


def test_commands_read_such_a_save_and_write_it_again(folder: Path) -> None:
    save = "saves/one/2.sav"
    for words in (("show", save), ("verify", "saves"), ("list", "saves")):
        said = savegen(folder.parent, "saves", *words)
        assert said.code == 0, said
    exported = savegen(folder.parent, "saves", "export", save, "-o", "save.json")
    assert exported.code == 0, exported
    imported = savegen(folder.parent, "saves", "import", "save.json", "-o", "new.sav")
    assert imported.code == 0, imported
    new = (folder.parent / "new.sav").read_bytes()
    assert compression_of(new) == "zstd"


def test_commands_name_the_extra_too(folder: Path, without: None) -> None:
    said = savegen(folder.parent, "saves", "show", "saves/one/2.sav", together=True)
    assert said.code and "savegen[zstd]" in said.out
    said = savegen(folder.parent, "saves", "list", "saves", together=True)
    assert said.code == 0 and "packed" in said.out
    said = savegen(folder.parent, "saves", "verify", "saves", together=True)
    assert said.code == 1 and "2 saves, none damaged, 1 cannot be loaded" in said.out
