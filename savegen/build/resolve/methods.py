"""Find the marked methods of a class: hooks, serializers and deserializers.

Also find the methods that a field may hold as bound methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.model import HOOKS, BehaviorMark, HookFault
from savegen.build.resolve.hierarchy import ClassHierarchy, is_member
from savegen.build.resolve.names import UNREAD, ClassSymbol
from savegen.build.scan.declarations import (
    OVERRIDES,
    Call,
    Constant,
    Expression,
    Method,
    Name,
)
from savegen.findings import Span

_ROLES = ("serializer", "deserializer")
_RECORDER = "savegen.Recorder"


def hooks_of(name: str, hierarchy: ClassHierarchy) -> Iterator[tuple[str, str]]:
    """Yield the mark and the method name of each hook of a class, those of its bases first.

    A method that overrides a hook is a hook too, even without the mark. `wake = None` in a
    subclass removes the hook `wake`.
    """
    marks_of_methods: dict[str, set[str]] = {}
    classes = list(hierarchy.declarations(name))
    for symbol in reversed(classes):
        for method in symbol.declaration.methods:
            if method.decorators:
                full_names = hierarchy.full_names(symbol, method.decorators)
                marks = {n.removeprefix("savegen.") for n in full_names if n}
                attribute = symbol.mangled_name(method.name)
                marks_of_methods.setdefault(attribute, set()).update(
                    marks.intersection(HOOKS)
                )
    for attribute, marks in marks_of_methods.items():
        if not _is_none(attribute, classes):
            yield from ((mark, attribute) for mark in HOOKS if mark in marks)


def wrong_hooks_of(
    name: str,
    hooks: Iterable[tuple[str, str]],
    hierarchy: ClassHierarchy,
    override: bool,
) -> Iterator[HookFault]:
    """Yield the hooks that savegen cannot call: static, async, or with other parameters.

    With `override`, also the `save_data` and `load_data` that the class writes.
    """
    classes = list(hierarchy.declarations(name))
    own = [(method, method) for method in OVERRIDES if override]
    for mark, attribute in (*hooks, *own):
        for symbol, method in _defined(attribute, classes):
            if fault := _fault(symbol, method, mark, hierarchy):
                called = f"{symbol.declaration.qualname}.{method.name}"
                yield HookFault(called, mark, fault, method.span)


def _defined(
    attribute: str, classes: list[ClassSymbol]
) -> list[tuple[ClassSymbol, Method]]:
    """Return the method of this name that the objects of a class have, with its class."""
    return [
        (symbol, method)
        for symbol in classes
        for method in symbol.declaration.methods
        if symbol.mangled_name(method.name) == attribute
    ][:1]


def _fault(
    symbol: ClassSymbol, method: Method, mark: str, hierarchy: ClassHierarchy
) -> str:
    """Return why savegen cannot call a method as a hook, or ""."""
    names = {*hierarchy.full_names(symbol, method.decorators)}
    if not names.isdisjoint(("builtins.staticmethod", "builtins.classmethod")):
        return "static"
    if method.is_async:
        return "async"
    if not all(name and name.startswith("savegen.") for name in names):
        return ""  # another decorator may change what the method accepts
    fewest, most = method.arguments
    passed = _PASSED.get(mark, 1)
    return "" if fewest <= passed <= most else "arguments"


# How many arguments savegen passes to a method, the object included.
_PASSED = {"on_activate": 2, "save_data": 2, "load_data": 3}


def methods_of(name: str, hierarchy: ClassHierarchy) -> Iterator[str]:
    """Yield the methods of a class whose bound methods can be saved, those of its bases first.

    `old_name = new_name` in the body of a class gives a method a second name, and
    `act = Unit.act` takes the method of a base.
    """
    are_methods: dict[str, bool] = {}
    for symbol in reversed(list(hierarchy.declarations(name))):
        for method in symbol.declaration.methods:
            mangled = symbol.mangled_name(method.name)
            are_methods[mangled] = _can_be_bound(method)
        for attribute in symbol.declaration.attributes:
            if attribute.method is None and attribute.default is not None:
                value = attribute.default
                dotted = value.dotted if isinstance(value, Name) else ""
                is_method = are_methods.get(symbol.mangled_name(dotted), False)
                if not is_method and "." in dotted:
                    is_method = _is_method_of_base(dotted, symbol, hierarchy)
                are_methods[symbol.mangled_name(attribute.name)] = is_method
    yield from (mangled for mangled, is_method in are_methods.items() if is_method)


def _is_method_of_base(
    dotted: str, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> bool:
    """Return whether a name such as `Unit.act` means a method of a base of the class."""
    owner, _, method = dotted.rpartition(".")
    base = hierarchy.full_name_in(owner, symbol)
    is_base = base is not None and base in hierarchy.mro(symbol.name)[1:]
    return is_base and method in methods_of(base or "", hierarchy)


def _can_be_bound(method: Method) -> bool:
    """Return whether `object.name` is a bound method; not so for properties or static methods."""
    if method.name.startswith("__") and method.name.endswith("__"):
        return method.name == "__call__"
    names = (d.dotted for d in method.decorators if isinstance(d, Name))
    return _NOT_BOUND.isdisjoint(name.rpartition(".")[2] for name in names)


_NOT_BOUND = frozenset(
    "property cached_property setter getter deleter staticmethod classmethod".split()
)


def _is_none(name: str, classes: list[ClassSymbol]) -> bool:
    """Return whether the first class with an attribute of this name sets it to `None`."""
    for symbol in classes:
        for attribute in symbol.declaration.attributes:
            is_in_body = attribute.method is None
            if is_in_body and symbol.mangled_name(attribute.name) == name:
                return attribute.default == Constant("None")
        if any(symbol.mangled_name(m.name) == name for m in symbol.declaration.methods):
            return False
    return False


def is_recorder(name: str, hierarchy: ClassHierarchy) -> bool:
    """Return whether a class inherits from Recorder, or may do so through an unknown base."""
    mro = hierarchy.mro(name)
    return _RECORDER in mro or any(base.startswith("?") for base in mro)


def behavior_marks_of(name: str, hierarchy: ClassHierarchy) -> list[BehaviorMark]:
    """Return the `@serializer` and `@deserializer` marks of a class, those of its bases first.

    A method that overrides another keeps its marks, unless it has marks itself.
    """
    by_method: dict[str, list[BehaviorMark]] = {}
    for symbol in reversed(list(hierarchy.declarations(name))):
        in_class: dict[str, list[BehaviorMark]] = {}
        for mark in _marks_in(symbol, symbol.name == name, hierarchy):
            in_class.setdefault(mark.method, []).append(mark)
        by_method |= in_class
    return [mark for marks in by_method.values() for mark in marks]


def behaviors_of(marks: list[BehaviorMark]) -> Iterator[tuple[str, str, str]]:
    """Yield each behaviour that has both methods, with its serializer and deserializer."""
    methods = {(mark.behavior, mark.role): mark.method for mark in reversed(marks)}
    for behavior in dict.fromkeys(mark.behavior for mark in marks):
        serializer, deserializer = (methods.get((behavior, role)) for role in _ROLES)
        if behavior and serializer and deserializer:
            yield behavior, serializer, deserializer


def named_behaviors(
    symbol: ClassSymbol, marks: list[BehaviorMark], hierarchy: ClassHierarchy
) -> Iterator[tuple[str, Span]]:
    """Yield the behaviours of a class, with their spans.

    They are the members of each inner enumeration that is called `Behaviors`, or whose
    members the marks use.
    """
    prefix = f"{symbol.declaration.qualname}."
    used = {mark.behavior.rpartition(".")[0] for mark in marks}
    for enum in hierarchy.classes_in(symbol.module):
        qualname = enum.declaration.qualname
        if qualname == f"{prefix}Behaviors" or qualname in used:
            if qualname.startswith(prefix) and hierarchy.is_enum(enum.name):
                yield from _members_with_spans(enum)


def _members_with_spans(enum: ClassSymbol) -> Iterator[tuple[str, Span]]:
    """Yield the members of an enumeration without aliases, with their spans."""
    names = _members(enum)
    for attribute in enum.declaration.attributes:
        if names.get(attribute.name) == attribute.name:
            yield f"{enum.declaration.qualname}.{attribute.name}", attribute.span


def _marks_in(
    symbol: ClassSymbol, is_own: bool, hierarchy: ClassHierarchy
) -> Iterator[BehaviorMark]:
    for method in symbol.declaration.methods:
        if not method.decorators:
            continue
        attribute = symbol.mangled_name(method.name)
        full_names = hierarchy.full_names(symbol, method.decorators)
        for decorator, full_name in zip(method.decorators, full_names, strict=True):
            package, _, role = (full_name or "").partition(".")
            if package == "savegen" and role in _ROLES:
                behavior = _behavior(decorator, symbol, hierarchy)
                if behavior is not None:
                    yield BehaviorMark(role, attribute, behavior, method.span, is_own)


def _behavior(
    decorator: Expression, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> str | None:
    """Return the behaviour that a mark names, such as `Door.Behaviors.OPEN`.

    It is "" if the mark is not valid, and `None` if a file that it needs cannot be read.
    """
    match decorator:
        case Call(_, (Name(dotted),), ()):
            pass
        case Call(_, (), (("behavior", Name(dotted)),)):
            pass
        case _:
            return ""
    owner, _, member = dotted.rpartition(".")
    name = _class_named(owner, symbol, hierarchy) if owner else None
    if name and name.startswith(UNREAD):
        return None
    enum = hierarchy.class_named(name or "")
    if enum is None or not hierarchy.is_enum(enum.name):
        return ""
    canonical_name = _members(enum).get(member)
    return f"{enum.declaration.qualname}.{canonical_name}" if canonical_name else ""


def _class_named(
    dotted: str, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> str | None:
    """Return the full name of the class that a name means inside a class.

    In `Chest.Behaviors`, the class `Behaviors` may be inherited by `Chest`.
    """
    if name := hierarchy.full_name_in(dotted, symbol):
        return name
    outer, _, last = dotted.rpartition(".")
    owner = _class_named(outer, symbol, hierarchy) if outer else None
    for base in hierarchy.mro(owner) if owner else ():
        if inner := hierarchy.class_named(f"{base}.{last}"):
            return inner.name
    return None


def _members(enum: ClassSymbol) -> dict[str, str]:
    """Return the members of an enumeration, each with its canonical name.

    A member with the same value as an earlier one is an alias of it.
    """
    members: dict[str, str] = {}
    values: dict[object, str] = {}
    for attribute in enum.declaration.attributes:
        name = attribute.name
        if not is_member(attribute) or name.startswith("_"):
            continue  # private members are not behaviours
        match attribute.default:
            case Constant() as constant:
                members[name] = values.setdefault(constant.value, name)
            case Name(original) if original in members:
                members[name] = members[original]
            case _:
                members[name] = name
    return members
