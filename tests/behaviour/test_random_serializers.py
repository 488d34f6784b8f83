"""Whatever a level says is the same after it is decoded and encoded again.

The game is the bestiary's; what a level may say follows from the types of the serializers,
which hypothesis draws from. `load_data` must take all of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, inspect

from savegen.runtime import SaveLoadable
from savegen.runtime.prefabs.serializers import PlacedId
from savegen.runtime.values.basics.named import imported
from savegen.runtime.world.building import LocalKeys
from tests.behaviour import bestiary
from tests.project import Project

PACKAGE = "game_of_random_serializers"
WRAPPERS = ("bare", "optional", "in_list", "in_dict", "in_record", "as_key")
# What only a registry, another system or the game's own codec can make.
UNKNOWN = ("asset", "maybe_asset", "windows_path", "hex")


def any_placed() -> LocalKeys:
    """Return keys with which every `$id` leads to something."""
    found: dict[tuple[str, tuple[str, ...]], Any] = {}

    def find(id: PlacedId) -> Any:
        if (id, id.classes) not in found:
            classes: list[Any] = [*map(imported, id.classes)]
            classes += [sub for cls in classes for sub in type.__subclasses__(cls)]
            saved = (cls for cls in classes if hasattr(cls, "save_type"))
            found[id, id.classes] = next(saved, Thing)()
        return found[id, id.classes]

    return LocalKeys(placed=find)


class Thing(SaveLoadable):
    """What can be referred to, weakly too."""

    __slots__ = ("__weakref__",)


@pytest.fixture(scope="module")
def serializers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The serializers of the bestiary's classes, with these classes, by wrapper."""
    project = Project(tmp_path_factory.mktemp("serializers"), _files())
    wanted = f"{PACKAGE}._savegen.prefabs", f"{PACKAGE}.declared"
    names = {w: bestiary.class_name("declared", w) for w in WRAPPERS}
    with project.generated().prefabs().imported(*wanted) as (prefabs, module):
        yield {
            wrapper: (getattr(prefabs, f"{name}Serializer"), getattr(module, name))
            for wrapper, name in names.items()
        }


def _files() -> dict[str, str]:
    """Return the bestiary, in a package of another name, and less of it."""
    others = {f"game/{name}.py" for name in bestiary.POSITIONS} - {"game/declared.py"}
    files = {p: text for p, text in bestiary.files().items() if p not in others}
    home = "game/declared.py"
    files[home] = files[home].replace("@saveable\n", "@saveable(prefab=True)\n")
    return {_renamed(path): _renamed(text) for path, text in files.items()}


def _renamed(text: str) -> str:
    return re.sub(r"\bgame(?=[./\"])", PACKAGE, text)


# -- JSON for a type

TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
PATTERNS = {
    "^#": st.binary(min_size=3, max_size=4).map(lambda data: f"#{data.hex()}"),
    "^-?": st.fractions().map(str),
}
_YEAR = timedelta(365)
LEAVES: dict[type, st.SearchStrategy[Any]] = {
    inspect.AnyType: st.integers() | TEXTS,
    inspect.NoneType: st.none(),
    inspect.BoolType: st.booleans(),
    inspect.IntType: st.integers(-(2**31), 2**31 - 1),
    inspect.FloatType: NUMBERS | st.integers(-9, 9),
    inspect.BytesType: st.binary().map(lambda data: _said(data)),
    inspect.DateType: st.dates().map(lambda day: _said(day)),
    inspect.TimeType: st.times().map(lambda time: _said(time)),
    inspect.DateTimeType: st.datetimes().map(lambda moment: _said(moment)),
    inspect.TimeDeltaType: st.timedeltas(-_YEAR, _YEAR).map(lambda span: _said(span)),
    inspect.UUIDType: st.uuids().map(str),
    inspect.DecimalType: st.decimals(allow_nan=False, allow_infinity=False).map(str),
}


def _said(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def said(type: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return a strategy for what JSON may say of a type."""
    match type:
        case inspect.Metadata():
            return said(type.type, depth)
        case inspect.StrType():
            found = (each for start, each in PATTERNS.items() if _starts(type, start))
            return next(found, TEXTS)
        case inspect.LiteralType():
            return st.sampled_from(type.values)
        case inspect.UnionType():
            nothing = [t for t in type.types if isinstance(t, inspect.NoneType)]
            types = depth > 6 and nothing or type.types
            return st.one_of([said(t, depth + 1) for t in types])
        case inspect.ListType():
            sizes = (type.min_length or 0, type.max_length or 3)
            return st.lists(
                said(type.item_type, depth + 1), min_size=sizes[0], max_size=sizes[1]
            )
        case inspect.VarTupleType():
            return st.lists(said(type.item_type, depth + 1), max_size=3)
        case inspect.TupleType():
            return st.tuples(*(said(t, depth + 1) for t in type.item_types)).map(list)
        case inspect.DictType():
            keys = said(type.key_type, depth + 1).map(str)
            return st.dictionaries(keys, said(type.value_type, depth + 1), max_size=3)
        case inspect.StructType():
            return entries(type, depth + 1)
    return LEAVES[type.__class__]


def _starts(type: inspect.StrType, start: str) -> bool:
    return (type.pattern or "").startswith(start)


def entries(
    type: inspect.StructType, depth: int = 0
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for objects, with any of the fields that may be left out."""
    fields = {f.encode_name: said(f.type, depth) for f in type.fields if f.required}
    if depth > 6:
        return st.fixed_dictionaries(fields)
    others = {f.encode_name: f.type for f in type.fields if not f.required}
    optional = {name: st.deferred(lambda t=t: said(t, depth)) for name, t in others.items()}  # type: ignore[misc]
    return st.fixed_dictionaries(fields, optional=optional)


def parameters(serializer: Any) -> dict[str, st.SearchStrategy[Any]]:
    """Return a strategy for each parameter."""
    type = inspect.type_info(serializer)
    assert isinstance(type, inspect.StructType)
    return {
        field.encode_name: said(field.type)
        for field in type.fields
        if field.encode_name.removeprefix("f_") not in UNKNOWN
    }


@pytest.fixture(scope="module")
def drawn(serializers: dict[str, Any]) -> dict[str, dict[str, st.SearchStrategy[Any]]]:
    return {wrapper: parameters(found) for wrapper, (found, _) in serializers.items()}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_what_a_level_says_comes_back_and_is_loaded(
    wrapper: str, serializers: Any, drawn: Any, data: st.DataObject
) -> None:
    serializer, cls = serializers[wrapper]
    names = st.lists(st.sampled_from(sorted(drawn[wrapper])), unique=True, max_size=5)
    told = {name: data.draw(drawn[wrapper][name], name) for name in data.draw(names)}
    entry = msgspec.json.decode(json.dumps(told), type=serializer)
    again = msgspec.json.encode(entry)
    assert msgspec.json.decode(again, type=serializer) == entry
    assert json.loads(again).keys() == {*told, "$type"}
    placed = any_placed()
    snapshots = entry.get_component_snapshots(placed)
    assert len(snapshots) == (1 if told.keys() - {"$id"} else 0)
    for row in snapshots.values():
        cells = [getattr(row, name) for name in row.__struct_fields__]
        assert len(cells) - cells.count(UNSET) == len(told.keys() - {"$id"})
        made = cls.__new__(cls)
        made.load_data(row, placed)
        placed.finish()
        assert all(hasattr(made, name) for name in told.keys() - {"$id"})
