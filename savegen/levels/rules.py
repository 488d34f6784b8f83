"""The rules of a game for entries of its levels, from its schema or from its serializers.

Both find the same entries wrong, with one exception: only the game knows which assets exist, and
which values its own classes and codecs accept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from savegen.levels.schema import Fault, Mention, Schema, Validator
from savegen.runtime.assets import AssetRegistry
from savegen.runtime.building import LocalKeys
from savegen.runtime.components import SaveLoadable
from savegen.runtime.decoding import decode
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.prefabs import PrefabInfo
from savegen.runtime.serializers import PlacedId, PrefabSerializer


class PrefabRule(NamedTuple):
    """The rules for entries of one prefab."""

    source: Any  # a schema, or a serializer
    max_count: int | None  # of its objects in one level; `None` for any number
    former_tags: Iterable[str]
    former_names: Mapping[str, str]  # former names of parameters → present ones


class Current(NamedTuple):
    """An entry under the present names."""

    data: dict[str, Any]
    former: Mapping[str, str]  # present names of parameters → those in the file


class Rules:
    """The rules of a game for entries of its levels."""

    def __init__(self, prefabs: Mapping[str, PrefabRule]) -> None:
        self.prefabs = prefabs  # by `$type`
        self._tags = {old: tag for tag, p in prefabs.items() for old in p.former_tags}

    def current(self, data: dict[str, Any]) -> Current:
        """Return an entry with former names of its prefab and parameters replaced.

        A former name beside the present one is not replaced: it is an unknown parameter.
        """
        tag = self._tags.get(data["$type"], data["$type"])
        names = self.prefabs[tag].former_names if tag in self.prefabs else {}
        former = {
            new: old for old, new in names.items() if old in data and new not in data
        }
        now = {old: new for new, old in former.items()}
        found = {now.get(name, name): value for name, value in data.items()}
        return Current({**found, "$type": tag}, former)

    def faults(self, data: dict[str, Any]) -> Iterator[Fault]:
        """Yield all errors in an entry of a known prefab."""
        yield from self._validator(data).faults(data)

    def mentions(self, data: dict[str, Any]) -> Iterator[Mention]:
        """Yield the references in an entry without errors."""
        yield from self._validator(data).mentions(data)

    def _validator(self, data: dict[str, Any]) -> Validator:
        raise NotImplementedError


class SchemaRules(Rules):
    """Rules by `level.schema.json`: the game is not imported.

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
            found = [Validator(schema).resolved(choice) for choice in choices]
            tags = [str(each["properties"]["$type"]["enum"][0]) for each in found]
        except (KeyError, IndexError, TypeError, AttributeError):
            raise SaveError(
                "this is not a level.schema.json that savegen generated"
            ) from None
        rules = [
            PrefabRule(
                {**each, "$defs": definitions},
                each.get("x-max-count"),
                each.get("x-former-tags", ()),
                each.get("x-former-names", {}),
            )
            for each in found
        ]
        super().__init__(dict(zip(tags, rules)))

    def _validator(self, data: dict[str, Any]) -> Validator:
        return Validator(self.prefabs[data["$type"]].source)


class GameRules(Rules):
    """Rules by the generated serializers."""

    def __init__(
        self,
        info: PrefabInfo,
        assets: AssetRegistry | None = None,
        serializers: Iterable[type[PrefabSerializer]] | None = None,
    ) -> None:
        """`info` is the game's `PREFAB_INFO`, which has all serializers."""
        self._assets = assets
        chosen: Any = info.serializers if serializers is None else serializers
        super().__init__(
            {
                str(each.__struct_config__.tag): PrefabRule(
                    each,
                    info[each().get_prefab_type()].max_count,
                    each.former_tags,
                    each.former_names,
                )
                for each in chosen
            }
        )

    def faults(
        self, data: dict[str, Any], ids: LocalKeys | None = None
    ) -> Iterator[Fault]:
        """Yield all errors in an entry; the schema names their places better than the decoder.

        Without `ids`, every `$id` is valid.
        """
        ids = ids or _AnyIds(assets=self._assets)
        whole = self._refusal(data, ids)
        if not whole:
            return
        by_schema = [*super().faults(data)]
        faults: list[Fault] = []
        for name in data:
            if name == "$type":
                continue
            if why := self._refusal({"$type": data["$type"], name: data[name]}, ids):
                inside = [fault for fault in by_schema if fault.path[:1] == (name,)]
                faults += inside or [Fault((name,), why)]
        yield from faults or [Fault((), whole)]

    def decoded(self, data: dict[str, Any]) -> PrefabSerializer:
        """Return an entry as its serializer. Raises `SaveError` if it is not valid."""
        text = json.dumps(data)
        found: PrefabSerializer = decode(text, self.prefabs[data["$type"]].source)
        return found

    def _validator(self, data: dict[str, Any]) -> Validator:
        return _validator_of(self.prefabs[data["$type"]].source)

    def _refusal(self, data: dict[str, Any], ids: LocalKeys) -> str:
        """Return the reason why the game does not accept an entry; "" if it does."""
        try:
            made: Any = self.decoded(data)
            made.get_component_snapshots(ids)
        except Exception as error:  # classes of the game can raise any error
            return reason(error) or type(error).__name__
        return ""


class _AnyIds(LocalKeys):
    """References before any object exists: each `$id` stands for a placeholder."""

    def get_component(self, key: Any, /) -> Any:
        is_id = isinstance(key, PlacedId)
        return _Placeholder() if is_id else super().get_component(key)


class _Placeholder(SaveLoadable):
    __slots__ = ("__weakref__",)


@cache
def _validator_of(serializer: type[PrefabSerializer]) -> Validator:
    """Return the validator of a prefab's entries; making it takes longer than reading a level."""
    return Validator(msgspec.json.schema(serializer))
