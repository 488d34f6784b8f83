"""Random games, and random changes to them that old saves must survive."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

from tests.saves.evolving_games import (
    Class,
    Field,
    Game,
    Migration,
    Record,
    Recipe,
    Type,
)

INT, FLOAT, STR, BOOL, NONE = map(Type, ("int", "float", "str", "bool", "none"))
SCALARS = (INT, FLOAT, STR, BOOL)
_DECORATORS = ("@dataclass", "@dataclass(frozen=True)", "@dataclass(slots=True)", "")
_LAYOUTS = ("plain", "plain", "slots", "dataclass")


def optional(type: Type) -> Type:
    return Type("union", (type, NONE))


# -- random games


def new_game(dice: Random) -> Game:
    """Return a small game, with something of every sort in it."""
    enums = (("Mood", ("CALM", "ANGRY")), ("Tint", ("RED", "BLUE", "GREY")))
    game = Game((), (), enums)
    for number in range(2):
        game = game._replace(records=(*game.records, _new_record(number, game, dice)))
    count = dice.randint(3, 6)
    idents = tuple(f"C{number}" for number in range(count))
    for number, ident in enumerate(idents):
        game = game._replace(
            classes=(*game.classes, _new_class(ident, number, idents, game, dice))
        )
    return game


def _new_record(number: int, game: Game, dice: Random) -> Record:
    types = _plain(dice, game, 1), _plain(dice, game, 1), dice.choice(SCALARS)
    members = tuple(
        (
            _with_default(Field(f"m{n}", type, f"m{n}"), game, dice, True)
            if n == 2
            else Field(f"m{n}", type, f"m{n}")
        )
        for n, type in enumerate(types)
    )
    return Record(f"R{number}", dice.choice(_DECORATORS), members)


def _new_class(
    ident: str, number: int, idents: tuple[str, ...], game: Game, dice: Random
) -> Class:
    bases = [cls for cls in game.classes if cls.layout == "plain"]
    parent = dice.choice(bases) if bases and dice.random() < 0.4 else None
    layout = "plain" if parent else dice.choice(_LAYOUTS)
    types = [random_type(dice, game, idents) for _ in range(dice.randint(1, 4))]
    fields = [
        _with_default(
            Field(f"{ident}f{n}", type, f"{ident.lower()}_{n}"), game, dice, False
        )
        for n, type in enumerate(types)
    ]
    # By the label objects are known again; some class must have it, and only one of a line.
    if not parent:
        fields.insert(dice.randrange(len(fields) + 1), Field("label", INT, "label"))
    return Class(
        ident,
        f"Thing{number}",
        layout,
        tuple(fields),
        (),
        parent.ident if parent else "",
    )


def random_type(dice: Random, game: Game, idents: tuple[str, ...]) -> Type:
    """Return the type of a field, one that refers to objects in one of two."""
    if dice.random() < 0.5:
        return _plain(dice, game, 2)
    some = tuple(dice.sample(idents, dice.choice([1, 1, 2])))
    ref = Type("ref", (), some)
    return dice.choice(
        [
            optional(ref),
            optional(ref),
            Type("list", (ref,)),
            Type("set", (ref,)),
            Type("tuple", (ref,)),
            Type("dict", (STR, ref)),
            Type("dict", (ref, INT)),
            Type("places", (INT, optional(ref))),
            Type("list", (Type("list", (optional(ref),)),)),
        ]
    )


def _plain(dice: Random, game: Game, depth: int) -> Type:
    leaf = dice.choice(
        [*SCALARS, INT, FLOAT, *(Type("enum", (), (name,)) for name, _ in game.enums)]
    )
    if depth == 0 or dice.random() < 0.4:
        return leaf
    inner = _plain(dice, game, depth - 1)
    made = [
        Type("list", (inner,)),
        Type("tuple", (inner,)),
        Type("deque", (inner,)),
        Type("places", (leaf, inner)),
        Type("dict", (dice.choice((INT, STR)), inner)),
        Type("set", (dice.choice((INT, STR)),)),
        Type("frozenset", (dice.choice((INT, STR)),)),
        *(Type("record", (), (record.ident,)) for record in game.records),
    ]
    if inner.word != "union":
        made.append(optional(inner))
    if leaf in (INT, STR) and inner.word in ("list", "record"):
        made.append(Type("union", (leaf, inner)))
    return dice.choice(made)


def _with_default(field: Field, game: Game, dice: Random, always: bool) -> Field:
    refers = any(part.word == "ref" for part in field.type.walk())
    if refers or not (always or dice.random() < 0.3):
        return field
    return field._replace(default=(default(field.type, game, dice),))


def _renewed(field: Field, game: Game) -> Field:
    """Return a field with a default of its type of today, if it had one."""
    if not field.default:
        return field
    return field._replace(default=(default(field.type, game, Random(field.ident)),))


# -- random values

_INTS = (0, 1, -1, 7, 2**31, -(2**63), 2**64, -(3**50))
_FLOATS = (0.0, -0.0, 1.0, 0.1, -2.5, 1e300, 5e-324, float("inf"), float("nan"), 3)
_STRS = ("", "a", "Grün", "\U0001f409", "\ud800", "x" * 40, "\0")


def value(
    type: Type, game: Game, dice: Random, labels: dict[str, list[int]] = {}
) -> Recipe:
    """Return a random value of a type; `labels` are the objects by the ident of their class."""

    def inner(part: Type) -> Recipe:
        return value(part, game, dice, labels)

    match type.word:
        case "int":
            return dice.choice(_INTS)
        case "float":
            return dice.choice(_FLOATS)
        case "str":
            return dice.choice(_STRS)
        case "bool":
            return dice.random() < 0.5
        case "none":
            return None
        case "enum":
            return ("enum", type.idents[0], dice.choice(game.members(type.idents[0])))
        case "record":
            record = game.record(type.idents[0])
            members = tuple((m.name, inner(m.type)) for m in record.members)
            return ("record", record.ident, members)
        case "union":
            return inner(dice.choice(type.parts))
        case "places":
            return ("tuple", *map(inner, type.parts))
        case "dict":
            made = {
                repr(k := inner(type.parts[0])): k for _ in range(dice.randrange(4))
            }
            keys = [key for key in made.values() if key is not None]
            return ("dict", *((key, inner(type.parts[1])) for key in keys))
        case "ref":
            there = [
                n for each in game.fitting(type.idents) for n in labels.get(each, ())
            ]
            return ("ref", dice.choice(there)) if there else None
    items = [inner(type.parts[0]) for _ in range(dice.randrange(4))]
    if type.parts[0].word == "ref":
        items = [item for item in items if item is not None]
    if type.word in ("set", "frozenset"):
        items = [*{repr(item): item for item in items}.values()]
        return in_order((type.word, *items))
    return (type.word, *items)


def default(type: Type, game: Game, dice: Random) -> Recipe:
    """Return a random value that has a literal."""
    made = value(type, game, dice)
    return made if _has_literal(made) else default(type, game, dice)


def _has_literal(recipe: Recipe) -> bool:
    if isinstance(recipe, tuple):
        return all(map(_has_literal, recipe))
    return not isinstance(recipe, float) or math.isfinite(recipe)


def in_order(recipe: Recipe) -> Recipe:
    """Return a set as all sets are written."""
    word, *items = recipe
    return (word, *sorted(items, key=repr))


# -- changes: each returns the game afterwards, or `None` if there is nothing to change

Change = Callable[[Game, Random], Game | None]


def add_field(game: Game, dice: Random) -> Game | None:
    cls = dice.choice(game.classes)
    ident = f"{cls.ident}n{dice.randrange(10**6)}"
    type = _plain(dice, game, 2)
    new = Field(ident, type, ident.lower(), (), (default(type, game, dice),))
    fields = [*cls.fields]
    fields.insert(dice.randrange(len(fields) + 1), new)
    return _with(game, cls._replace(fields=tuple(fields)))


def remove_field(game: Game, dice: Random) -> Game | None:
    cls = dice.choice(game.classes)
    if not (found := _changeable(cls)):
        return None
    gone = dice.choice(found)
    return _with(game, cls._replace(fields=_without(cls.fields, gone)))


def retire_field(game: Game, dice: Random) -> Game | None:
    cls = dice.choice(game.classes)
    found = [field for field in _changeable(cls) if not field.was]
    if not found or cls.was:
        return None
    gone = dice.choice(found)
    game = _with(game, cls._replace(fields=_without(cls.fields, gone)))
    return game._replace(retired=(*game.retired, f"{cls.name}.{gone.name}"))


def rename_field(game: Game, dice: Random) -> Game | None:
    cls = dice.choice(game.classes)
    if not (found := _changeable(cls)):
        return None
    old = dice.choice(found)
    name = f"{old.name}_{dice.randrange(1000)}"
    new = old._replace(name=name, was=(*old.was, old.name))
    return _with_field(game, cls, old, new)


def reorder_fields(game: Game, dice: Random) -> Game | None:
    cls = dice.choice(game.classes)
    fields = tuple(dice.sample(cls.fields, len(cls.fields)))
    return _with(game, cls._replace(fields=fields))


def reorder_classes(game: Game, dice: Random) -> Game | None:
    """Let the classes come in another order; a base still comes before those made of it."""
    waiting = dice.sample(game.classes, len(game.classes))
    placed: list[Class] = []
    while waiting:
        there = {cls.ident for cls in placed} | {""}
        placed += [cls for cls in waiting if cls.parent in there]
        waiting = [cls for cls in waiting if cls not in placed]
    return game._replace(classes=tuple(placed))


def rename_class(game: Game, dice: Random) -> Game | None:
    cls = dice.choice(game.classes)
    name = f"{cls.name}{dice.choice('ABCDEFGH')}"
    return _with(game, cls._replace(name=name, was=(*cls.was, cls.name)))


def remove_class(game: Game, dice: Random) -> Game | None:
    """Take out a class and, where it stands alone in its type, every field that names it."""
    leaves = [
        cls
        for cls in game.classes
        if not game.mentions(cls.ident)
        and all(other.parent != cls.ident for other in game.classes)
    ]
    if not leaves or len(game.classes) < 3:
        return None
    gone = dice.choice(leaves).ident
    classes = [
        cls._replace(fields=tuple(_without_class(cls.fields, gone)))
        for cls in game.classes
        if cls.ident != gone
    ]
    return game._replace(classes=tuple(classes))


def _without_class(fields: tuple[Field, ...], gone: str) -> Iterator[Field]:
    for field in fields:
        refs = [part for part in field.type.walk() if gone in part.idents]
        if all(len(ref.idents) > 1 for ref in refs):
            yield field._replace(type=_narrowed(field.type, gone))


def _narrowed(type: Type, gone: str) -> Type:
    parts = tuple(_narrowed(part, gone) for part in type.parts)
    idents = tuple(ident for ident in type.idents if ident != gone)
    return Type(type.word, parts, idents)


def add_member(game: Game, dice: Random) -> Game | None:
    """Give a record another member, with a default."""
    record = dice.choice(game.records)
    name = f"n{dice.randrange(10**6)}"
    type = dice.choice(SCALARS)
    new = Field(name, type, name, (), (default(type, game, dice),))
    return _with_record(game, record._replace(members=(*record.members, new)))


def remove_member(game: Game, dice: Random) -> Game | None:
    record = dice.choice(game.records)
    # Without a default it could not come back: a record is made of all its members.
    found = [member for member in record.members if member.default]
    if len(record.members) < 2 or not found:
        return None
    gone = dice.choice(found)
    members = _without(record.members, gone)
    return _with_record(game, record._replace(members=members))


def add_enum_member(game: Game, dice: Random) -> Game | None:
    """Give an enumeration another member, at any place."""
    place = dice.randrange(len(game.enums))
    name, members = game.enums[place]
    new, at = f"NEW{dice.randrange(10**6)}", dice.randrange(len(members) + 1)
    enums = [*game.enums]
    enums[place] = name, (*members[:at], new, *members[at:])
    return game._replace(enums=tuple(enums))


def widen(game: Game, dice: Random) -> Game | None:
    """Let a field, or a part of it, hold more than before."""
    cls = dice.choice(game.classes)
    if not (found := _changeable(cls)):
        return None
    field = dice.choice(found)
    type = _widened(field.type, dice)
    if type is None or field.converter:
        return None
    return _with_field(game, cls, field, _renewed(field._replace(type=type), game))


def widen_member(game: Game, dice: Random) -> Game | None:
    record = dice.choice(game.records)
    member = dice.choice(record.members)
    if (type := _widened(member.type, dice)) is None:
        return None
    new = _renewed(member._replace(type=type), game)
    members = tuple(new if each == member else each for each in record.members)
    return _with_record(game, record._replace(members=members))


_WIDER = {
    "bool": ("int", "float"),
    "int": ("float",),
    "list": ("tuple", "deque"),
    "tuple": ("list",),
    "set": ("frozenset",),
    "frozenset": ("set",),
}


def _widened(type: Type, dice: Random) -> Type | None:
    """Return a type that holds all that another does, told apart as before."""
    here = [
        Type(word, type.parts, type.idents)
        for word in _WIDER.get(type.word, ())
        if not (type.word in ("list", "tuple") and type.parts[0].word == "dict")
    ]
    if type.word not in ("union", "none", "ref"):
        here.append(optional(type))
    if type.word in ("int", "float", "bool"):
        here.append(Type("union", (type, STR)))
    if type.word in ("list", "tuple", "deque", "places"):
        for place, part in enumerate(type.parts):
            if part.word != "ref" and (wider := _widened(part, dice)):
                parts = (*type.parts[:place], wider, *type.parts[place + 1 :])
                here.append(Type(type.word, parts))
    if type.word == "dict" and type.parts[1].word != "ref":
        if wider := _widened(type.parts[1], dice):
            here.append(Type("dict", (type.parts[0], wider)))
    return dice.choice(here) if here else None


def convert(game: Game, dice: Random) -> Game | None:
    """Change the type of a field to one that the old values do not fit, with a converter."""
    cls = dice.choice(game.classes)
    found = [each for each in _changeable(cls) if each.type in (INT, BOOL)]
    if not found:
        return None
    field = dice.choice(found)
    new = field._replace(type=STR, converter='f"was {old!r}"')
    return _with_field(game, cls, field, _renewed(new, game))


def migrate(game: Game, dice: Random) -> Game | None:
    """Add something to a whole number, by a migration."""
    cls = dice.choice(game.classes)
    found = [each for each in _changeable(cls) if each.type == INT]
    if not found:
        return None
    field, to = dice.choice(found), game.save_version + 1
    names = cls.name, field.name
    new = Migration(to, cls.ident, field.ident, names, dice.randrange(1, 9))
    return game._replace(migrations=(*game.migrations, new), save_version=to)


# What a game can take back again: what it held before is then there as before.
REVERSIBLE: tuple[Change, ...] = (
    add_field,
    remove_field,
    remove_field,
    rename_field,
    reorder_fields,
    reorder_classes,
    rename_class,
    remove_class,
    remove_class,
    add_member,
    remove_member,
    add_enum_member,
)
ALL: tuple[Change, ...] = (
    *REVERSIBLE,
    retire_field,
    widen,
    widen,
    widen,
    widen_member,
    convert,
)


def changed(game: Game, dice: Random, changes: tuple[Change, ...], count: int) -> Game:
    """Return the next version of a game.

    A class or a record that loses a field, own or inherited, gains none: `savegen` would ask
    whether it was renamed. What is retired has been there before.
    """
    now = game
    if changes is ALL and dice.random() < 0.5:  # names are those of the version before
        now = migrate(now, dice) or now
    for _ in range(count):
        after = dice.choice(changes)(now, dice)
        if after is not None and _is_legal(game, after):
            now = after
    return now


def _is_legal(before: Game, after: Game) -> bool:
    names = {
        f"{cls.name}.{field.name}" for cls in before.classes for field in cls.fields
    }
    for cls in after.classes:
        if not before.cls(cls.ident):
            continue
        was, now = (
            {field.ident for field in game.fields(cls.ident)}
            for game in (before, after)
        )
        if was - now and now - was:
            return False
    for record in after.records:
        members = (before.record(record.ident).members, record.members)
        was, now = ({member.ident for member in each} for each in members)
        if was - now and now - was:
            return False
    return names.issuperset(after.retired)


# -- how a game is changed


def _changeable(cls: Class) -> list[Field]:
    return [field for field in cls.fields if field.ident != "label"]


def _without(fields: tuple[Field, ...], gone: Field) -> tuple[Field, ...]:
    return tuple(field for field in fields if field != gone)


def _with(game: Game, new: Class) -> Game:
    classes = (new if cls.ident == new.ident else cls for cls in game.classes)
    return game._replace(classes=tuple(classes))


def _with_field(game: Game, cls: Class, old: Field, new: Field) -> Game:
    fields = tuple(new if each == old else each for each in cls.fields)
    return _with(game, cls._replace(fields=fields))


def _with_record(game: Game, new: Record) -> Game:
    """Return the game with a record that is made otherwise than before: defaults of it too."""
    records = (new if each.ident == new.ident else each for each in game.records)
    game = game._replace(records=tuple(records))
    classes = (
        cls._replace(fields=tuple(_renewed(each, game) for each in cls.fields))
        for cls in game.classes
    )
    return game._replace(classes=tuple(classes))
