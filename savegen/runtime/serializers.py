"""What generated serializers of prefabs are made of: an entry of a level file as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import UNSET, Struct, UnsetType, field

from savegen.runtime.components import References, SaveLoadable
from savegen.runtime.errors import SaveError
from savegen.runtime.rows import Row
from savegen.runtime.building import packed


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


class PlacedId(str):
    """The `$id` of an object in a level, as a reference to one of its components.

    `wanted` are the classes that the field allows, by name.

    >>> PlacedId("vault", ("game.doors:Door",)) == "vault"
    True
    """

    __slots__ = ("wanted",)
    wanted: tuple[str, ...]

    def __new__(cls, id: str, wanted: tuple[str, ...]) -> PlacedId:
        made = super().__new__(cls, id)
        made.wanted = wanted
        return made


def placed(references: References, id: str | None, *wanted: str) -> Any:
    """Return the component that the `$id` of an object leads to; `None` for `None`.

    It is of one of the `wanted` classes. Raises `SaveError` if `references` knows none.
    """
    if id is None:
        return None
    found: Any = PlacedId(id, wanted)
    return references.get_component(found)


def matching(text: str, pattern: str) -> str:
    """Return what a level says. Raises `SaveError` if it does not look as it must.

    >>> matching("1/2", "^[0-9]+/[0-9]+$")
    '1/2'
    """
    if re.search(pattern, text) is None:
        raise SaveError(f"{text!r} must match {pattern}")
    return text


def rows(
    references: References,
    parts: Mapping[int, tuple[type[SaveLoadable], dict[str, object]]],
) -> dict[int, Row]:
    """Return the rows of the parts of which any field was set.

    `parts` are the mixins and the values of fields, by the numbers of the parts.
    """
    return {
        part: packed(mixin, values, references)
        for part, (mixin, values) in parts.items()
        if values
    }
