"""Entries of `level.lvl`, held against the schema of the game or against its serializers.

Both find the same entries wrong, with one exception: what a codec or a class of the game's own
does not take, and which assets there are, only the game can tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

import msgspec

from savegen.levels.schema import Fault, Mention, Schema, Validator
from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import SaveLoadable
from savegen.runtime.decoding import decode
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.building import LocalKeys
from savegen.runtime.prefabs import PrefabInfo
from savegen.runtime.serializers import PlacedId, PrefabSerializer


class Current(NamedTuple):
    """An entry as the game names things today."""

    data: dict[str, Any]
    former: Mapping[str, str]  # present names of parameters → those in the file


class Rules(Protocol):
    """What a game says of the entries of its levels."""

    @property
    def tags(self) -> Iterable[str]:
        """The prefabs that there are."""

    def current(self, data: dict[str, Any]) -> Current:
        """Return an entry with former names of prefabs and parameters replaced."""

    def faults(self, data: dict[str, Any]) -> Iterator[Fault]:
        """Yield all that is wrong with an entry of a prefab that there is."""

    def mentions(self, data: dict[str, Any]) -> Iterator[Mention]:
        """Yield the references in an entry without faults."""

    def max_count(self, tag: str) -> int | None:
        """Return how many of a prefab a level may place; None for any number."""


class SchemaRules:
    """Rules as `level.schema.json` has them: the game is not imported.

    >>> tank = {"properties": {"$type": {"enum": ["Tank"]}, "hp": {"type": "integer"}},
    ...         "additionalProperties": False, "x-former-names": {"health": "hp"}}
    >>> any_prefab = {"anyOf": [{"$ref": "#/$defs/Tank"}]}
    >>> rules = SchemaRules({"$defs": {"Tank": tank, "any-prefab": any_prefab}})
    >>> rules.current({"$type": "Tank", "health": 3}).data
    {'$type': 'Tank', 'hp': 3}
    >>> [fault.what for fault in rules.faults({"$type": "Tank", "hp": 0.5, "h": 3})]
    ['expected a whole number, got a number', "Tank has no parameter 'h'; did you mean 'hp'?"]
    """

    def __init__(self, schema: Schema) -> None:
        """`schema` is the JSON of `level.schema.json`. Raises `SaveError` if it is not."""
        self._validator = Validator(schema)
        try:
            choices = schema["$defs"]["any-prefab"].get("anyOf", ())
            found = [self._validator.resolved(choice) for choice in choices]
            self._schemas = {
                str(each["properties"]["$type"]["enum"][0]): each for each in found
            }
        except (KeyError, IndexError, TypeError, AttributeError):
            raise SaveError(
                "this is not a level.schema.json that savegen generated"
            ) from None
        self._former = _by_former_tag(
            (tag, each.get("x-former-tags", ())) for tag, each in self._schemas.items()
        )

    @property
    def tags(self) -> Iterable[str]:
        return self._schemas

    def current(self, data: dict[str, Any]) -> Current:
        tag = self._former.get(data["$type"], data["$type"])
        names = self._schemas.get(tag, {}).get("x-former-names", {})
        return _renamed(data, tag, names)

    def faults(self, data: dict[str, Any]) -> Iterator[Fault]:
        yield from self._validator.faults(data, self._schemas[data["$type"]])

    def mentions(self, data: dict[str, Any]) -> Iterator[Mention]:
        yield from self._validator.mentions(data, self._schemas[data["$type"]])

    def max_count(self, tag: str) -> int | None:
        found = self._schemas[tag].get("x-max-count")
        return found if isinstance(found, int) else None


class GameRules:
    """Rules as the generated serializers have them."""

    def __init__(
        self,
        info: PrefabInfo,
        assets: AssetRegistry | None = None,
        serializers: Iterable[type[PrefabSerializer]] | None = None,
    ) -> None:
        """`info` is the game's `PREFAB_INFO`; the serializers are found beside it."""
        self._assets = assets
        chosen = info.serializers if serializers is None else serializers
        self._types: dict[str, Any] = {
            str(each.__struct_config__.tag): each for each in chosen
        }
        self._counts = {
            tag: info[each().get_prefab_type()].max_count
            for tag, each in self._types.items()
        }
        self._former = _by_former_tag(
            (tag, each.former_tags) for tag, each in self._types.items()
        )

    @property
    def tags(self) -> Iterable[str]:
        return self._types

    def current(self, data: dict[str, Any]) -> Current:
        tag = self._former.get(data["$type"], data["$type"])
        names = self._types[tag].former_names if tag in self._types else {}
        return _renamed(data, tag, names)

    def faults(
        self, data: dict[str, Any], ids: LocalKeys | None = None
    ) -> Iterator[Fault]:
        """Yield all that is wrong with an entry: where, the schema knows better than the decoder.

        Without `ids` any `$id` is taken for one of an object.
        """
        ids = ids or _AnyIds(assets=self._assets)
        whole = self._refusal(data, ids)
        if not whole:
            return
        schema = _schema_of(self._types[data["$type"]])
        told = [*Validator(schema).faults(data, schema)]
        faults: list[Fault] = []
        for name in data:
            if name == "$type":
                continue
            if why := self._refusal({"$type": data["$type"], name: data[name]}, ids):
                inside = [fault for fault in told if fault.path[:1] == (name,)]
                faults += inside or [Fault((name,), why)]
        yield from faults or [Fault((), whole)]

    def mentions(self, data: dict[str, Any]) -> Iterator[Mention]:
        schema = _schema_of(self._types[data["$type"]])
        yield from Validator(schema).mentions(data, schema)

    def max_count(self, tag: str) -> int | None:
        return self._counts[tag]

    def decoded(self, data: dict[str, Any]) -> PrefabSerializer:
        """Return an entry as its serializer. Raises `SaveError` if something is wrong with it."""
        text = json.dumps(data)
        found: PrefabSerializer = decode(text, self._types[data["$type"]])
        return found

    def _refusal(self, data: dict[str, Any], ids: LocalKeys) -> str:
        """Return why the game refuses an entry, its JSON or what comes of it; "" if it does not."""
        try:
            made: Any = self.decoded(data)
            made.get_component_snapshots(ids)
        except Exception as error:  # the game's own classes raise what they like
            return reason(error) or type(error).__name__
        return ""


class _AnyIds(LocalKeys):
    """Takes every `$id` of a level for one of an object: none is there yet."""

    def get_component(self, key: Any, /) -> Any:
        is_id = isinstance(key, PlacedId)
        return _Someone() if is_id else super().get_component(key)


class _Someone(SaveLoadable):
    """Stands for whatever a reference leads to."""

    __slots__ = ("__weakref__",)


@cache
def _schema_of(serializer: type[PrefabSerializer]) -> Schema:
    """Return the schema of the entries of a prefab: it takes longer than reading a level."""
    return msgspec.json.schema(serializer)


def _by_former_tag(former: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    return {old: tag for tag, names in former for old in names}


def _renamed(data: dict[str, Any], tag: str, names: Mapping[str, str]) -> Current:
    """Return an entry under the present names, where these are not there themselves."""
    former = {new: old for old, new in names.items() if old in data and new not in data}
    now = {old: new for new, old in former.items()}
    found = {now.get(name, name): value for name, value in data.items()}
    return Current({**found, "$type": tag}, former)
