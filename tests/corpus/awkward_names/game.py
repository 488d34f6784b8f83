"""Fields that are called as generated code, Python or enumerations call other things."""

from __future__ import annotations

from typing import Any

from savegen import Saved, saveable

from _savegen.components.game import ActorSaveLoad, ShadowSaveLoad, SoupSaveLoad


@saveable
class Actor(ActorSaveLoad):
    name: Saved[str] = ""
    value: Saved[int] = 0
    type: Saved[str] = ""
    data: Saved[dict[str, int]]
    self: Saved[Actor | None] = None
    mro: Saved[int] = 0
    cls: Saved[int] = 0
    references: Saved[Actor | None] = None
    names: Saved[list[str]]
    values: Saved[list[int]]
    objects: Saved[list[Actor]]
    rows: Saved[list[Actor]]
    resolve: Saved[Actor | None] = None
    o: Saved[Actor | None] = None
    x: Saved[list[list[int]]]
    k: Saved[dict[str, list[int]]]
    it: Saved[int] = 0
    made: Saved[int] = 0
    zip: Saved[int] = 0
    iter: Saved[int] = 0
    tuple: Saved[int] = 0
    isinstance: Saved[int] = 0
    hasattr: Saved[int] = 0
    generate_next_value: Saved[int] = 0

    def __init__(this, **fields: Any) -> None:  # noqa: N805
        for key, value in fields.items():
            setattr(this, key, value)


@saveable
class Shadow(ShadowSaveLoad):
    """Hides what annotations are made of."""

    int: Saved[int] = 0
    Any: Saved[str] = ""
    Mapping: Saved[str] = ""
    IntEnum: Saved[str] = ""
    ClassVar: Saved[str] = ""
    References: Saved[str] = ""
    SaveLoadable: Saved[str] = ""
    SaveLoadableType: Saved[str] = ""
    ParamNameMapping: Saved[str] = ""
    classmethod: Saved[str] = ""
    check_fields: Saved[str] = ""
    checks: Saved[str] = ""
    CommonFields: Saved[str] = ""
    capture_shadow: Saved[str] = ""
    _SHADOW_CHECKS: Saved[str] = ""


@saveable
class Soup(SoupSaveLoad):
    """Members of enumerations that mean something to them."""

    _ignore_: Saved[str] = ""
    _order_: Saved[str] = ""
    _missing_: Saved[str] = ""
    _value_: Saved[str] = ""
    __doc: Saved[str] = ""
