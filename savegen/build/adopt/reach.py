"""Find the classes whose objects a save contains, beginning with those that are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from savegen.build.adopt.attributes import (
    Decision,
    Decisions,
    Verdict,
)
from savegen.build.adopt.functions import is_enum, is_protocol, is_value_class
from savegen.build.adopt.definitions import GameClass
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import names


class ChosenClass(NamedTuple):
    """A class to mark, why, and what becomes of its attributes."""

    cls: GameClass
    reason: str
    decisions: tuple[Decision, ...]
    is_value: bool  # saved inside other objects, without a mark
    problem: str = ""  # why the class cannot be marked


def reach(
    program: Program, decisions: Decisions, start: Iterable[tuple[GameClass, str]]
) -> list[ChosenClass]:
    """Return the classes that a save of `start` contains, in the order of their files.

    `start` has classes and the reasons why they are saved. A base of a saved class is marked for
    its attributes; other subclasses of the base are not marked.
    """
    chosen: dict[str, ChosenClass] = {}
    followed: set[str] = set()  # the classes whose subclasses are saved, too
    waiting = [(cls, reason, True) for cls, reason in start]  # grows
    for cls, reason, with_subclasses in waiting:
        if is_enum(cls) or is_protocol(cls):
            continue
        if cls.name not in chosen:
            own = tuple(decisions.of(cls))
            chosen[cls.name] = ChosenClass(cls, reason, own, is_value_class(cls))
            waiting += [(other, why, True) for other, why in _types(program, cls, own)]
            waiting += [
                (base, f"base of {cls.qualname}", False)
                for base in cls.bases
                if _has_state(base)
            ]
        if with_subclasses and cls.name not in followed:
            followed.add(cls.name)
            why = f"subclass of {cls.qualname}"
            waiting += [(subclass, why, True) for subclass in cls.subclasses]
    return sorted(chosen.values(), key=lambda r: (r.cls.module.path, r.cls.node.lineno))


def _types(
    program: Program, cls: GameClass, own: Iterable[Decision]
) -> Iterator[tuple[GameClass, str]]:
    for decision in own:
        if decision.verdict is Verdict.SAVED and decision.type is not None:
            for part in sorted(names(decision.type)):
                if part in program.classes:
                    yield program.classes[
                        part
                    ], f"type of {cls.qualname}.{decision.name}"


def _has_state(cls: GameClass) -> bool:
    return any(base.annotations or "__init__" in base.methods for base in cls.ancestors)
