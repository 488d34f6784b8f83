"""What a Recorder does: its behaviours, and the methods that save and load them."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import HOOKS, BehaviorMark
from savegen.build.resolve.lineage import Lineage, is_member
from savegen.build.resolve.names import UNREAD, ClassSymbol, mangled
from savegen.build.scan.declarations import Call, Constant, Expression, Name
from savegen.findings import Span

_WORDS = ("serializer", "deserializer")
_RECORDER = "savegen.Recorder"


def hooks_of(name: str, lineage: Lineage) -> Iterator[tuple[str, str]]:
    """Yield mark and method of each hook of a class, once; those of its bases come first.

    A method that overrides a hook is a hook, too, marked again or not; `wake = None` ends it.
    """
    found: dict[str, set[str]] = {}
    chain = list(lineage.declarations(name))
    for symbol in reversed(chain):
        for method in symbol.declaration.methods:
            if method.decorators:
                words = lineage.names_of(symbol, method.decorators)
                marks = {word.removeprefix("savegen.") for word in words if word}
                attribute = mangled(method.name, symbol.declaration.name)
                found.setdefault(attribute, set()).update(marks.intersection(HOOKS))
    for attribute, marks in found.items():
        if not _is_none(attribute, chain):
            yield from ((mark, attribute) for mark in HOOKS if mark in marks)


def _is_none(stored: str, chain: list[ClassSymbol]) -> bool:
    """Return whether the nearest class that has an attribute sets it to `None`."""
    for _, declaration in chain:
        for each in declaration.attributes:
            if each.method is None and mangled(each.name, declaration.name) == stored:
                return each.default == Constant("None")
        methods = declaration.methods
        if any(mangled(each.name, declaration.name) == stored for each in methods):
            return False
    return False


def is_recorder(name: str, lineage: Lineage) -> bool:
    """Tell whether a class inherits from Recorder, or may: a base of it is not known."""
    mro = lineage.mro(name)
    return _RECORDER in mro or any(base.startswith("?") for base in mro)


def marks_of(name: str, lineage: Lineage) -> list[BehaviorMark]:
    """Return the marks of a class's methods, those of its bases first.

    A method that a subclass writes again keeps its marks, unless it has others there.
    """
    found: dict[str, list[BehaviorMark]] = {}
    for symbol in reversed(list(lineage.declarations(name))):
        here: dict[str, list[BehaviorMark]] = {}
        for mark in _marks_in(symbol, symbol.name == name, lineage):
            here.setdefault(mark.method, []).append(mark)
        found |= here
    return [mark for marks in found.values() for mark in marks]


def behaviors_of(marks: list[BehaviorMark]) -> Iterator[tuple[str, str, str]]:
    """Yield each behaviour that can be saved and loaded, with the methods for that."""
    methods = {(mark.behavior, mark.word): mark.method for mark in reversed(marks)}
    for behavior in dict.fromkeys(mark.behavior for mark in marks):
        pair = [methods.get((behavior, word)) for word in _WORDS]
        if behavior and pair[0] and pair[1]:
            yield behavior, pair[0], pair[1]


def named_behaviors(
    symbol: ClassSymbol, marks: list[BehaviorMark], lineage: Lineage
) -> Iterator[tuple[str, Span]]:
    """Yield the members of each enumeration of behaviours that is written inside a class.

    It is one if it is called so, or if the marks are about it.
    """
    prefix = f"{symbol.declaration.qualname}."
    used = {mark.behavior.rpartition(".")[0] for mark in marks}
    for inner in symbol.module.classes:
        qualname = inner.qualname
        if qualname == f"{prefix}Behaviors" or qualname in used:
            enum = ClassSymbol(symbol.module, inner)
            if qualname.startswith(prefix) and lineage.is_enum(enum.name):
                yield from _places(enum)


def _places(enum: ClassSymbol) -> Iterator[tuple[str, Span]]:
    names = _members(enum)
    for attribute in enum.declaration.attributes:
        if names.get(attribute.name) == attribute.name:
            yield f"{enum.declaration.qualname}.{attribute.name}", attribute.span


def _marks_in(
    symbol: ClassSymbol, own: bool, lineage: Lineage
) -> Iterator[BehaviorMark]:
    for method in symbol.declaration.methods:
        if not method.decorators:
            continue
        attribute = mangled(method.name, symbol.declaration.name)
        words = lineage.names_of(symbol, method.decorators)
        for decorator, word in zip(method.decorators, words, strict=True):
            mark = (word or "").removeprefix("savegen.")
            if mark in _WORDS and word != mark:
                behavior = _behavior(decorator, symbol, lineage)
                if behavior is not None:
                    yield BehaviorMark(mark, attribute, behavior, method.span, own)


def _behavior(
    decorator: Expression, symbol: ClassSymbol, lineage: Lineage
) -> str | None:
    """Return what a mark is about; "" if that cannot be read, `None` if its file cannot."""
    match decorator:
        case Call(_, (Name(dotted),), ()):
            pass
        case Call(_, (), (("behavior", Name(dotted)),)):
            pass
        case _:
            return ""
    owner, _, member = dotted.rpartition(".")
    name = _class_named(owner, symbol, lineage) if owner else None
    if name and name.startswith(UNREAD):
        return None
    enum = lineage.class_named(name or "")
    if enum is None or not lineage.is_enum(enum.name):
        return ""
    canonical = _members(enum).get(member)
    return f"{enum.declaration.qualname}.{canonical}" if canonical else ""


def _class_named(dotted: str, symbol: ClassSymbol, lineage: Lineage) -> str | None:
    """Return the class that a name means inside a class; it may be inherited by another."""
    if found := lineage.named(dotted, symbol):
        return found
    outer, _, last = dotted.rpartition(".")
    owner = _class_named(outer, symbol, lineage) if outer else None
    for base in lineage.mro(owner) if owner else ():
        if inner := lineage.class_named(f"{base}.{last}"):
            return inner.name
    return None


def _members(enum: ClassSymbol) -> dict[str, str]:
    """Return the members of an enumeration; one with the value of another is that one."""
    found: dict[str, str] = {}
    values: dict[object, str] = {}
    for attribute in enum.declaration.attributes:
        name = attribute.name
        if not is_member(attribute) or name.startswith("_"):  # hidden: none of ours
            continue
        match attribute.default:
            case Constant() as constant:
                found[name] = values.setdefault(constant.value, name)
            case Name(other) if other in found:
                found[name] = found[other]
            case _:
                found[name] = name
    return found
