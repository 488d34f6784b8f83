"""Find the classes whose objects contain more than their attributes, such as subclasses of `list`."""

from __future__ import annotations

import ast

from savegen.build.adopt.definitions import GameClass
from savegen.build.adopt.functions import is_value_class
from savegen.build.adopt.library import GENERIC, NAMED_TUPLES
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import CONTAINERS, InferredType, names
from savegen.build.kinds import SCALARS

AS_CLASS = "write it as a class of typing.NamedTuple, with the types of its fields"
_WITH_CONTENTS = {
    *CONTAINERS,
    *(each.name for each in SCALARS.values() if each.module == "builtins"),
    *("collections.ChainMap", "collections.UserDict"),
    *("collections.UserList", "collections.UserString"),
}


def problem(program: Program, cls: GameClass) -> str:
    """Return why marks cannot save all that objects of a class contain; `""` if they can."""
    if is_value_class(cls):
        return ""
    for owner in cls.ancestors:
        for node in owner.node.bases:
            base = _base(program, owner, node)
            if base in NAMED_TUPLES:
                return f"a call makes the base of `{owner.qualname}`; {AS_CLASS}"
            if _has_contents(base):
                last = base.rpartition(".")[2]
                return (
                    f"`{owner.qualname}` is a `{last}`, and savegen saves only attributes;"
                    " keep the contents in an attribute"
                )
    return ""


def _base(program: Program, cls: GameClass, node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        node = node.func
    full = program.named(node, cls.scope) or ""
    return GENERIC.get(full, full).removeprefix("builtins.")


def _has_contents(base: str) -> bool:
    return base in _WITH_CONTENTS or _is_group(base)


def has_group(type_: InferredType) -> bool:
    """Return whether a type has a container of sprites, which may be the only one with them."""
    return any(map(_is_group, names(type_)))


def _is_group(name: str) -> bool:
    last = name.rpartition(".")[2]
    in_pygame = name.startswith("pygame.sprite.") and last not in (
        "Sprite",
        "DirtySprite",
    )
    return in_pygame or name in ("arcade.SpriteList", "arcade.Scene")
