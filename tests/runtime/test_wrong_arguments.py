"""A wrong argument gets one error, which names it, what was passed, and what is wanted."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from savegen.runtime import (
    GameObject,
    History,
    References,
    SaveError,
    SaveLoadManager,
)
from savegen.runtime import errors
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen import saves
from savegen.saves import Autosave, MemoryStore, SaveSlots, decode, encode

DOCS = Path(__file__).parents[2] / "docs"
REGISTRY = Registry(FORMAT, ())


def new_manager() -> SaveLoadManager:
    manager = SaveLoadManager(REGISTRY, {"tank": GameObject})
    manager.add(GameObject())
    return manager


def new_slots(manager: Any) -> SaveSlots:
    slots = SaveSlots(MemoryStore())
    slots.save("a", manager)
    return slots


def recorded(manager: Any) -> History:
    history = History(manager)
    history.record()
    return history


# By what they are called with: a manager, and a wrong argument.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "registry": lambda manager, wrong: SaveLoadManager(wrong),
    "prefabs": lambda manager, wrong: SaveLoadManager(REGISTRY, wrong),
    "assets": lambda manager, wrong: SaveLoadManager(REGISTRY, assets=wrong),
    "on_unknown": lambda manager, wrong: SaveLoadManager(REGISTRY, on_unknown=wrong),
    "obj": lambda manager, wrong: manager.add(wrong),
    "cls": lambda manager, wrong: manager.find(wrong),
    "obj to destroy": lambda manager, wrong: manager.destroy(wrong),
    "component": lambda manager, wrong: GameObject().add_component(wrong),
    "parent": lambda manager, wrong: GameObject(parent=wrong),
    "cls to get": lambda manager, wrong: GameObject(5).get(wrong),
    "placement": lambda manager, wrong: manager.add(GameObject(), placement=wrong),
    "prefab": lambda manager, wrong: manager.spawn(wrong),
    "capacity": lambda manager, wrong: manager.pool("tank", capacity=wrong),
    "filter": lambda manager, wrong: manager.create_snapshot(wrong),
    "snapshot": lambda manager, wrong: manager.apply_snapshot(wrong),
    "snapshot to merge": lambda manager, wrong: manager.merge(wrong),
    "since": lambda manager, wrong: manager.create_snapshot().changes(wrong),
    "get": lambda manager, wrong: manager.add_state("score", wrong, print),
    "manager": lambda manager, wrong: History(wrong),
    "steps": lambda manager, wrong: recorded(manager).rewind(wrong),
    "keep": lambda manager, wrong: SaveSlots(MemoryStore(), keep=wrong),
    "folder_or_store": lambda manager, wrong: SaveSlots(wrong),
    "limits": lambda manager, wrong: SaveSlots(MemoryStore(), limits=wrong),
    "manager to save": lambda manager, wrong: new_slots(manager).save("a", wrong),
    "manager to load": lambda manager, wrong: new_slots(manager).load("a", wrong),
    "levels": lambda manager, wrong: new_slots(manager).load(
        "a", manager, levels=wrong
    ),
    "generation": lambda manager, wrong: new_slots(manager).delete("a", wrong),
    "timeout": lambda manager, wrong: new_slots(manager).load_async(
        "a", manager, timeout=wrong
    ),
    "path": lambda manager, wrong: new_slots(manager).import_(wrong, "b"),
    "slots": lambda manager, wrong: Autosave(wrong, manager),
    "data": lambda manager, wrong: decode(wrong, manager),
    "snapshot to encode": lambda manager, wrong: encode(wrong),
}
# A number of seconds, a mapping of prefabs, a list of objects, a class or a function.
TAKEN = {
    ("timeout", float),
    ("prefabs", dict),
    ("filter", dict),
    *((name, type) for name in ("get", "levels", "filter", "cls", "cls to get")),
    # A manager refuses them when the object is added.
    *(("component", kind) for kind in (dict, bytes, float)),
}
# Other errors, which say what to do.
ELSEWHERE = {
    *(("obj", kind) for kind in (dict, bytes, float)),  # mark the class
    *(("prefab", kind) for kind in (bytes, float, type)),  # there is no such prefab
    ("data", bytes),  # it is no save
}


@pytest.mark.parametrize(
    "step",
    [
        lambda manager: manager.add_state("a\ud800", lambda: 1, print),
        lambda manager: manager.add(GameObject(), placement="a\ud800"),
        lambda manager: manager.add(GameObject(), level="a\ud800"),
    ],
)
def test_a_name_that_no_save_can_hold_is_refused_at_once(step: Any) -> None:
    manager = new_manager()
    before = manager.create_snapshot().digest()
    with pytest.raises(SaveError, match=r"must be Unicode text, not 'a\\ud800'"):
        step(manager)
    assert manager.create_snapshot().digest() == before


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", [GameObject, {1: [2]}, b"x", 1.5], ids=repr)
def test_a_wrong_argument_is_named_with_what_is_wanted(name: str, wrong: Any) -> None:
    if (name, type(wrong)) in TAKEN:
        return
    manager = new_manager()
    before = manager.create_snapshot().digest()
    with pytest.raises(SaveError) as told:
        result = CALLS[name](manager, wrong)
        if inspect.iscoroutine(result):
            asyncio.run(result)
    if (name, type(wrong)) not in ELSEWHERE:
        argument = name.split()[0]
        assert f"`{argument}` must be " in str(told.value)
        shown = (
            "the class `GameObject`" if wrong is GameObject else type(wrong).__name__
        )
        assert str(told.value).endswith(shown)
    assert manager.create_snapshot().digest() == before
    manager.apply_snapshot(manager.create_snapshot())


def test_a_failed_check_of_arguments_does_not_refuse_saves() -> None:
    manager = new_manager()
    slots = new_slots(manager)
    for wrong in ({"generation": "1"}, {"levels": 5}, {"progress": 5}):
        with pytest.raises(SaveError, match="must be"):
            slots.load("a", manager, **wrong)
    assert slots.save("a", manager).generation == 2


def test_the_objects_of_a_manager_are_a_tuple() -> None:
    manager = new_manager()
    objects = manager.objects
    assert type(objects) is tuple and manager.record_of(objects[0]).key == 1
    for obj in objects:
        manager.destroy(obj)
    assert manager.objects == ()


def test_what_a_user_of_slots_catches_is_beside_them() -> None:
    names = [name for name in dir(errors) if name in saves.__all__]
    assert "NoSuchSave" in names and "SaveError" in names
    for name in names:
        assert getattr(saves, name) is getattr(errors, name)
    raised = "Apply Corrupt Limit Version Write".split()
    assert {f"Save{kind}Error" for kind in raised} | {"SlotBusyError"} <= {*names}


def test_the_docs_name_each_public_name_of_a_manager_and_the_api_describes_it() -> None:
    manager = new_manager()
    public = {name for name in {*dir(manager), *vars(manager)} if name[0] != "_"}
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    named = {*re.findall(r"\b(?:manager|references)\.(\w+)", pages)}
    assert public <= named, "private, or named in a page"
    api = (DOCS / "api/worlds.md").read_text(encoding="utf-8")
    assert "::: savegen.runtime.SaveLoadManager\n:::" in api, "no name is left out"
    described = {name for name in public if inspect.getdoc(getattr(manager, name))}
    assert public - described == set()


def test_a_manager_has_the_public_names_that_a_save_data_needs_as_all_references() -> (
    None
):
    own = {name for name in vars(References) if name[0] != "_"}
    assert own == {"key_of", "get_component", "id_of", "asset"}
    assert own <= vars(SaveLoadManager).keys()
