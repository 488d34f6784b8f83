"""Put together what `adopt` proposes: the marks of each file, and the questions that remain."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from savegen.build.adopt.attributes import Decision, Decisions, Place, Verdict
from savegen.build.adopt.inference import Inference
from savegen.build.adopt.observed import Observed
from savegen.build.adopt.program import Class, Program, is_saveable
from savegen.build.adopt.reach import Reached, Root, reach, roots
from savegen.build.adopt.spelling import Speller, Unspellable
from savegen.build.adopt.types import NONE, Type, spell
from savegen.build.codemod.mark import Marks
from savegen.build.resolve.settings import Settings


class Question(NamedTuple):
    """What a person must decide."""

    path: str
    line: int
    subject: str  # "Engine.mouse_location"
    problem: str
    choices: tuple[str, ...]


class FileMarks(NamedTuple):
    """The marks of one file, and the imports that their annotations need."""

    path: str
    marks: tuple[Marks, ...]
    type_imports: Mapping[str, tuple[str, ...]]


@dataclass
class Proposal:
    """The classes to mark, what becomes of their attributes, and the open questions."""

    program: Program
    roots: list[Root]
    reached: list[Reached]
    files: list[FileMarks] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def decisions(self) -> list[Decision]:
        return [d for r in self.reached for d in r.decisions]

    def without(self, refused: Mapping[tuple[str, str], str]) -> Proposal:
        """Return the proposal with some attributes turned into questions.

        `refused` has a reason for each attribute, by the full name of its class and its name.
        """
        reached = [
            each._replace(decisions=tuple(_refused(d, refused) for d in each.decisions))
            for each in self.reached
        ]
        return _put_together(self.program, self.roots, reached)


def _refused(decision: Decision, refused: Mapping[tuple[str, str], str]) -> Decision:
    reason = refused.get((decision.cls.name, decision.name))
    if reason is None or decision.verdict is Verdict.ASKED:
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
    start = [
        (cls, f"pickled in {p.path}:{p.line}") for p in places for cls in p.classes
    ]
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
    reached = []
    for cls in program.classes.values():
        if is_saveable(program, cls) and (paths is None or cls.module.path in paths):
            own = tuple(d for d in decisions.of(cls) if d.place in _ANNOTATED)
            reached.append(Reached(cls, "marked", own, False))
    return _put_together(program, [], reached)


_ANNOTATED = (Place.CLASS_ANNOTATION, Place.METHOD_ANNOTATION)


class UnknownRoot(Exception):
    """Raised if a name is neither a class nor a file of the game."""


def _named(program: Program, name: str) -> list[Class]:
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
    program: Program, places: list[Root], reached: list[Reached]
) -> Proposal:
    proposal = Proposal(program, places, reached)
    for place in places:
        if not place.classes:
            proposal.questions.append(_unknown_root(place))
    by_path: defaultdict[str, list[Reached]] = defaultdict(list)
    for each in reached:
        by_path[each.cls.module.path].append(each)
    for path, (line, reason) in sorted(program.unreadable.items()):
        problem = f"the file cannot be read: {reason}"
        choices = ("repair the file, and run savegen adopt again",)
        proposal.questions.append(Question(path, line, path, problem, choices))
    for path, members in sorted(by_path.items()):
        file = _of_file(program, path, members, proposal.questions)
        if file.marks:
            proposal.files.append(file)
    return proposal


def _unknown_root(place: Root) -> Question:
    return Question(
        place.path,
        place.line,
        place.text,
        "the type of the pickled object is unknown",
        ("annotate it", "name its class: `savegen adopt CLASS`"),
    )


def _of_file(
    program: Program, path: str, members: list[Reached], questions: list[Question]
) -> FileMarks:
    speller = Speller(program, members[0].cls.module)
    marks = []
    for each in members:
        if each.is_value:
            questions += _questions(each.decisions)
            continue
        marks.append(_of_class(program, speller, each, questions))
    imports = {
        module: tuple(sorted(names)) for module, names in speller.imports.items()
    }
    return FileMarks(path, tuple(m for m in marks if m is not None), imports)


def _of_class(
    program: Program, speller: Speller, each: Reached, questions: list[Question]
) -> Marks | None:
    cls = each.cls
    problem = ""
    if "<locals>" in cls.qualname:
        problem = "savegen cannot mark a class that a function defines"
        choices = ("move the class to the top level of its file",)
    elif cls.qualname in cls.module.repeated:
        problem = "the file defines this class several times"
        choices = ("mark the class that the game uses yourself",)
    if problem:
        questions.append(
            Question(cls.module.path, cls.node.lineno, cls.qualname, problem, choices)
        )
        return None
    questions += _questions(each.decisions)
    by_place: defaultdict[Place, list[str]] = defaultdict(list)
    written: defaultdict[Place, list[tuple[str, str]]] = defaultdict(list)
    for decision in each.decisions:
        if (
            decision.verdict is not Verdict.SAVED
            or decision.marked
            or decision.place is None
        ):
            continue
        by_place[decision.place].append(decision.name)
        if decision.place in (Place.NEW_LINE, Place.METHOD_ASSIGNMENT):
            assert decision.type is not None
            try:
                text = speller.annotation(decision.type, cls)
                written[decision.place].append((decision.name, text))
            except Unspellable as error:
                asked = decision._replace(verdict=Verdict.ASKED, reason=str(error))
                questions += _questions([asked])
    transient = (d.name for d in each.decisions if d.verdict is Verdict.TRANSIENT)
    is_marked = is_saveable(program, cls)
    return Marks(
        cls.qualname,
        not is_marked,
        () if is_marked else tuple(dict.fromkeys(transient)),
        tuple(by_place[Place.CLASS_ANNOTATION]),
        tuple(by_place[Place.METHOD_ANNOTATION]),
        tuple(written[Place.NEW_LINE]),
        tuple(written[Place.METHOD_ASSIGNMENT]),
        frozenset(d.name for d in each.decisions if d.setter),
    )


def _questions(decisions: Collection[Decision]) -> Iterator[Question]:
    """Group the attributes of each class by problem, and yield one question for each group."""
    groups: defaultdict[tuple[Class, str], list[Decision]] = defaultdict(list)
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
            (
                f"saved: {_declaration(members)}",
                f"rebuilt after a load: `@saveable(transient={transient})`",
            ),
        )


def _declaration(members: Sequence[Decision]) -> str:
    """Return how a person makes attributes saved."""
    first = members[0]
    before, after = "Saved[", "]"
    if first.setter:
        before, after = "Annotated[", ", Save(setter=True)]"
    mark = f"`{first.name}: {before}{_sketch(first.type)}{after}`"
    each = "" if len(members) == 1 else "each, as in "
    if first.name in first.cls.annotations:
        return f"annotate {each}{mark}"
    return f"declare {each}{mark} in the class"


def _sketch(type_: Type | None) -> str:
    """Return a type with `…` in place of what is unknown."""
    if type_ is None or type_.name == "?computing":
        return "…"
    if type_ == NONE:
        return "… | None"
    text = spell(type_, lambda full: full.rpartition(".")[2] or full)
    return re.sub(r"\?\w+", "…", text)
