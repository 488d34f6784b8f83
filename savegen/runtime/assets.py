"""Shared things that are not saved, but named: pictures, sounds, item specifications."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from savegen.runtime.errors import SaveError, a


class OnUnknown(Enum):
    """What becomes of saved things that the game does not know any more.

    >>> OnUnknown("drop")
    <OnUnknown.DROP: 'drop'>
    """

    ERROR = "error"  # nothing is loaded
    PLACEHOLDER = "placeholder"  # they are kept as they were saved
    DROP = "drop"  # they are left out, and references to them are None


class MissingAsset:
    """Stands for an asset that the game does not know any more.

    >>> MissingAsset("axe")
    <missing asset 'axe'>
    """

    def __init__(self, id: str) -> None:
        self.id = id

    def __repr__(self) -> str:
        return f"<missing asset {self.id!r}>"


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
                raise SaveError(
                    f"there is an asset {each!r} already; `replace` gives the id another one"
                )
        self._check_nameless(asset, id)
        self._assets |= dict.fromkeys(ids, asset)
        self._ids[_id(asset)] = id

    def replace(self, id: str, asset: Any) -> None:
        """Give an id, and the former ones of its asset, another asset: a reloaded picture, say.

        A field that holds the old asset keeps it until it is set or loaded again. Raises
        `SaveError` if the id is not known, or if the new asset has another one.

        >>> assets = AssetRegistry()
        >>> assets["sword"] = {"damage": 7}
        >>> assets.replace("sword", {"damage": 8})
        >>> assets["sword"]
        {'damage': 8}
        """
        if self._known(id) is not asset:
            self._check_nameless(asset, id)
            ids = self._forget(id)
            self._assets |= dict.fromkeys(ids, asset)
            self._ids[_id(asset)] = ids[0]

    def remove(self, id: str) -> None:
        """Forget an asset, with its former ids. Raises `SaveError` if the id is not known.

        >>> assets = AssetRegistry()
        >>> assets["sword"] = {"damage": 7}
        >>> assets.remove("sword")
        >>> "sword" in assets
        False
        """
        self._known(id)
        self._forget(id)

    def __setitem__(self, id: str, asset: Any) -> None:
        """Name an asset. Raises `SaveError` if the id is taken."""
        self.add(id, asset)

    def __getitem__(self, id: str) -> Any:
        """Return an asset by its id, or by a former one.

        Raises `SaveError` without one, unless another policy was chosen.
        """
        return self.find(id)

    def find(self, id: str, on_unknown: OnUnknown = OnUnknown.ERROR) -> Any:
        """Return an asset by its id; `on_unknown` holds if the registry has no policy."""
        if id in self._assets:
            return self._assets[id]
        is_mine = self._on_unknown is not OnUnknown.ERROR
        policy = self._on_unknown if is_mine else on_unknown
        if policy is OnUnknown.ERROR:
            return self._known(id)
        if policy is OnUnknown.DROP:
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
        """Return whether something is an asset.

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
            name = a(type(asset).__qualname__)
            raise SaveError(f"{name} is used as an asset and has no id") from None

    def _known(self, id: str) -> Any:
        if id not in self._assets:
            raise SaveError(f"there is no asset {id!r}")
        return self._assets[id]

    def _check_nameless(self, asset: Any, id: str) -> None:
        if _id(asset) in self._ids:
            raise SaveError(f"{id!r} is called {self._ids[_id(asset)]!r} already")

    def _forget(self, id: str) -> list[str]:
        """Take an asset out; return its ids, the present one first."""
        asset = self._assets[id]
        present = self._ids.pop(_id(asset))
        ids = [each for each, found in self._assets.items() if found is asset]
        for each in ids:
            del self._assets[each]
        return sorted(ids, key=lambda each: each != present)


_id = id
