"""Add the generated mixins to classes: the import and the base class, and nothing else."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

import libcst as cst

from savegen.build.codemod.bases import (
    move_first,
    put_first,
    remove_bases,
    replace_bases,
)
from savegen.build.codemod.imports import add_imports, replace_imports, stale_imports
from savegen.build.codemod.survey import (
    CannotEdit,
    ClassStatement,
    Execution,
    Survey,
    editing,
)
from savegen.build.codemod.text import SourceText, Splice
from savegen.build.scan.expressions import dotted_name
from savegen.build.scan.generated import SUFFIX


@dataclass(frozen=True)
class Wiring:
    """One class, and the mixin that becomes its first base."""

    qualname: str  # "CameraArea", "Outer.Inner", "function.<locals>.Inner"
    module: str  # "mygame._savegen.components.camera"
    mixin: str  # "CameraAreaSaveLoad"

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


def _nowhere(name: str) -> str:
    return ""


def wire(
    data: bytes,
    wirings: Sequence[Wiring],
    is_old: Callable[[str], bool] = _never,
    home_of: Callable[[str], str] = _nowhere,
) -> bytes:
    """Return the file with each mixin imported and made the first base of its class.

    All other bytes are kept, so that encoding, line ends and formatting stay the same. A file
    without missing mixins is returned unchanged.

    `is_old` returns whether an imported name, perhaps relative, is a mixin that is no longer
    generated, because its class was renamed, moved or unmarked. A name that ends in `.*` is a
    whole module. Old mixins are removed from all classes of the file. So are their imports,
    unless the file uses them for something else. `home_of` returns the module that has such
    a name now, or "": an import that is still needed is corrected.

    Raises `CannotEdit` if a class does not exist or exists twice, if the file uses the name of
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
    with editing():
        survey = Survey(SourceText(data))
        splices = _splices(survey, wirings, is_old, home_of)
        return _spliced(survey, splices) if splices else data


def _spliced(survey: Survey, splices: Sequence[Splice]) -> bytes:
    """Return the file after the changes. It is parsed again if any of them removes text."""
    data = survey.source.spliced(splices)
    if any(splice.end > splice.start for splice in splices):
        cst.parse_module(SourceText(data).text)
    return data


def _splices(
    survey: Survey,
    wirings: Sequence[Wiring],
    is_old: Callable[[str], bool],
    home_of: Callable[[str], str],
) -> list[Splice]:
    wiring_of = {class_named(survey, each.qualname): each for each in wirings}
    splices: list[Splice] = []
    missing: defaultdict[str, set[str]] = defaultdict(set)
    before = len(survey.source.text)
    removed: list[cst.CSTNode] = []
    for statement in survey.classes:
        wiring = wiring_of.get(statement)
        old = _old_bases(statement, is_old)
        index = _base_index(statement, wiring) if wiring else None
        if wiring and _needs_import(survey, statement, wiring, index, is_old):
            missing[wiring.module].add(wiring.mixin)
            before = min(before, statement.start)
        old -= {index}  # it may have the same name as the new one
        removed += [statement.node.bases[position] for position in old]
        splices += _new_bases(survey, statement.node, wiring, index, old)
    stale = stale_imports(survey, is_old, removed, missing, home_of)
    for each in stale:
        for module, name in each.moved_names(survey):
            missing[module].add(name)
            before = min(before, survey.end(each.statement))
    names = {module: [*mixins] for module, mixins in missing.items()}
    splices += replace_imports(survey, stale, names)
    return [*splices, *add_imports(survey, names, before)]


def _new_bases(
    survey: Survey,
    node: cst.ClassDef,
    wiring: Wiring | None,
    index: int | None,
    old: Set[int],
) -> Iterator[Splice]:
    """Yield the changes that remove the `old` bases and put the mixin, now at `index`, first."""
    if index is not None and not {*range(index)} <= old:
        yield from move_first(survey, node, index, old)
    elif wiring and index is None and old:
        yield from replace_bases(survey, node, old, wiring.mixin)
    elif wiring and index is None:
        yield from put_first(survey, node, wiring.mixin)
    elif old:
        yield from remove_bases(survey, node, old)


def _old_bases(statement: ClassStatement, is_old: Callable[[str], bool]) -> set[int]:
    """Return the positions of the bases that are no longer generated."""
    return {
        index
        for index in range(len(statement.node.bases))
        if _is_old_name(statement, _base_name(statement, index), is_old)
    }


def _is_old_name(
    statement: ClassStatement, name: str | None, is_old: Callable[[str], bool]
) -> bool:
    """Return whether a name in the list of bases surely means an old mixin."""
    if name is None:
        return False
    first, dot, rest = name.partition(".")
    if bindings := statement.scope.lookup(first):
        targets = [b.imported and b.imported + dot + rest for b in bindings]
        return all(target and is_old(target) for target in targets)
    stars = statement.scope.lookup("*")
    is_mixin = name.endswith(SUFFIX)  # other names may come from elsewhere
    return (
        bool(stars)
        and is_mixin
        and all(is_old(f"{star.imported}.{name}") for star in stars)
    )


def class_named(survey: Survey, qualname: str) -> ClassStatement:
    """Return the class statement with a name. Raises `CannotEdit` if there is not exactly one."""
    name = unicodedata.normalize("NFKC", qualname)
    statements = [
        statement
        for statement in survey.classes
        if unicodedata.normalize("NFKC", statement.qualname) == name
    ]
    if not statements:
        raise CannotEdit(f"the file has no class `{qualname}`")
    lines = [survey.source.line_number(statement.start) for statement in statements]
    if len(statements) > 1:
        reason = f"class `{qualname}` is defined twice, first on line {lines[0]}"
        raise CannotEdit(reason, lines[1])
    return statements[0]


def _base_index(statement: ClassStatement, wiring: Wiring) -> int | None:
    """Return the position of the mixin among the bases of the class; None if it is not a base."""
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
    bindings = [b for b in found if b.imported is None or not is_old(b.imported)]
    ours = [b for b in bindings if wiring.is_mixin(b.imported)]
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
        raise CannotEdit(
            f"the file uses the name `{wiring.mixin}` for something else", line
        )
    return not _is_star_imported(statement, wiring)


def _is_star_imported(statement: ClassStatement, wiring: Wiring) -> bool:
    return any(
        binding.imported == wiring.module
        and binding.execution is Execution.ALWAYS
        and statement.is_after(binding)
        for binding in statement.scope.lookup("*")
    )
