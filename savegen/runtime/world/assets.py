"""Assets: shared objects that saves refer to by id, such as pictures, sounds and item types."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from savegen.runtime.errors import SaveError, with_article


class OnUnknown(Enum):
    """What a load does with assets and placed objects that the game no longer has.

    >>> OnUnknown("drop")
    <OnUnknown.DROP: 'drop'>
    """

    ERROR = "error"  # the load fails
    PLACEHOLDER = "placeholder"  # they are preserved for the next save
    DROP = "drop"  # they are removed, and references to them become None


class MissingAsset:
    """A placeholder for an asset that the game no longer has.

    >>> MissingAsset("axe")
    <missing asset 'axe'>
    """

    def __init__(self, id: str) -> None:
        self.id = id

    def __repr__(self) -> str:
        return f"<missing asset {self.id!r}>"


class AssetRegistry:
    """Maps ids to assets and assets to ids. A load uses the registered object itself, never a copy.

    >>> assets = AssetRegistry()
    >>> sword = assets["sword"] = {"damage": 7}
    >>> assets.add("shield", shield := {"armour": 2}, was="buckler")
    >>> assets.id_of(sword), assets["buckler"] is shield, "axe" in assets
    ('sword', True, False)
    """

    def __init__(self, on_unknown: OnUnknown = OnUnknown.ERROR) -> None:
        """`on_unknown` sets the result for an unknown id: an error, `None` or a placeholder."""
        self._on_unknown = on_unknown
        self._missing: dict[str, MissingAsset] = {}
        self._assets: dict[str, Any] = {}  # by id, former ones included
        # By `id()`, so that the `__hash__` of assets is never called.
        self._ids: dict[int, str] = {}

    def add(self, id: str, asset: Any, *, was: str | tuple[str, ...] = ()) -> None:
        """Register an asset under an id; `was` lists its ids in earlier versions of the game.

        Raises `SaveError` if an id is taken, or if the asset already has an id.
        """
        ids = (id, *((was,) if isinstance(was, str) else was))
        for new_id in ids:
            if new_id in self._assets:
                raise SaveError(
                    f"the asset id {new_id!r} is taken; to replace its asset, call `replace`"
                )
        self._check_has_no_id(asset, id)
        self._assets |= dict.fromkeys(ids, asset)
        self._ids[_id(asset)] = id

    def replace(self, id: str, asset: Any) -> None:
        """Register another asset under an id and its former ids, such as a reloaded picture.

        Fields keep the old asset until they are set or loaded again. Raises `SaveError` if the
        id is unknown, or if the new asset has a different id.

        >>> assets = AssetRegistry()
        >>> assets["sword"] = {"damage": 7}
        >>> assets.replace("sword", {"damage": 8})
        >>> assets["sword"]
        {'damage': 8}
        """
        if self._registered(id) is not asset:
            self._check_has_no_id(asset, id)
            ids = self._remove(id)
            self._assets |= dict.fromkeys(ids, asset)
            self._ids[_id(asset)] = ids[0]

    def remove(self, id: str) -> None:
        """Remove an asset and its former ids. Raises `SaveError` if the id is unknown.

        >>> assets = AssetRegistry()
        >>> assets["sword"] = {"damage": 7}
        >>> assets.remove("sword")
        >>> "sword" in assets
        False
        """
        self._registered(id)
        self._remove(id)

    def __setitem__(self, id: str, asset: Any) -> None:
        """Register an asset under an id. Raises `SaveError` if the id is taken."""
        self.add(id, asset)

    def __getitem__(self, id: str) -> Any:
        """Return the asset of an id or a former id.

        For an unknown id, `on_unknown` determines the result; by default it raises `SaveError`.
        """
        return self.find(id)

    def find(self, id: str, on_unknown: OnUnknown = OnUnknown.ERROR) -> Any:
        """Return the asset of an id. The registry's own `on_unknown` wins unless it is `ERROR`."""
        if id in self._assets:
            return self._assets[id]
        if self._on_unknown is not OnUnknown.ERROR:
            on_unknown = self._on_unknown
        if on_unknown is OnUnknown.ERROR:
            return self._registered(id)
        if on_unknown is OnUnknown.DROP:
            return None
        return self._missing.setdefault(id, MissingAsset(id))

    def __contains__(self, id: object) -> bool:
        return id in self._assets

    def __iter__(self) -> Iterator[str]:
        """Yield the ids, without former ones."""
        return iter(self._ids.values())

    def __len__(self) -> int:
        return len(self._ids)

    def knows(self, asset: Any) -> bool:
        """Return whether an object is a registered asset.

        >>> AssetRegistry().knows("a picture")
        False
        """
        return _id(asset) in self._ids

    def id_of(self, asset: Any) -> str:
        """Return the id of an asset. Raises `SaveError` if it has none.

        >>> AssetRegistry().id_of([1])
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: a list is used as an asset, but has no id; register it with `assets.add`
        """
        if isinstance(asset, MissingAsset):
            return asset.id
        try:
            return self._ids[_id(asset)]
        except KeyError:
            name = with_article(type(asset).__qualname__)
            raise SaveError(
                f"{name} is used as an asset, but has no id; register it with `assets.add`"
            ) from None

    def _registered(self, id: str) -> Any:
        if id not in self._assets:
            raise SaveError(f"no asset has the id {id!r}")
        return self._assets[id]

    def _check_has_no_id(self, asset: Any, id: str) -> None:
        if _id(asset) in self._ids:
            raise SaveError(
                f"the asset for {id!r} already has the id {self._ids[_id(asset)]!r}"
            )

    def _remove(self, id: str) -> list[str]:
        """Remove an asset and return its ids, the current one first."""
        asset = self._assets[id]
        current_id = self._ids.pop(_id(asset))
        ids = [id for id, other in self._assets.items() if other is asset]
        for removed_id in ids:
            del self._assets[removed_id]
        return sorted(ids, key=lambda id: id != current_id)


_id = id
