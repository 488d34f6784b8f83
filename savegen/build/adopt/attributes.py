"""Decide for each attribute of a class: saved, constant, transient, or a question."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from functools import cache, partial
from typing import NamedTuple

from savegen.build.adopt import contents, engines
from savegen.build.adopt.functions import is_enum, is_protocol, is_value_class
from savegen.build.adopt.inference import Inference
from savegen.build.adopt.library import UNSPECIFIC
from savegen.build.adopt.observed import Observed, observed_type
from savegen.build.adopt.pickling import unpickled
from savegen.build.adopt.definitions import (
    GameClass,
    GameScope,
    GameValue,
    decorators,
)
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import (
    COMPUTING,
    CONTAINERS,
    EMPTY,
    NONE,
    InferredType,
    is_complete,
    names,
    union,
)
from savegen.build.adopt.unsavable import Unsavable
from savegen.build.kinds import GENERATORS, SCALARS
from savegen.build.resolve.settings import Settings


class Verdict(Enum):
    """What becomes of an attribute."""

    SAVED = "saved"
    CONSTANT = "constant"
    TRANSIENT = "transient"
    ASKED = "asked"


# The reason to ask for an attribute that methods assign to the class itself
OF_CLASS = "assigned on the class, so it belongs to no saved object"


class AttributePlace(Enum):
    """Where the mark of an attribute is written."""

    CLASS_ANNOTATION = "class annotation"  # wrapped in `Saved[…]`
    METHOD_ANNOTATION = "method annotation"  # becomes `Annotated[…, Save()]`
    NEW_LINE = "new line"  # a class-level `name: Saved[…]`
    METHOD_ASSIGNMENT = "method assignment"  # `self.name = …` gets an annotation


class Decision(NamedTuple):
    """One attribute of a class, and what becomes of it."""

    cls: GameClass
    name: str
    verdict: Verdict
    type: InferredType | None
    reason: str
    line: int
    place: AttributePlace | None = None
    marked: bool = False  # the source has the mark already
    setter: bool = False  # a property of an engine, which a load sets


_UNSPECIFIC = {name.rpartition(".")[2].lower() for name in UNSPECIFIC}
_LIBRARY_VALUES = frozenset({"numpy.ndarray", "weakref.ref", *GENERATORS})
_MARKS = frozenset(
    f"savegen.{name}" for name in ("Saved", "Save", "SaveOverride", "Asset", "saveable")
)


_NOT_OF_SPRITE = (
    "not state of the sprite; set it again in a method marked `@on_activate`"
)
_GROUP = (
    "a group of sprites: save the sprites in a list, and fill the group after a load"
)
_NO_PLACE = "the mark has no place: assign the attribute on a line of its own"


class Decisions:
    """Decides the attributes of classes, one class at a time."""

    def __init__(
        self,
        program: Program,
        inference: Inference,
        settings: Settings,
        observed: Observed = {},
    ) -> None:
        """`observed` has the types that attributes had while the game ran."""
        self._observed = observed
        self._program = program
        self._inference = inference
        self._settings = settings
        self._unsavable = Unsavable(program, settings)
        self._listed_of: dict[str, dict[str, int]] = {}
        self._unpickled = cache(unpickled)

    def of(self, cls: GameClass) -> Iterator[Decision]:
        """Yield the decisions for the attributes that a class adds to those of its bases."""
        declared = {
            name for base in cls.ancestors[1:] for name in self._attributes(base)
        }
        for name, line in sorted(
            self._attributes(cls).items(), key=lambda item: item[1]
        ):
            if name in declared and name not in cls.annotations:
                continue
            yield self._decide(cls, name, line)

    def _attributes(self, cls: GameClass) -> dict[str, int]:
        """Return the attributes of a class itself, and the line of the first statement of each."""
        if cls.name not in self._listed_of:
            self._listed_of[cls.name] = dict(self._listed(cls))
        return self._listed_of[cls.name]

    def _listed(self, cls: GameClass) -> Iterator[tuple[str, int]]:
        lines: dict[str, int] = {}
        for name, node in cls.annotations.items():
            lines[name] = node.lineno
        for name, value in cls.constants.items():
            lines.setdefault(name, value.lineno)
        for name, assignments in self._inference.own_assignments(cls).items():
            line = min(assignment.line for assignment in assignments)
            lines[name] = min(line, lines.get(name, line))
        lines = self._with_properties(cls, lines)
        methods = {name for base in cls.ancestors for name in base.methods}
        for name, line in lines.items():
            if name in methods or (name.startswith("__") and name.endswith("__")):
                continue
            yield name, line

    def _with_properties(self, cls: GameClass, lines: dict[str, int]) -> dict[str, int]:
        """Return the attributes with one property of the engine for those of the same state."""

        def saved(name: str) -> str:
            return engines.saved_property(self._settings, cls, name) or name

        declared = {name for base in cls.family for name in base.annotations}
        done = {saved(name) for name in declared}
        found = {
            name: line
            for name, line in lines.items()
            if name in declared or not engines.has_property(cls, name)
        }
        assigned = [
            name
            for name in engines.properties(cls)
            if self._inference.assignments(cls, name)
        ]
        own = [name for name in lines if name not in found]
        for name in (*engines.always_saved(cls), *assigned, *own):
            if saved(name) not in done:
                found.setdefault(saved(name), lines.get(name, cls.node.lineno))
        return found

    def _decide(self, cls: GameClass, name: str, line: int) -> Decision:
        decided = partial(Decision, cls, name, line=line)
        annotation = cls.annotations.get(name)
        declared = self._inference.declaration(cls, name)
        if declared is not None and (mark := self._existing(*declared)):
            return decided(*mark, marked=True)
        if name in _transients(cls):
            return decided(Verdict.TRANSIENT, None, "marked so", marked=True)
        if annotation is not None and _is_class_only(annotation.annotation):
            return decided(Verdict.CONSTANT, None, "ClassVar")
        stored = self._inference.assignments(cls, name)
        is_property = engines.has_property(cls, name)
        if is_property and not engines.saved_property(self._settings, cls, name):
            return decided(Verdict.TRANSIENT, None, _NOT_OF_SPRITE)
        if any(self._inference.class_assignments(cls, name)) and not stored:
            return decided(Verdict.ASKED, None, OF_CLASS)
        if not is_property and self._is_constant(cls, name, stored):
            return decided(Verdict.CONSTANT, None, "never assigned")
        type_ = self._inference.attribute(cls, name)
        if left_out := self._unpickled(cls).get(name):
            return decided(Verdict.TRANSIENT, type_, left_out)
        vague = declared[0] if declared is not None and type_ is None else None
        observed, seen = self._observed_type(cls, name, type_), ""
        if observed is not None and (type_ is None or not _is_known(type_)):
            type_, seen = observed, "seen while the game ran"
        if type_ is not None and contents.has_group(type_):
            return decided(Verdict.ASKED, type_, _GROUP)
        if reason := self._transient_reason(type_, stored):
            if observed is not None and self._has_savable(observed):
                doubt = f"{reason}; but a run saw other values"
                return decided(Verdict.ASKED, observed, doubt)
            return decided(Verdict.TRANSIENT, type_, reason)
        if type_ is not None and (doubt := self._unsavable.doubt(type_)):
            return decided(Verdict.ASKED, self._unsavable.rest(type_), doubt)
        place = self._place(cls, name, stored)
        question = _vagueness(vague) or self._question(cls, name, type_)
        if question is None and place is None:
            question = _NO_PLACE
        if question:
            return decided(Verdict.ASKED, type_, question, setter=is_property)
        return decided(Verdict.SAVED, type_, seen, place=place, setter=is_property)

    def _observed_type(
        self, cls: GameClass, name: str, type_: InferredType | None
    ) -> InferredType | None:
        """Return the type that an attribute had while the game ran; `None` if it had none.

        If the source does not give its whole type, the types that the source gives are added.
        """
        observed = observed_type(self._program, self._observed, cls, name)
        if observed is None or (type_ is not None and _is_known(type_)):
            return observed
        whole = union([observed, *self._inference.known(cls, name)])
        if whole is None or whole.name == "None":
            return None
        return self._inference.without_subclasses(whole)

    def _existing(
        self, annotation: ast.expr, scope: GameScope
    ) -> tuple[Verdict, InferredType | None, str] | None:
        """Return the verdict that the mark in an annotation gives, if it has one."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return None
        nodes = (n for n in ast.walk(annotation) if isinstance(n, ast.expr))
        if _MARKS.isdisjoint(self._program.named(n, scope) or "" for n in nodes):
            return None
        inner = annotation.slice if isinstance(annotation, ast.Subscript) else None
        if isinstance(inner, ast.Tuple):
            inner = inner.elts[0]
        return Verdict.SAVED, self._inference.annotated(inner, scope), "marked"

    def _is_constant(self, cls: GameClass, name: str, stored: list[GameValue]) -> bool:
        if stored or is_value_class(cls) or is_data_class(cls):
            return False
        annotation = cls.annotations.get(name)
        has_value = annotation is not None and annotation.value is not None
        return name in cls.constants or has_value

    def _transient_reason(
        self, type_: InferredType | None, stored: list[GameValue]
    ) -> str:
        if type_ is None and self._unsavable.are_resources(stored):
            return "made from resources of the running program"
        return self._unsavable.reason(type_)

    def _lacks_none(self, cls: GameClass, name: str, type_: InferredType) -> bool:
        """Return whether None is assigned to an attribute whose annotation has no None."""
        values = [
            assignment.value for assignment in self._inference.assignments(cls, name)
        ]
        if (annotation := cls.annotations.get(name)) is not None:
            values.append(annotation.value)
        is_none = (isinstance(v, ast.Constant) and v.value is None for v in values)
        return NONE not in type_.members and any(is_none)

    def _question(
        self, cls: GameClass, name: str, type_: InferredType | None
    ) -> str | None:
        """Return why a person must decide; `None` if the attribute can be marked."""
        if type_ is None or type_ is COMPUTING:
            return "the type is unknown"
        if self._lacks_none(cls, name, type_):
            return "its annotation lacks None, which is assigned to it"
        if EMPTY.name in names(type_):
            last = type_.name.rpartition(".")[2]
            return f"nothing shows what the {last} contains"
        if type_.name == "None":
            return "only None is assigned to it"
        if "cache" in name.lower() and type_.name in ("dict", "list", "set"):
            return "its name suggests a cache; can it be rebuilt after a load?"
        if not is_complete(type_):
            return "the type is unknown"
        problems = map(self._problem, sorted(names(type_)))
        return next(filter(None, problems), None)

    def _problem(self, name: str) -> str:
        """Return why values of a type cannot be saved as they are; `""` if they can."""
        if self._inference.is_named_tuple(name):
            return f"a call makes `{name.rpartition('.')[2]}`; {contents.AS_CLASS}"
        if not self._can_be_saved(name):
            return f"savegen has no codec for `{name}`"
        cls = self._program.class_named(name)
        return contents.problem(self._program, cls) if cls is not None else ""

    def _has_savable(self, type_: InferredType) -> bool:
        members = [member for member in type_.members if member != NONE]
        return any(all(map(self._can_be_saved, names(m))) for m in members)

    def _can_be_saved(self, name: str) -> bool:
        cls = self._program.class_named(name)
        if cls is not None:
            return not is_protocol(cls)
        if name in CONTAINERS or name in ("type", "...") or name in _LIBRARY_VALUES:
            return True
        full = name if "." in name or name == "None" else f"builtins.{name}"
        return full in SCALARS or self._settings.codec_of(name) is not None

    def _place(
        self, cls: GameClass, name: str, stored: list[GameValue]
    ) -> AttributePlace | None:
        if name in cls.annotations:
            return AttributePlace.CLASS_ANNOTATION
        own = self._inference.own_assignments(cls).get(name, [])
        if any(assignment.annotation is not None for assignment in own):
            return AttributePlace.METHOD_ANNOTATION
        plain = any(
            assignment.kind == "value" and assignment.scope.cls is cls
            for assignment in own
        )
        if is_data_class(cls):
            return AttributePlace.METHOD_ASSIGNMENT if plain else None
        if engines.has_property(cls, name):
            # Type checkers refuse a class-level annotation of an inherited property.
            if plain or engines.can_set_again(cls, name):
                return AttributePlace.METHOD_ASSIGNMENT
        if is_value_class(cls) or is_enum(cls):
            return None
        return AttributePlace.NEW_LINE


def _is_known(type_: InferredType) -> bool:
    """Return whether a type is complete, and more than None."""
    return is_complete(type_) and type_.name != "None"


def _vagueness(annotation: ast.expr | None) -> str:
    """Return the problem with an annotation that is too general."""
    if annotation is None:
        return ""
    text = ast.unparse(annotation)
    if text.rpartition(".")[2].lower() in _UNSPECIFIC:
        return f"`{text}` does not say what it contains"
    return f"savegen cannot save `{text}`, or does not know it"


def _transients(cls: GameClass) -> set[str]:
    """Return the names that `@saveable(transient=(…))` lists for a class and its bases."""
    return {
        node.value
        for base in cls.ancestors
        for decorator in base.node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg == "transient"
        for node in ast.walk(keyword.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _is_class_only(annotation: ast.expr) -> bool:
    text = ast.unparse(annotation)
    return any(word in text for word in ("ClassVar", "InitVar", "KW_ONLY"))


def is_data_class(cls: GameClass) -> bool:
    """Return whether a decorator makes fields of the class-level annotations."""
    names = {name.rpartition(".")[2] for name in decorators(cls.node)}
    return bool(names & {"dataclass", "define", "frozen", "mutable", "attrs", "s"})
