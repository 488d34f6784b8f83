"""What a world must be in another version of its game, told from plain data alone.

It shares nothing with savegen: it knows fields by their `ident`, and has the seven rules of old
saves as a reader of the documentation would understand them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.saves.evolving_changes import in_order
from tests.saves.evolving_games import Field, Game, Recipe, Type


class Thing(NamedTuple):
    """One object, with all that any version of the game has said of it."""

    label: int
    cls: str
    values: dict[str, Recipe]  # by the ident of the field


class World(NamedTuple):
    """All objects, and the labels of those that were added; others are only referred to."""

    things: dict[int, Thing]
    added: tuple[int, ...]


class Shown(NamedTuple):
    """One object as a version of the game has it."""

    cls: str
    is_added: bool
    values: dict[str, Recipe]


_GONE = ("gone",)  # a reference to what the game does not know
UNSET = ("unset",)  # the attribute is not set


def seen(world: World, game: Game, was: Game | None = None) -> dict[int, Shown]:
    """Return the objects that a version of a game has after it has loaded the world.

    `was` is the version that saved it, if its fields had other types.
    """
    waiting = [n for n in world.added if game.cls(world.things[n].cls)]
    shown: dict[int, Shown] = {}
    while waiting:
        label = waiting.pop()
        if label not in shown:
            values = as_today(world, world.things[label], game, was or game)
            is_added = label in world.added
            shown[label] = Shown(world.things[label].cls, is_added, values)
            waiting += labels_in(tuple(values.values()))
    return shown


def with_defaults(world: World, game: Game) -> World:
    """Return the world as a version of the game leaves it: fields that were lacking are there.

    What a plain class lacks is lost, unless the value is kept for a reference to what is unknown.
    """
    things = dict(world.things)
    for label, shown in seen(world, game).items():
        thing = things[label]
        values = {**shown.values, **thing.values}
        for ident in shown.values.keys() & thing.values.keys():
            left = _without_removed(thing.values[ident], game)
            classes = (world.things[each].cls for each in labels_in((left,)))
            if all(map(game.cls, classes)):
                values[ident] = left
        things[label] = thing._replace(values=values)
    return world._replace(things=things)


def _without_removed(recipe: Recipe, game: Game) -> Any:
    """Return a value without the members that its plain classes do not have."""
    if not isinstance(recipe, tuple):
        return recipe
    if recipe[:1] == ("record",):
        names = {member.name for member in game.record(recipe[1]).members}
        members = ((n, _without_removed(v, game)) for n, v in recipe[2] if n in names)
        return (*recipe[:2], tuple(members))
    return tuple(_without_removed(part, game) for part in recipe)


def labels_in(recipe: Recipe) -> list[int]:
    """Return the labels of the objects that a value refers to."""
    if not isinstance(recipe, tuple):
        return []
    if recipe[:1] == ("ref",):
        return [recipe[1]]
    return [label for part in recipe for label in labels_in(part)]


def as_today(world: World, thing: Thing, game: Game, was: Game) -> dict[str, Recipe]:
    """Return the values of the fields that a version of the game has."""
    before = {each.ident: each.type for each in was.fields(thing.cls)}
    found: dict[str, Recipe] = {}
    for field in game.fields(thing.cls):
        if field.ident == "label":
            continue
        if field.ident not in thing.values:
            found[field.ident] = field.default[0]
        elif thing.values[field.ident] != UNSET:
            old = _migrated(thing, field, game)
            if field.ident in before:
                old = widened(old, before[field.ident], field.type, was, game)
            found[field.ident] = _as_field(old, field, game, world)
    return found


def _migrated(thing: Thing, field: Field, game: Game) -> Recipe:
    old = thing.values[field.ident]
    for each in game.migrations:
        if (each.cls, each.field) == (thing.cls, field.ident) and type(old) is int:
            old += each.plus
    return old


def _as_field(old: Recipe, field: Field, game: Game, world: World) -> Recipe:
    if field.converter:
        return f"was {old!r}"
    now = as_type(old, field.type, game, world)
    return None if now == _GONE else now


def widened(old: Recipe, was: Type, type: Type, before: Game, game: Game) -> Recipe:
    """Return a value whose declared type became wider: an int where a float is today is one.

    What was no int by its declaration is a mismatch, and stays what it is.
    """

    def inner(part: Recipe, was: Type, type: Type) -> Any:
        return widened(part, was, type, before, game)

    if was.word == "union":
        was = next((each for each in was.parts if fits(old, each)), was)
    if type.word == "union":
        type = next((each for each in type.parts if fits(old, each)), type)
    if was.word in ("int", "bool") and fits(old, was):
        if type.word == "float":
            return float(old) if int(float(old)) == old else old
        return int(old) if type.word == "int" else old
    if not isinstance(old, tuple) or not (was.parts and type.parts or was.idents):
        return old
    match was.word, type.word:
        case "record", "record":
            members = {m.name: m.type for m in game.record(type.idents[0]).members}
            types = {m.name: m.type for m in before.record(was.idents[0]).members}
            parts = (
                (
                    n,
                    (
                        inner(each, types[n], members[n])
                        if n in members and n in types
                        else each
                    ),
                )
                for n, each in old[2]
            )
            return (*old[:2], tuple(parts))
        case "places", "places":
            triples = zip(old[1:], was.parts, type.parts)
            return ("tuple", *(inner(*triple) for triple in triples))
        case "dict", "dict":
            pairs = zip(was.parts, type.parts)
            key, value = pairs
            return ("dict", *((inner(k, *key), inner(v, *value)) for k, v in old[1:]))
        case ("enum" | "ref" | "record" | "dict" | "places"), _:
            return old
    return (old[0], *(inner(each, was.parts[0], type.parts[0]) for each in old[1:]))


def as_type(old: Recipe, type: Type, game: Game, world: World) -> Recipe:
    """Return what a value is where the game has a type of today for it."""

    def inner(part: Recipe, wanted: Type) -> Any:
        return as_type(part, wanted, game, world)

    match type.word:
        case "union":
            member = next(each for each in type.parts if fits(old, each))
            now = inner(old, member)
            return None if now == _GONE else now
        case "ref":
            return old if game.cls(world.things[old[1]].cls) else _GONE
        case "record":
            return _as_record(old, type, game, world)
        case "places":
            parts = (inner(p, t) for p, t in zip(old[1:], type.parts, strict=True))
            return ("tuple", *(None if part == _GONE else part for part in parts))
        case "dict":
            pairs = (
                (inner(k, type.parts[0]), inner(v, type.parts[1])) for k, v in old[1:]
            )
            return ("dict", *(pair for pair in pairs if _GONE not in pair))
        case "list" | "tuple" | "deque" | "set" | "frozenset":
            items = [inner(item, type.parts[0]) for item in old[1:]]
            now = (type.word, *(item for item in items if item != _GONE))
            return in_order(now) if type.word in ("set", "frozenset") else now
    return old


def _as_record(old: Recipe, type: Type, game: Game, world: World) -> Recipe:
    _, ident, members = old
    there = dict(members)
    now = tuple(
        (
            member.name,
            (
                as_type(there[member.name], member.type, game, world)
                if member.name in there
                else member.default[0]
            ),
        )
        for member in game.record(ident).members
    )
    return ("record", ident, now)


def fits(recipe: Recipe, type: Type) -> bool:
    """Tell whether a value may be of a member of a union."""
    match type.word:
        case "none":
            return recipe is None
        case "bool":
            return recipe is True or recipe is False
        case "int":
            return isinstance(recipe, int)
        case "float":
            return isinstance(recipe, int | float)
        case "str":
            return isinstance(recipe, str)
    if not isinstance(recipe, tuple):
        return False
    if type.word in ("enum", "record"):
        return recipe[:2] == (type.word, type.idents[0])
    if type.word == "places":
        return recipe[0] == "tuple"
    if type.word in ("list", "tuple", "deque"):
        return recipe[0] in ("list", "tuple", "deque")
    return recipe[0] == type.word or {recipe[0], type.word} == {"set", "frozenset"}
