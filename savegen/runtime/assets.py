"""Shared things that are not saved, but named: pictures, sounds, item specifications."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.unknown import MissingAsset, OnUnknown


class AssetRegistry:
    """Things by id, and ids by thing: the same thing comes back, never a copy of it.

    >>> assets = AssetRegistry()
    >>> sword = assets["sword"] = {"damage": 7}
    >>> assets.add("shield", shield := {"armour": 2}, was="buckler")
    >>> assets.id_of(sword), assets["buckler"] is shield, "axe" in assets
    ('sword', True, False)
    """

    def __init__(self, on_unknown: OnUnknown = OnUnknown.ERROR) -> None:
        """An unknown id is an error, `None`, or a placeholder that is saved under that id."""
        self._on_unknown = on_unknown
        self._missing: dict[str, MissingAsset] = {}
        self._assets: dict[str, Any] = {}  # by id, former ones included
        # By `id`: an asset's own `__hash__` is not asked.
        self._ids: dict[int, str] = {}

    def add(self, id: str, asset: Any, *, was: str | tuple[str, ...] = ()) -> None:
        """Name an asset; `was` are ids that it had in earlier versions of the game.

        Raises `SaveError` if an id is taken, or if the asset has one already.
        """
        ids = (id, *((was,) if isinstance(was, str) else was))
        for each in ids:
            if each in self._assets:
                raise SaveError(f"there is an asset {each!r} already")
        if _id(asset) in self._ids:
            raise SaveError(f"{id!r} is called {self._ids[_id(asset)]!r} already")
        self._assets |= dict.fromkeys(ids, asset)
        self._ids[_id(asset)] = id

    def __setitem__(self, id: str, asset: Any) -> None:
        """Name an asset. Raises `SaveError` if the id is taken."""
        self.add(id, asset)

    def __getitem__(self, id: str) -> Any:
        """Return an asset by its id, or by a former one.

        Raises `SaveError` without one, unless another policy was chosen.
        """
        if id in self._assets:
            return self._assets[id]
        if self._on_unknown is OnUnknown.ERROR:
            raise SaveError(f"there is no asset {id!r}")
        if self._on_unknown is OnUnknown.DROP:
            return None
        return self._missing.setdefault(id, MissingAsset(id))

    def __contains__(self, id: object) -> bool:
        return id in self._assets

    def __iter__(self) -> Iterator[str]:
        """Yield the ids, former ones left out."""
        return iter(self._ids.values())

    def __len__(self) -> int:
        return len(self._ids)

    def knows(self, asset: Any) -> bool:
        """Tell whether something is an asset.

        >>> AssetRegistry().knows("a picture")
        False
        """
        return _id(asset) in self._ids

    def id_of(self, asset: Any) -> str:
        """Return the id of an asset. Raises `SaveError` if it has none.

        >>> AssetRegistry().id_of([1])
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: a list is used as an asset and has no id
        """
        if isinstance(asset, MissingAsset):
            return asset.id
        try:
            return self._ids[_id(asset)]
        except KeyError:
            name = type(asset).__qualname__
            raise SaveError(f"a {name} is used as an asset and has no id") from None


_id = id
