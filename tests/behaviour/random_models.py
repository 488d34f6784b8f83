"""Random classes: types put together from the specimens, to any depth, in any position.

A model is made of its seed alone: the test writes the game with it, and the game's own process
makes it again to know what to try.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import traceback
from collections.abc import Iterator
from typing import NamedTuple

from tests.behaviour import driver
from tests.behaviour.bestiary import (
    CODECS,
    FOES,
    HEAD,
    PLAIN,
    POSITIONS,
    PYPROJECT,
    WRAPPERS,
    Field,
)
from tests.specimens import SPECIMENS, Specimen

CLASSES = 24
FIELDS = 7
_PLACES = [name for name in POSITIONS if not name.startswith(("inherited", "default"))]
_AROUND = [WRAPPERS[n] for n in WRAPPERS if n not in ("bare", "in_record", "optional")]
_MORE = {
    "deque[{type}]": "deque([{a}, {b}], 3)",
    "OrderedDict[int, {type}]": "OrderedDict([(2, {a}), (1, {b})])",
    "defaultdict[str, list[{type}]]": "defaultdict(list, x=[{b}])",
    "tuple[{type}, ...]": "({a}, {b}, {a})",
}
# Of each of these families a union has at most one: they could not be told apart.
_FAMILIES = (
    ("int", "str", "none", "mood", "vec", "doors", "bytes", "date"),
    ("stats", "node", "slotted", "attrs", "struct", "link"),
    ("foe", "foe_or_door"),
    ("list", "foes"),
    ("dict", "friends", "bag"),
    ("set", "foe_set"),
    ("vector", "rect", "hex"),
    ("ndarray", "floats"),
    ("random",),
)


class Model(NamedTuple):
    """One class."""

    name: str
    position: str
    fields: list[Field]
    records: list[str]  # the plain classes that its fields need


def models(seed: int) -> list[Model]:
    """Return the classes of a game.

    >>> models(1) == models(1), models(1) == models(2)
    (True, False)
    """
    dice = random.Random(seed)
    return [_model(f"Random{number}", dice) for number in range(CLASSES)]


def _model(name: str, dice: random.Random) -> Model:
    records: list[str] = []
    types = [_type(dice, name, records, dice.randrange(4)) for _ in range(FIELDS)]
    bare = WRAPPERS["bare"]
    fields = [Field(f"f{n}", name, each, bare) for n, each in enumerate(types)]
    return Model(name, dice.choice(_PLACES), fields, records)


def _type(dice: random.Random, owner: str, records: list[str], depth: int) -> Specimen:
    if depth == 0:
        return SPECIMENS[dice.choice([*SPECIMENS])]
    chance = dice.random()
    if chance < 0.2:
        return _union(dice)
    inner = _type(dice, owner, records, depth - 1)
    if chance < 0.35:
        return _record(inner, owner, records)
    if chance < 0.5 and "None" not in inner.type and inner.kind != "scalar":
        values = (*inner.all, "None")
        return Specimen(f"{inner.type} | None", values, "union", hashable=False)
    if chance < 0.65:
        type, value = dice.choice([*_MORE.items()])
        return _around(type, value, inner)
    fitting = [w for w in _AROUND if inner.hashable or not w.hashed]
    wrapper = dice.choice(fitting)
    return _around(wrapper.type, wrapper.value, inner, wrapper.hashed)


def _around(type: str, value: str, inner: Specimen, hashed: bool = False) -> Specimen:
    values = inner.values if hashed else inner.all
    pairs = zip(values, values[1:] + values[:1])
    made = tuple(value.format(a=a, b=b) for a, b in pairs)
    return Specimen(type.format(type=inner.type), made, "container", hashable=False)


def _record(inner: Specimen, owner: str, records: list[str]) -> Specimen:
    name = f"{owner}Record{len(records)}"
    frozen = len(records) % 2 == 0
    decorator = f"@dataclass(frozen={frozen}, slots={len(records) % 3 == 0})"
    records.append(
        f"{decorator}\nclass {name}:\n    it: {inner.type}\n    more: list[int]\n"
    )
    values = tuple(f"{name}({value}, [1])" for value in inner.all)
    return Specimen(name, values, "record", hashable=False)


def _union(dice: random.Random) -> Specimen:
    families = dice.sample(_FAMILIES, dice.choice([2, 3, 4]))
    chosen = [SPECIMENS[dice.choice(family)] for family in families]
    type = " | ".join(each.type for each in chosen)
    values = tuple(value for each in chosen for value in each.values)
    return Specimen(type, values, "union", hashable=False)


# -- the game


def files(seed: int) -> dict[str, str]:
    """Return the game of a seed, by path."""
    made = models(seed)
    mixins = ", ".join(f"{model.name}SaveLoad" for model in made)
    text = [HEAD, f"from game._savegen.components.made import {mixins}\n"]
    for model in made:
        text += model.records
        text.append("@saveable\n" + POSITIONS[model.position](model.name, model.fields))
    return {
        "pyproject.toml": PYPROJECT,
        "game/__init__.py": "",
        "game/plain.py": PLAIN,
        "game/codecs.py": CODECS,
        "game/foes.py": FOES,
        "game/made.py": "\n".join(text),
    }


# -- in the game's process

_LEFT_OUT = (driver.a_wrong_value_does_not_fit,)


def failures(model: Model) -> Iterator[str]:
    constructed = model.position not in ("declared", "slots")
    module = importlib.import_module("game.made")
    case = driver.Case(module, model.name, model.fields, constructed)
    for trial in driver.TRIALS:
        try:
            for turn in range(0 if trial in _LEFT_OUT else 3):
                trial(case, turn)
        except Exception:
            types = "".join(f"{f.name}: {f.type}\n" for f in model.fields)
            yield f"{trial.__name__}\n{types}{traceback.format_exc()}"


if __name__ == "__main__":
    found = {model.name: [*failures(model)] for model in models(int(sys.argv[1]))}
    print(json.dumps(found))
