"""Check entries of `level.lvl` by the rules of a game: its JSON Schema, or its serializers.

Only serializers, which need the imported game, check whether assets exist, and whether the game's
classes and codecs accept a value. Apart from that, both reject the same entries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from savegen.levels.schema import Fault, Reference, Schema, Validator
from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.world.building import LocalKeys
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.prefabs.decoding import decode
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.prefabs.serializers import PlacedId, PrefabSerializer


class PrefabRule(NamedTuple):
    """The rules for entries of one prefab."""

    source: Any  # a JSON Schema, or a serializer
    max_count: int | None  # of its objects in one level; `None` for no limit
    static: bool  # levels place no objects of it
    former_type_names: Iterable[str]
    former_names: Mapping[str, str]  # former names of parameters → present ones


class CurrentEntry(NamedTuple):
    """An entry in which former names are replaced by present ones."""

    data: dict[str, Any]
    former: Mapping[str, str]  # present names of parameters → those in the file


class Rules:
    """The rules of a game for entries of its levels: the base of the two kinds of rules."""

    def __init__(self, prefabs: Mapping[str, PrefabRule]) -> None:
        self.prefabs = prefabs  # by `$type`
        self.static = frozenset(name for name, rule in prefabs.items() if rule.static)
        self._present_type_names = {
            former: type_name
            for type_name, rule in prefabs.items()
            for former in rule.former_type_names
        }

    def current(self, data: dict[str, Any]) -> CurrentEntry:
        """Return an entry with former names of its prefab and parameters replaced.

        If an entry has both the former and the present name, the former one stays: it is an
        unknown parameter.
        """
        type_name = self._present_type_names.get(data["$type"], data["$type"])
        names = (
            self.prefabs[type_name].former_names if type_name in self.prefabs else {}
        )
        former = {
            new: old for old, new in names.items() if old in data and new not in data
        }
        present = {old: new for new, old in former.items()}
        renamed = {present.get(name, name): value for name, value in data.items()}
        return CurrentEntry({**renamed, "$type": type_name}, former)

    def faults(self, data: dict[str, Any]) -> Iterator[Fault]:
        """Yield all errors in an entry of a known prefab."""
        yield from self._validator(data).faults(data)

    def references(self, data: dict[str, Any]) -> Iterator[Reference]:
        """Yield the references in an entry without errors."""
        yield from self._validator(data).references(data)

    def _validator(self, data: dict[str, Any]) -> Validator:
        raise NotImplementedError


class SchemaRules(Rules):
    """Rules from `level.schema.json`, without importing the game.

    >>> tank = {"properties": {"$type": {"enum": ["Tank"]}, "hp": {"type": "integer"}},
    ...         "additionalProperties": False, "x-former-names": {"health": "hp"}}
    >>> any_prefab = {"anyOf": [{"$ref": "#/$defs/Tank"}]}
    >>> rules = SchemaRules({"$defs": {"Tank": tank, "any-prefab": any_prefab}})
    >>> rules.current({"$type": "Tank", "health": 3}).data
    {'$type': 'Tank', 'hp': 3}
    >>> [fault.reason for fault in rules.faults({"$type": "Tank", "hp": 0.5, "h": 3})]
    ['expected a whole number, got a number', "Tank has no parameter 'h'; did you mean 'hp'?"]
    """

    def __init__(self, schema: Schema) -> None:
        """`schema` is the JSON of `level.schema.json`. Raises `SaveError` if it is not valid."""
        try:
            definitions = schema["$defs"]
            choices = definitions["any-prefab"].get("anyOf", ())
            prefabs = [Validator(schema).resolved(choice) for choice in choices]
            type_names = [str(it["properties"]["$type"]["enum"][0]) for it in prefabs]
        except (KeyError, IndexError, TypeError, AttributeError):
            raise SaveError(
                "this is not a level.schema.json that savegen generated"
            ) from None
        rules = [
            PrefabRule(
                {**prefab, "$defs": definitions},
                prefab.get("x-max-count"),
                prefab.get("x-static", False),
                prefab.get("x-former-tags", ()),
                prefab.get("x-former-names", {}),
            )
            for prefab in prefabs
        ]
        super().__init__(dict(zip(type_names, rules)))

    def _validator(self, data: dict[str, Any]) -> Validator:
        return Validator(self.prefabs[data["$type"]].source)


class GameRules(Rules):
    """Rules from the generated serializers of an imported game."""

    def __init__(self, info: PrefabInfo, assets: AssetRegistry | None = None) -> None:
        """`info` is the game's `PREFAB_INFO`."""
        self._assets = assets
        prefabs = [info[it().get_prefab_type()] for it in info.serializers]
        super().__init__(
            {
                str(serializer.__struct_config__.tag): PrefabRule(
                    serializer,
                    prefab.max_count,
                    prefab.static,
                    serializer.former_tags,
                    serializer.former_names,
                )
                for serializer, prefab in zip(info.serializers, prefabs)
            }
        )

    def faults(
        self, data: dict[str, Any], ids: LocalKeys | None = None
    ) -> Iterator[Fault]:
        """Yield all errors in an entry. Without `ids`, every `$id` counts as valid.

        Each parameter is tried alone. If it fails, the errors that its schema finds are preferred,
        because they have a more exact place than the error of the decoder.
        """
        ids = ids or _DummyReferences(assets=self._assets)
        entry_error = self._error(data, ids)
        if not entry_error:
            return
        schema_faults = [*super().faults(data)]
        faults: list[Fault] = []
        for name in data:
            if name == "$type":
                continue
            if error := self._error({"$type": data["$type"], name: data[name]}, ids):
                inside = [fault for fault in schema_faults if fault.path[:1] == (name,)]
                faults += inside or [Fault((name,), error)]
        yield from faults or [Fault((), entry_error)]

    def decoded(self, data: dict[str, Any]) -> PrefabSerializer:
        """Return an entry as its serializer. Raises `SaveError` if it is not valid."""
        serializer: PrefabSerializer = decode(
            json.dumps(data), self.prefabs[data["$type"]].source
        )
        return serializer

    def _validator(self, data: dict[str, Any]) -> Validator:
        return _validator_of(self.prefabs[data["$type"]].source)

    def _error(self, data: dict[str, Any], ids: LocalKeys) -> str:
        """Return the reason why the game does not accept an entry; "" if it does."""
        try:
            serializer: Any = self.decoded(data)
            serializer.get_component_snapshots(ids)
        except Exception as error:  # classes of the game can raise any error
            return reason(error) or type(error).__name__
        return ""


class _DummyReferences(LocalKeys):
    """Resolves references before any object exists: each `$id` becomes a dummy object."""

    def get_component(self, key: Any, /) -> Any:
        is_id = isinstance(key, PlacedId)
        return _DummyObject() if is_id else super().get_component(key)


class _DummyObject(SaveLoadable):
    __slots__ = ("__weakref__",)


@cache
def _validator_of(serializer: type[PrefabSerializer]) -> Validator:
    """Return the validator of a prefab's entries, cached because it is slow to make."""
    return Validator(msgspec.json.schema(serializer))
