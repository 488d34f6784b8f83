"""Shared things are saved by their ids, and stay shared."""

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


def test_equal_assets_are_not_the_same() -> None:
    assets = AssetRegistry()
    assets["one"], assets["two"] = [], []
    assert assets["one"] is not assets["two"]
    assert assets.id_of(assets["two"]) == "two"


@pytest.mark.parametrize("ids", [("sword", ()), ("axe", "sword"), ("sword", "axe")])
def test_an_id_is_given_once(ids: tuple[str, str]) -> None:
    assets = AssetRegistry()
    assets.add("sword", [1])
    with pytest.raises(SaveError, match="there is an asset 'sword' already"):
        assets.add(ids[0], [2], was=ids[1])
    assert len(assets) == 1 and "axe" not in assets


def test_an_asset_has_one_id() -> None:
    assets = AssetRegistry()
    sword = assets["sword"] = [1]
    with pytest.raises(SaveError, match="called 'sword' already"):
        assets["blade"] = sword
    with pytest.raises(SaveError, match="a list is used as an asset and has no id"):
        assets.id_of([3])


def test_what_is_unknown_is_up_to_the_policy() -> None:
    strict = AssetRegistry()
    with pytest.raises(SaveError, match="there is no asset 'axe'"):
        strict["axe"]
    dropping = AssetRegistry(on_unknown=OnUnknown.DROP)
    assert dropping["axe"] is None
    keeping = AssetRegistry(on_unknown=OnUnknown.PLACEHOLDER)
    missing = keeping["axe"]
    assert keeping["axe"] is missing and keeping.id_of(missing) == "axe"
    assert repr(missing) == "<missing asset 'axe'>" and len(keeping) == 0
    keeping["axe"] = [1]
    assert keeping["axe"] == [1] and keeping.id_of(missing) == "axe"
