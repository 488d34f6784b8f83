"""What generated serializers of prefabs are made of: an entry of a level file as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import UNSET, Struct, UnsetType, field


class PrefabSerializer(
    Struct,
    tag_field="$type",
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
):
    """One entry of a level file: a prefab, and what is set of it.

    A parameter that is unset keeps what the prefab says; 0, false or an empty list do not.

    >>> class Tank(PrefabSerializer, tag="TankSerializer"):
    ...     hp: int | UnsetType = UNSET
    >>> from msgspec import json
    >>> tank = json.decode(b'{"$type": "TankSerializer", "hp": 0}', type=Tank)
    >>> tank.hp, tank.placement_id, json.encode(Tank())
    (0, UNSET, b'{"$type":"TankSerializer"}')
    """

    former_tags: ClassVar[tuple[str, ...]] = ()  # what levels called the prefab before
    former_names: ClassVar[Mapping[str, str]] = {}  # the same of parameters: old → new

    placement_id: str | UnsetType = field(name="$id", default=UNSET)


def given(parts: Mapping[int, dict[int, object]]) -> dict[int, dict[int, object]]:
    """Return the parts of which anything was set.

    >>> given({1234: {12: 0}, 5678: {}})
    {1234: {12: 0}}
    """
    return {part: fields for part, fields in parts.items() if fields}
