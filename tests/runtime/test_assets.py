"""Assets are saved by their ids, and objects that share an asset still share it after a load."""

from __future__ import annotations

import pytest

from savegen.runtime import AssetRegistry, OnUnknown, SaveError


def test_an_asset_is_found_by_id_and_by_former_ids() -> None:
    assets = AssetRegistry()
    sword = assets["sword"] = [1]
    assets.add("shield", shield := [2], was=("buckler", "plank"))
    assert assets["sword"] is sword
    assert all(assets[id] is shield for id in ("shield", "buckler", "plank"))
    assert assets.id_of(shield) == "shield" and len(assets) == 2
    assert "plank" in assets and "axe" not in assets


def test_equal_assets_have_separate_ids() -> None:
    assets = AssetRegistry()
    assets["one"], assets["two"] = [], []
    assert assets["one"] is not assets["two"]
    assert assets.id_of(assets["two"]) == "two"


@pytest.mark.parametrize("ids", [("sword", ()), ("axe", "sword"), ("sword", "axe")])
def test_an_id_cannot_be_registered_twice(ids: tuple[str, str]) -> None:
    assets = AssetRegistry()
    assets.add("sword", [1])
    with pytest.raises(SaveError, match="the asset id 'sword' is taken"):
        assets.add(ids[0], [2], was=ids[1])
    assert len(assets) == 1 and "axe" not in assets


def test_an_asset_has_one_id() -> None:
    assets = AssetRegistry()
    sword = assets["sword"] = [1]
    with pytest.raises(SaveError, match="already has the id 'sword'"):
        assets["blade"] = sword
    with pytest.raises(SaveError, match="a list is used as an asset, but has no id"):
        assets.id_of([3])


def test_the_policy_determines_the_result_for_unknown_ids() -> None:
    strict = AssetRegistry()
    with pytest.raises(SaveError, match="no asset has the id 'axe'"):
        strict["axe"]
    dropping = AssetRegistry(on_unknown=OnUnknown.DROP)
    assert dropping["axe"] is None
    keeping = AssetRegistry(on_unknown=OnUnknown.PLACEHOLDER)
    missing = keeping["axe"]
    assert keeping["axe"] is missing and keeping.id_of(missing) == "axe"
    assert repr(missing) == "<missing asset 'axe'>" and len(keeping) == 0
    keeping["axe"] = [1]
    assert keeping["axe"] == [1] and keeping.id_of(missing) == "axe"


# -- replaced and removed


def test_replacing_an_asset_gives_its_ids_to_the_new_one() -> None:
    assets = AssetRegistry()
    assets.add("shield", old := [1], was=("buckler", "plank"))
    assets.replace("plank", new := [2])
    assert all(assets[id] is new for id in ("shield", "buckler", "plank"))
    assert assets.id_of(new) == "shield" and not assets.knows(old)
    assert [*assets] == ["shield"] and len(assets) == 1
    assets.replace("shield", new)
    assert assets["plank"] is new


def test_a_failed_replacement_changes_nothing() -> None:
    assets = AssetRegistry()
    sword, axe = [1], [2]
    assets["sword"], assets["axe"] = sword, axe
    with pytest.raises(SaveError, match="no asset has the id 'bow'"):
        assets.replace("bow", [3])
    with pytest.raises(
        SaveError, match="the asset for 'sword' already has the id 'axe'"
    ):
        assets.replace("sword", axe)
    assert assets["sword"] is sword and assets["axe"] is axe


def test_removing_an_asset_removes_its_former_ids() -> None:
    assets = AssetRegistry()
    assets.add("shield", shield := [1], was="buckler")
    assets.remove("buckler")
    assert "shield" not in assets and "buckler" not in assets and len(assets) == 0
    assets["plank"] = shield
    with pytest.raises(SaveError, match="no asset has the id 'shield'"):
        assets.remove("shield")


def test_the_policy_of_a_load_applies_if_the_registry_raises_errors() -> None:
    strict, keeping = AssetRegistry(), AssetRegistry(OnUnknown.PLACEHOLDER)
    assert strict.find("axe", OnUnknown.DROP) is None
    assert repr(strict.find("axe", OnUnknown.PLACEHOLDER)) == "<missing asset 'axe'>"
    assert keeping.find("axe", OnUnknown.DROP) is keeping["axe"]
    with pytest.raises(SaveError, match="no asset has the id 'axe'"):
        strict.find("axe")
