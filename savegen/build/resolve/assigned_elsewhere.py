"""Find the attributes in class bodies that code assigns for single objects, or for the class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from savegen.build.model import ForgottenAttribute, SharedAttribute, upper_snake
from savegen.build.resolve.presets import LIBRARIES
from savegen.build.scan.assignments import Assignment, Assignments
from savegen.findings import Span

# Types that say nothing about the class of an object.
_VAGUE = frozenset(("Any", "object"))
# Attributes that objects of libraries have: an assignment to one shows nothing by itself.
_LIBRARY_ATTRIBUTES = frozenset(
    "x y z w h r g b a size center title text name value type key".split()
).union(
    name
    for library in LIBRARIES.values()
    for properties in library.properties.values()
    for name in properties
)


def assigned_elsewhere(
    shared: Iterable[SharedAttribute],
    assignments: Mapping[str, Assignments],
    is_module: Callable[[str], bool],
) -> Iterator[tuple[ForgottenAttribute, Span, bool]]:
    """Yield the shared attributes that are assigned, each with the first place.

    The last item is whether the class has the new value, and no object has. `assignments` are
    those of each module; `is_module` returns whether the project has a module.
    """
    shared = list(shared)
    families: dict[Span, set[str]] = {}
    for each in shared:
        families.setdefault(each.forgotten.span, set()).update(each.family)
    by_name: dict[str, list[Assignment]] = {}
    owners: dict[str, set[str]] = {}
    for file in assignments.values():
        for assignment in file.found:
            if not (assignment.imported and is_module(assignment.imported)):
                by_name.setdefault(assignment.attribute, []).append(assignment)
        for name, owner in file.owners:
            owners.setdefault(name, set()).add(owner)
    for each in shared if by_name else ():
        name, family = each.forgotten.attribute, families[each.forgotten.span]
        is_ambiguous = name in _LIBRARY_ATTRIBUTES or owners.get(name, set()) - family
        fitting = [
            assignment.span
            for assignment in by_name.get(name, ())
            if not (assignment.to_class or each.is_class_variable)
            and _fits(assignment, family, bool(is_ambiguous))
        ]
        to_class = [a for a in by_name.get(name, ()) if _is_of_class(a, each)]
        if fitting and each.is_own:
            yield each.forgotten, min(fitting), False
        elif to_class and each.is_own:
            if each.rebuilding.isdisjoint(a.method for a in to_class):
                yield each.forgotten, min(a.span for a in to_class), True


def _is_of_class(assignment: Assignment, shared: SharedAttribute) -> bool:
    """Return whether a function assigns a shared attribute of a class itself."""
    if not assignment.to_class or shared.family.isdisjoint(assignment.types):
        return False
    own = (shared.forgotten.span.path, shared.forgotten.cls_span.path)
    return not assignment.is_local or assignment.span.path in own


def _fits(assignment: Assignment, family: set[str], is_ambiguous: bool) -> bool:
    """Return whether an assignment is probably one to an object of a family of classes."""
    types = _VAGUE.isdisjoint(assignment.types) and assignment.types
    if types:
        return not family.isdisjoint(types)
    words = _words(assignment.object)
    return not is_ambiguous or any(words & _words(name) for name in family)


def _words(name: str) -> set[str]:
    """Return the words in a name, as singulars: {"orc", "warrior"} of `OrcWarrior`."""
    words = upper_snake(name).lower().rstrip("0123456789").split("_")
    return {word.removesuffix("s") for word in words if word}
