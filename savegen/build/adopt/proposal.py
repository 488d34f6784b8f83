"""Put together what `adopt` proposes: the marks of each file, and the questions that remain."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from savegen.build.adopt import contents
from savegen.build.adopt.attributes import (
    OF_CLASS,
    Decision,
    Decisions,
    AttributePlace,
    Verdict,
)
from savegen.build.adopt.inference import Inference
from savegen.build.adopt.observed import Observed
from savegen.build.adopt.definitions import GameClass
from savegen.build.adopt.program import Program, is_saveable
from savegen.build.adopt.reach import ChosenClass, reach
from savegen.build.adopt.roots import Root, roots
from savegen.build.adopt.spelling import Speller, Unspellable
from savegen.build.adopt.types import NONE, InferredType, spell
from savegen.build.codemod.mark import Marks
from savegen.build.resolve.settings import Settings


class Question(NamedTuple):
    """What a person must decide."""

    path: str
    line: int
    subject: str  # "Engine.mouse_location"
    problem: str
    choices: tuple[str, ...]


@dataclass
class Proposal:
    """The classes to mark, what becomes of their attributes, and the open questions."""

    program: Program
    roots: list[Root]
    classes: list[ChosenClass]
    marks: dict[str, list[Marks]] = field(default_factory=dict)  # by path of the file
    questions: list[Question] = field(default_factory=list)

    @property
    def is_new(self) -> bool:
        """Whether a mark is not in the source yet."""
        return any(marks.names for file in self.marks.values() for marks in file)

    @property
    def decisions(self) -> list[Decision]:
        return [d for r in self.classes for d in r.decisions]

    def without(self, refused: Mapping[tuple[str, str], str]) -> Proposal:
        """Return the proposal with some attributes and classes turned into questions.

        `refused` has a reason for each, by the full name of the class and the name of the
        attribute; that name is empty for a class that cannot be marked at all.
        """
        chosen = [
            each._replace(
                problem=refused.get((each.cls.name, ""), each.problem),
                decisions=tuple(_refused(d, refused) for d in each.decisions),
            )
            for each in self.classes
        ]
        return _put_together(self.program, self.roots, chosen)


def _refused(decision: Decision, refused: Mapping[tuple[str, str], str]) -> Decision:
    reason = refused.get((decision.cls.name, decision.name))
    # The answer needs another type than the refused one.
    return decision if reason is None else _asked(decision, reason)._replace(type=None)


def _asked(decision: Decision, reason: str) -> Decision:
    if decision.verdict is Verdict.ASKED:
        return decision
    return decision._replace(verdict=Verdict.ASKED, reason=reason, place=None)


def propose(
    program: Program,
    settings: Settings,
    named: Iterable[str] = (),
    observed: Observed = {},
) -> Proposal:
    """Return the marks for the classes that a game pickles, or for the `named` ones.

    A name is that of a class (`World`, `mygame.world.World`), or the path of a file or
    folder. `observed` has the types that attributes had while the game ran.
    Raises `UnknownRoot` for a name that is neither.
    """
    inference = Inference(program)
    places = [] if named else [*roots(program, inference)]
    start = [(cls, place.reason) for place in places for cls in place.classes]
    for name in named:
        start += [(cls, "named") for cls in _named(program, name)]
    decisions = Decisions(program, inference, settings, observed)
    return _put_together(program, places, reach(program, decisions, start))


def mark_annotations(
    program: Program, settings: Settings, paths: Collection[str] | None = None
) -> Proposal:
    """Return the marks for the annotated attributes of classes that are `@saveable` already.

    `paths` limits the files; `None` means all.
    """
    decisions = Decisions(program, Inference(program), settings)
    chosen = []
    for cls in program.classes.values():
        if is_saveable(program, cls) and (paths is None or cls.module.path in paths):
            own = tuple(d for d in decisions.of(cls) if d.place in _ANNOTATED)
            chosen.append(ChosenClass(cls, "marked", own, False))
    return _put_together(program, [], chosen)


_ANNOTATED = (AttributePlace.CLASS_ANNOTATION, AttributePlace.METHOD_ANNOTATION)


class UnknownRoot(Exception):
    """Raised if a name is neither a class nor a file of the game."""


def _named(program: Program, name: str) -> list[GameClass]:
    found = [
        cls
        for cls in program.classes.values()
        if name in (cls.name, cls.qualname, cls.node.name)
        or cls.module.path == name
        or cls.module.path.startswith(f"{name.rstrip('/')}/")
        or name == "."
    ]
    if not found:
        raise UnknownRoot(name)
    return found


def _put_together(
    program: Program, places: list[Root], chosen: list[ChosenClass]
) -> Proposal:
    proposal = Proposal(program, places, [])
    proposal.questions += [_unknown_root(p) for p in places if not p.classes]
    for path, (line, reason) in sorted(program.unreadable.items()):
        problem = f"the file cannot be read: {reason}"
        choices = ("repair the file, and run savegen adopt again",)
        proposal.questions.append(Question(path, line, path, problem, choices))
    for each in chosen:
        each, marks = _marked(program, each)
        proposal.classes.append(each)
        proposal.questions += _questions_of(each)
        if marks is not None:
            proposal.marks.setdefault(each.cls.module.path, []).append(marks)
    return proposal


def _unknown_root(place: Root) -> Question:
    return Question(
        place.path,
        place.line,
        place.text,
        "the type of the pickled object is unknown",
        ("annotate it", "name its class: `savegen adopt CLASS`"),
    )


def _marked(program: Program, each: ChosenClass) -> tuple[ChosenClass, Marks | None]:
    """Return the class with only those decisions that its marks carry out, and these marks."""
    if each.is_value:
        return each, None
    each = each._replace(problem=each.problem or _problem(program, each.cls))
    if each.problem:
        asked = [_asked(d, each.problem) if _is_new(d) else d for d in each.decisions]
        return each._replace(decisions=tuple(asked)), None
    speller = Speller(program, each.cls.module)
    texts: dict[str, str] = {}
    own = tuple(_spelled(decision, speller, texts) for decision in each.decisions)
    return each._replace(decisions=own), _marks(program, each.cls, own, speller, texts)


def _problem(program: Program, cls: GameClass) -> str:
    if "<locals>" in cls.qualname:
        return "a function defines the class; move it to the top level of its file"
    if cls.qualname in cls.module.repeated:
        return "the file defines this class several times"
    return "" if is_saveable(program, cls) else contents.problem(program, cls)


def _is_new(decision: Decision) -> bool:
    """Return whether an attribute is saved by a mark that is not in the source yet."""
    return decision.verdict is Verdict.SAVED and not decision.marked


def _spelled(decision: Decision, speller: Speller, texts: dict[str, str]) -> Decision:
    """Add the annotation that a new mark needs to `texts`; ask if there is none."""
    if not _is_new(decision) or decision.place in _ANNOTATED:
        return decision
    assert decision.type is not None
    try:
        texts[decision.name] = speller.annotation(decision.type, decision.cls)
    except Unspellable as error:
        return _asked(decision, str(error))
    return decision


def _marks(
    program: Program,
    cls: GameClass,
    decisions: Sequence[Decision],
    speller: Speller,
    texts: Mapping[str, str],
) -> Marks:
    names: defaultdict[AttributePlace | None, list[str]] = defaultdict(list)
    for decision in filter(_is_new, decisions):
        names[decision.place].append(decision.name)
    transient = (d.name for d in decisions if d.verdict is Verdict.TRANSIENT)
    is_marked = is_saveable(program, cls)
    return Marks(
        cls.qualname,
        not is_marked,
        () if is_marked else tuple(dict.fromkeys(transient)),
        tuple(names[AttributePlace.CLASS_ANNOTATION]),
        tuple(names[AttributePlace.METHOD_ANNOTATION]),
        tuple((name, texts[name]) for name in names[AttributePlace.NEW_LINE]),
        tuple((name, texts[name]) for name in names[AttributePlace.METHOD_ASSIGNMENT]),
        frozenset(d.name for d in decisions if d.setter),
        tuple((m, n) for m, names in speller.imports.items() for n in sorted(names)),
    )


def _questions_of(each: ChosenClass) -> Iterator[Question]:
    if not each.problem:
        yield from _questions(each.decisions)
        return
    cls, problem = each.cls, f"savegen cannot mark it: {each.problem}"
    choices = ("change that, and run savegen adopt again", "mark the class yourself")
    yield Question(cls.module.path, cls.node.lineno, cls.qualname, problem, choices)


def _questions(decisions: Collection[Decision]) -> Iterator[Question]:
    """Group the attributes of each class by problem, and yield one question for each group."""
    groups: defaultdict[tuple[GameClass, str], list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.verdict is Verdict.ASKED:
            groups[decision.cls, decision.reason].append(decision)
    unsaved = [d.name for d in decisions if d.verdict is Verdict.TRANSIENT]
    for (cls, reason), members in groups.items():
        names = [decision.name for decision in members]
        listed = ", ".join(f'"{name}"' for name in dict.fromkeys([*unsaved, *names]))
        transient = f"({listed})" if "," in listed else f"({listed},)"
        yield Question(
            cls.module.path,
            members[0].line,
            ", ".join([f"{cls.qualname}.{names[0]}", *names[1:]]),
            reason,
            _choices(members, reason, f"`@saveable(transient={transient})`"),
        )


_OF_CLASS = (
    "a reference to the object itself: assign it in a method marked `@on_activate`, too",
    "state: keep it in the object that holds your state",
)


def _choices(members: Sequence[Decision], reason: str, unsaved: str) -> tuple[str, ...]:
    if reason == OF_CLASS:
        return *_OF_CLASS, f"needed by no save: {unsaved}"
    return f"saved: {_declaration(members)}", f"rebuilt after a load: {unsaved}"


def _declaration(members: Sequence[Decision]) -> str:
    """Return how a person makes attributes saved."""
    first = members[0]
    if first.type is not None and contents.has_group(first.type):
        return f'name the group, which saves its sprites: `manager.groups["{first.name}"] = …`'
    before, after = "Saved[", "]"
    if first.setter:
        before, after = "Annotated[", ", Save(setter=True)]"
    mark = f"`{first.name}: {before}{_sketch(first.type)}{after}`"
    each = "" if len(members) == 1 else "each, as in "
    if first.setter:
        return f"annotate {each}`self.{first.name}: {before}{_sketch(first.type)}{after} = …`"
    if first.name in first.cls.annotations:
        return f"annotate {each}{mark}"
    return f"declare {each}{mark} in the class"


def _sketch(type_: InferredType | None) -> str:
    """Return a type with `…` in place of what is unknown."""
    if type_ is None or type_.name == "?computing":
        return "…"
    if type_ == NONE:
        return "… | None"
    text = spell(type_, lambda full: full.rpartition(".")[2] or full)
    return re.sub(r"\?\w+", "…", text)
