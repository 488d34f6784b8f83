"""Add the generated mixins to classes: the import and the base class, and nothing else."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst

from savegen.build.codemod.bases import move_first, put_first, replace_base
from savegen.build.codemod.imports import add_imports, replace_imports
from savegen.build.codemod.survey import (
    ClassStatement,
    NestedTooDeeply,
    NotReproduced,
    Execution,
    Survey,
)
from savegen.build.codemod.text import SourceText, Splice
from savegen.build.scan.expressions import dotted_name
from savegen.build.source import Undecodable


class CannotWire(ValueError):
    """Raised if a mixin cannot be added to a class; the file is unchanged then."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class Wiring:
    """One class, and the mixin that becomes its first base."""

    qualname: str  # "CameraArea", "Outer.Inner", "function.<locals>.Inner"
    module: str  # "mygame._savegen.components.camera"
    mixin: str  # "CameraAreaSaveLoad"
    type_arguments: tuple[str, ...] = ()  # ("T",) writes `BoxSaveLoad[T]`

    @property
    def base(self) -> str:
        """The base as it is written in the class statement."""
        arguments = f"[{', '.join(self.type_arguments)}]" if self.type_arguments else ""
        return self.mixin + arguments

    def is_mixin(self, target: str | None) -> bool:
        """Return whether `target`, an absolute or relative dotted name, is the mixin."""
        full = f"{self.module}.{self.mixin}"
        if target is None or not target.startswith("."):
            return target == full
        # The path of the file is unknown here, so a relative import counts if its names match.
        tail = target.lstrip(".")
        return "." in tail and full.endswith(f".{tail}")


def _never(target: str) -> bool:
    return False


def wire(
    data: bytes, wirings: Sequence[Wiring], is_old: Callable[[str], bool] = _never
) -> bytes:
    """Return the file with each mixin imported and made the first base of its class.

    All other bytes are kept, so that encoding, line ends and formatting stay the same. A file
    without missing mixins is returned unchanged.

    `is_old` returns whether an imported name, perhaps relative, is a mixin that is no longer
    generated, because its class was renamed or its file moved. It is removed from the classes
    of `wirings` and from the imports.

    Raises `CannotWire` if a class does not exist or exists twice, if the file uses the name of
    a mixin for something else, or if the file cannot be decoded, parsed or encoded.

    >>> camera = Wiring("Camera", "game._savegen.components.camera", "CameraSaveLoad")
    >>> print(wire(b"import pygame\\n\\n\\nclass Camera: ...\\n", [camera]).decode())
    import pygame
    <BLANKLINE>
    from game._savegen.components.camera import CameraSaveLoad
    <BLANKLINE>
    <BLANKLINE>
    class Camera(CameraSaveLoad): ...
    <BLANKLINE>
    """
    try:
        survey = Survey(SourceText(data))
        splices = _splices(survey, wirings, is_old)
        return survey.source.spliced(splices) if splices else data
    except Undecodable as error:
        raise CannotWire(error.reason, error.line) from None
    except cst.ParserSyntaxError as error:
        raise CannotWire("invalid syntax", error.raw_line) from None
    except NotReproduced:
        raise CannotWire("the rewritten file would not keep its layout") from None
    except NestedTooDeeply:
        raise CannotWire("the file is nested too deeply") from None


def _splices(
    survey: Survey, wirings: Sequence[Wiring], is_old: Callable[[str], bool]
) -> list[Splice]:
    splices: list[Splice] = []
    missing: defaultdict[str, set[str]] = defaultdict(set)
    before = len(survey.source.text)
    for wiring in dict.fromkeys(wirings):
        statement = class_named(survey, wiring.qualname)
        old = _old_base(statement, is_old)
        index = _base_index(statement, wiring)
        if index is not None and index == old:  # the class is in another file now
            old = None
        if _needs_import(survey, statement, wiring, index, is_old):
            missing[wiring.module].add(wiring.mixin)
            before = min(before, statement.start)
        if old is not None:
            splices += replace_base(survey, statement.node, old, index, wiring.mixin)
        elif index is None:
            splices += put_first(survey, statement.node, wiring.base)
        elif index > 0:
            splices += move_first(survey, statement.node, index)
    names = {module: [*mixins] for module, mixins in missing.items()}
    if not splices and not names:
        return []
    splices += replace_imports(survey, is_old, names)
    return [*splices, *add_imports(survey, names, before)]


def _old_base(statement: ClassStatement, is_old: Callable[[str], bool]) -> int | None:
    """Return the position of a base that is no longer generated; None if there is none."""
    for index in range(len(statement.node.bases)):
        name = _base_name(statement, index)
        if name and any(map(is_old, statement.imported_names(name))):
            return index
    return None


def class_named(survey: Survey, qualname: str) -> ClassStatement:
    """Return the class statement with a name. Raises `CannotWire` if there is not exactly one."""
    name = unicodedata.normalize("NFKC", qualname)
    statements = [
        statement
        for statement in survey.classes
        if unicodedata.normalize("NFKC", statement.qualname) == name
    ]
    if not statements:
        raise CannotWire(f"the file has no class `{qualname}`")
    lines = [survey.source.line_number(statement.start) for statement in statements]
    if len(statements) > 1:
        reason = f"class `{qualname}` is defined twice, first on line {lines[0]}"
        raise CannotWire(reason, lines[1])
    return statements[0]


def _base_index(statement: ClassStatement, wiring: Wiring) -> int | None:
    """Return the position of the mixin among the bases of the class; None if it is no base."""
    for index in range(len(statement.node.bases)):
        name = _base_name(statement, index)
        if name is None:
            continue
        full_names = statement.imported_names(name)
        if name == wiring.mixin or any(map(wiring.is_mixin, full_names)):
            return index
    return None


def _base_name(statement: ClassStatement, index: int) -> str | None:
    """Return the dotted name of a base without type arguments; None for other expressions."""
    argument = statement.node.bases[index]
    value = argument.value
    if isinstance(value, cst.Subscript):
        value = value.value
    return None if argument.star else dotted_name(value)


def _needs_import(
    survey: Survey,
    statement: ClassStatement,
    wiring: Wiring,
    index: int | None,
    is_old: Callable[[str], bool],
) -> bool:
    if index is not None and _base_name(statement, index) != wiring.mixin:
        return False
    found = statement.scope.lookup(wiring.mixin)
    bindings = [b for b in found if b.target is None or not is_old(b.target)]
    ours = [b for b in bindings if wiring.is_mixin(b.target)]
    others = [b for b in bindings if b not in ours]
    # If the mixin is a base already, an import that may be executed is enough.
    required = Execution.ALWAYS if index is None else Execution.MAYBE
    is_imported = any(b.execution >= required and statement.is_after(b) for b in ours)
    if len(bindings) < len(found) and not bindings:
        return True
    if is_imported and (index is not None or not others):
        return False
    # An import at the top would have no effect where an inner scope binds the name.
    hiding = others or [b for b in ours if b.scope.parent]
    if hiding:
        line = survey.source.line_number(hiding[0].start)
        raise CannotWire(
            f"the file uses the name `{wiring.mixin}` for something else", line
        )
    return not _is_star_imported(statement, wiring)


def _is_star_imported(statement: ClassStatement, wiring: Wiring) -> bool:
    return any(
        binding.target == wiring.module
        and binding.execution is Execution.ALWAYS
        and statement.is_after(binding)
        for binding in statement.scope.lookup("*")
    )
