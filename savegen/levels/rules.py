"""Check entries of `level.lvl` by the rules of a game, which its JSON Schema contains.

`savegen level check` reads the generated `level.schema.json`; it does not import the game. A game
makes the same schema from its serializers when it loads a level. Only it can find out whether
assets exist, and whether its classes and codecs accept a value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import msgspec

from savegen.levels.schema import EntryFault, IdReference, Schema, Validator
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.prefabs.level_schema import PrefabEntry, schema_of
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.prefabs.serializers import PrefabSerializer
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.world.building import LocalKeys


class PrefabRule(NamedTuple):
    """The rules for entries of one prefab."""

    validator: Validator
    max_count: int | None  # of its objects in one level; `None` for no limit
    static: bool  # levels place no objects of it
    former_type_names: Iterable[str]
    former_names: Mapping[str, str]  # former names of parameters → present ones


class CurrentEntry(NamedTuple):
    """An entry in which former names are replaced by present ones."""

    data: dict[str, Any]
    former: Mapping[str, str]  # present names of parameters → those in the file


class SchemaRules:
    """The rules of a game for entries of its levels, from its JSON Schema.

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
        self.prefabs = {  # by `$type`
            type_name: PrefabRule(
                Validator({**prefab, "$defs": definitions}),
                prefab.get("x-max-count"),
                prefab.get("x-static", False),
                prefab.get("x-former-tags", ()),
                prefab.get("x-former-names", {}),
            )
            for type_name, prefab in zip(type_names, prefabs)
        }
        rules = self.prefabs.items()
        self.static = frozenset(name for name, rule in rules if rule.static)
        self._present_type_names = {
            former: name for name, rule in rules for former in rule.former_type_names
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

    def faults(self, data: dict[str, Any]) -> Iterator[EntryFault]:
        """Yield all errors in an entry of a known prefab."""
        yield from self.prefabs[data["$type"]].validator.faults(data)

    def references(self, data: dict[str, Any]) -> Iterator[IdReference]:
        """Yield the references in an entry without errors."""
        yield from self.prefabs[data["$type"]].validator.references(data)


class GameRules(SchemaRules):
    """The rules of an imported game, which also tries whether its code accepts an entry."""

    def __init__(self, info: PrefabInfo, assets: AssetRegistry | None = None) -> None:
        """`info` is the game's `PREFAB_INFO`."""
        super().__init__(_schema_of(info))
        self._assets = assets
        self._serializers = dict(zip(self.prefabs, info.serializers))

    def faults(
        self, data: dict[str, Any], ids: LocalKeys | None = None
    ) -> Iterator[EntryFault]:
        """Yield all errors in an entry. Without `ids`, every `$id` counts as valid.

        Parameters that are valid by the schema are tried one by one.
        """
        if ids is None:  # before any object exists
            ids = LocalKeys(assets=self._assets, placed=lambda id: _DummyObject())
        entry_error = self._error(data, ids)
        if not entry_error:
            return
        faults = [*super().faults(data)]
        wrong = {"$type", *(name for fault in faults for name in fault.path[:1])}
        for name in [name for name in data if name not in wrong]:
            if error := self._error({"$type": data["$type"], name: data[name]}, ids):
                faults.append(EntryFault((name,), error))
        yield from faults or [EntryFault((), entry_error)]

    def decoded(self, data: dict[str, Any]) -> PrefabSerializer:
        """Return an entry as its serializer. Raises an error if it is not valid."""
        serializer = self._serializers[data["$type"]]
        decoded: PrefabSerializer = msgspec.json.decode(
            json.dumps(data), type=serializer
        )
        return decoded

    def _error(self, data: dict[str, Any], ids: LocalKeys) -> str:
        """Return the reason why the game does not accept an entry; "" if it does."""
        try:
            serializer: Any = self.decoded(data)
            serializer.get_component_snapshots(ids)
        except Exception as error:  # classes of the game can raise any error
            return reason(error) or type(error).__name__
        return ""


@lru_cache(maxsize=4)
def _schema_of(info: PrefabInfo) -> Schema:
    """Return the schema of the levels of a game, which takes some time to make."""
    return schema_of(
        [
            PrefabEntry(info[it().get_prefab_type()], it, str(it.__struct_config__.tag))
            for it in info.serializers
        ]
    )


class _AnyClass(int):
    """A class number that is equal to all others."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class _DummyObject(SaveLoadable):
    """Stands for any object with an `$id`."""

    __slots__ = ("__weakref__",)
    save_type: ClassVar[Any] = _AnyClass()
