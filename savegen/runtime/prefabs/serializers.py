"""The base class of generated prefab serializers, which decode entries of level files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import UNSET, Struct, UnsetType, field

from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.errors import SaveError
from savegen.runtime.values.rows import Row
from savegen.runtime.world.building import pack_fields


class PrefabSerializer(
    Struct,
    tag_field="$type",
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
):
    """One entry of a level file: a prefab and the parameters that are set.

    An unset parameter keeps the default of the prefab; 0, false or an empty list replace it.

    >>> class Tank(PrefabSerializer, tag="TankSerializer"):
    ...     hp: int | UnsetType = UNSET
    >>> from msgspec import json
    >>> tank = json.decode(b'{"$type": "TankSerializer", "hp": 0}', type=Tank)
    >>> tank.hp, tank.placement_id, json.encode(Tank())
    (0, UNSET, b'{"$type":"TankSerializer"}')
    """

    former_tags: ClassVar[tuple[str, ...]] = ()  # former names of the prefab in levels
    # Former names of parameters → new names.
    former_names: ClassVar[Mapping[str, str]] = {}

    placement_id: str | UnsetType = field(name="$id", default=UNSET)


class PlacedId(str):
    """The `$id` of an object in a level, as a reference to one of its components.

    `classes` are the names of the classes that the field allows.

    >>> PlacedId("vault", ("game.doors:Door",)) == "vault"
    True
    """

    __slots__ = ("classes",)
    classes: tuple[str, ...]

    def __new__(cls, id: str, classes: tuple[str, ...]) -> PlacedId:
        placed_id = super().__new__(cls, id)
        placed_id.classes = classes
        return placed_id


def placed(references: References, id: str | None, *classes: str) -> Any:
    """Return the component, of one of the `classes`, of the object with an `$id`.

    Return `None` for `None`. Raises `SaveError` if no such component exists.
    """
    if id is None:
        return None
    key: Any = PlacedId(id, classes)
    return references.get_component(key)


def matching(text: str, pattern: str) -> str:
    """Return a text from a level. Raises `SaveError` if it does not match the pattern.

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
    """Return the rows of the parts in which at least one field is set.

    `parts` maps the number of each part to its mixin and the values of its fields.
    """
    return {
        part: pack_fields(mixin, values, references)
        for part, (mixin, values) in parts.items()
        if values
    }
