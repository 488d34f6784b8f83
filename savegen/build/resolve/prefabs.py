"""Find the prefabs of a module, with their own and inherited parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.model import MarkFault, Part, Prefab, single_part_name
from savegen.build.resolve.arguments import (
    Arguments,
    names,
    prefab_arguments,
    saveable_arguments,
)
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import ClassSymbol
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Constant,
    Expression,
    Member,
    Module,
    Name,
    Sequence,
    Subscript,
)
from savegen.findings import Span

_PREFAB, _PART, _SAVEABLE = "savegen.prefab", "savegen.part", "savegen.saveable"
_ADVICE = "write a new `part(…)`, or change the copy with `.set(…)`"


class _Declared(NamedTuple):
    """One part in a class body, and the faults in it."""

    part: Part
    faults: list[MarkFault]


class Prefabs:
    """Reads the prefabs of modules, and the parts that they inherit or copy."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._reading: set[str] = set()  # classes whose parts are being read

    def declared_in(self, module: Module) -> Iterator[Prefab]:
        """Yield the prefabs of a module, in source order."""
        for declaration in module.classes:
            symbol = ClassSymbol(module, declaration)
            marks = {name: d for d, name in self._lineage.decorators(symbol) if name}
            saveable = saveable_arguments(marks.get(_SAVEABLE))
            if _PREFAB in marks:
                yield self._prefab(symbol, prefab_arguments(marks[_PREFAB]))
            elif saveable.values.get("prefab"):
                yield _of_class(symbol, saveable)

    def unmarked_in(self, module: Module) -> Iterator[tuple[str, Span]]:
        """Yield the classes that declare parts but have no `@prefab`, with their spans."""
        for declaration in module.classes:
            symbol = ClassSymbol(module, declaration)
            is_prefab = self._lineage.decorator(symbol.name, _PREFAB) is not None
            if not is_prefab and any(self._parts(symbol)):
                yield declaration.qualname, declaration.span

    def _prefab(self, symbol: ClassSymbol, arguments: Arguments) -> Prefab:
        parts: dict[str, Part] = {}
        faults = [MarkFault(symbol.declaration.span, text) for text in arguments.faults]
        faults += [*self._saveable_prefab(symbol), *self._parts_in_lists(symbol)]
        for base in reversed(list(self._lineage.declarations(symbol.name))):
            for part, reasons in self._parts(base):
                own = base.name == symbol.name
                faults += reasons if own else ()
                parts[part.name] = _replacing(
                    replace(part, own=own), parts.get(part.name)
                )
        faults += _replaced_parts(symbol, parts.values())
        ancestors = self._lineage.mro(symbol.name)[1:]
        return Prefab(
            name=symbol.name,
            span=symbol.declaration.span,
            parts=tuple(parts.values()),
            doc=symbol.declaration.docstring,
            max_count=arguments.values.get("max_count"),
            former_names=names(arguments.values.get("was", ())),
            ancestors=tuple(base for base in ancestors if ":" in base),
            bases=tuple(b for b in ancestors if self._lineage.decorator(b, _PREFAB)),
            local="<locals>" in symbol.declaration.qualname,
            faults=tuple(faults),
            bare_components=tuple(self._bare(symbol)),
        )

    def _saveable_prefab(self, symbol: ClassSymbol) -> Iterator[MarkFault]:
        """Yield a fault if a prefab is also saveable; such a class needs another mark."""
        chain = self._lineage.mro(symbol.name)
        if any(self._lineage.decorator(name, _SAVEABLE) for name in chain):
            text = (
                "a saveable class cannot be a `@prefab`: write `@saveable(prefab=True)`"
            )
            yield MarkFault(symbol.declaration.span, text)

    def _parts_in_lists(self, symbol: ClassSymbol) -> Iterator[MarkFault]:
        """Yield a fault for each list of parts, because these parts would not be built."""
        for attribute in symbol.declaration.attributes:
            value = attribute.default if attribute.method is None else None
            for member in value.members if isinstance(value, Sequence) else ():
                if self._is_part(member, symbol):
                    text = "parts in a list are not built: write each on its own line, `name = part(…)`"
                    yield MarkFault(attribute.span, text)
                    break

    def _is_part(self, value: Expression | None, symbol: ClassSymbol) -> bool:
        first = next(_calls_in(value), None)
        return first is not None and self._name_of(first.function, symbol) == _PART

    def _parts(self, symbol: ClassSymbol) -> Iterator[_Declared]:
        """Yield the parts in the body of one class, with their faults."""
        parts: dict[str, Part] = {}
        for attribute in symbol.declaration.attributes:
            if attribute.method is None:
                if declared := self._part(symbol, attribute, parts):
                    parts[attribute.name] = declared.part
                    yield declared

    def _part(
        self, symbol: ClassSymbol, attribute: Attribute, others: dict[str, Part]
    ) -> _Declared | None:
        """Return the new or copied part that an attribute declares, or `None`."""
        reasons: list[str] = []
        unknown = ""
        calls = list(_calls_in(attribute.default))
        if self._is_part(attribute.default, symbol):
            unknown = self._unknown_class(calls[0], symbol)
            cls = self._component(calls.pop(0), symbol, reasons)
            part = Part(attribute.name, cls, symbol.name, attribute.span)
        elif other := self._copied_part(attribute.default, symbol, others):
            part = _copy(other, attribute, symbol)
            if not calls:
                reasons.append(
                    f"`{attribute.name}` is the same part as another one: {_ADVICE}"
                )
        else:
            return None
        if attribute.name.startswith("__"):
            reasons.append(
                f"the name of a part cannot begin with `__`: `{attribute.name}`"
            )
        for call in calls:
            part = _after_call(part, call, reasons)
        faults = [MarkFault(attribute.span, text) for text in reasons]
        if unknown:
            faults[0] = replace(faults[0], unknown_class=unknown)
        return _Declared(part, faults)

    def _unknown_class(self, call: Call, symbol: ClassSymbol) -> str:
        """Return the class name in `part(…)` if it is not defined anywhere, else ""."""
        named = call.arguments[0] if call.arguments else None
        if not isinstance(named, Name) or self._name_of(named, symbol):
            return ""
        return named.dotted.rpartition(".")[2]

    def _copied_part(
        self, value: Expression | None, symbol: ClassSymbol, others: dict[str, Part]
    ) -> Part | None:
        """Return the existing part that a value copies: `Orc.body.set(…)`, or `body` alone."""
        first = next(_calls_in(value), None)
        named = value if first is None else first.function
        if not isinstance(named, Name):
            return None
        dotted = named.dotted if first is None else named.dotted.rpartition(".")[0]
        owner, _, name = dotted.rpartition(".")
        if not owner:
            return others.get(name)
        cls = self._lineage.full_name_in(owner, symbol)
        return self._parts_of(cls).get(name) if cls else None

    def _parts_of(self, name: str) -> dict[str, Part]:
        """Return the own and inherited parts of a class by name.

        Return no parts for a class that is being read; this ends circular copies.
        """
        if name in self._reading:
            return {}
        self._reading.add(name)
        bases = reversed(list(self._lineage.declarations(name)))
        parts = {each.part.name: each.part for b in bases for each in self._parts(b)}
        self._reading.remove(name)
        return parts

    def _component(self, call: Call, symbol: ClassSymbol, reasons: list[str]) -> str:
        """Return the full name of a part's class; "" and a reason if it is not saveable."""
        if not call.arguments:
            reasons.append("the first argument of `part` must be a saveable class")
            return ""
        cls = self._name_of(call.arguments[0], symbol)
        if cls is None or not self._lineage.decorator(cls, _SAVEABLE):
            reasons.append("the first argument of `part` must be a saveable class")
            return ""
        return cls

    def _bare(self, symbol: ClassSymbol) -> Iterator[tuple[str, Span]]:
        """Yield the attributes that hold a saveable class or object without `part(…)`."""
        for attribute in symbol.declaration.attributes:
            value = attribute.default if attribute.method is None else None
            cls = value.function if isinstance(value, Call) else value
            name = self._name_of(cls, symbol) if cls is not None else None
            if name and self._lineage.decorator(name, _SAVEABLE):
                yield attribute.name, attribute.span

    def _name_of(self, expression: Expression, symbol: ClassSymbol) -> str | None:
        if isinstance(expression, Subscript):  # `part(Box[int])`
            expression = expression.base
        if not isinstance(expression, Name):
            return None
        return self._lineage.full_name_in(expression.dotted, symbol)


def _replaced_parts(symbol: ClassSymbol, parts: Iterable[Part]) -> Iterator[MarkFault]:
    """Yield a fault for each inherited part that a prefab replaces by something else."""
    inherited = {part.name for part in parts if not part.own}
    for name, span in _names_in(symbol) if inherited else ():
        if name in inherited:
            text = (
                f"`{name}` is an inherited part: only another `part(…)` can replace it"
            )
            yield MarkFault(span, text)


def _names_in(symbol: ClassSymbol) -> Iterator[tuple[str, Span]]:
    """Yield the names of attributes, methods and inner classes of a class, with their spans."""
    declaration = symbol.declaration
    for attribute in declaration.attributes:
        if attribute.method is None:
            yield attribute.name, attribute.span
    for method in declaration.methods:
        yield method.name, method.span
    for other in symbol.module.classes:
        outer, _, name = other.qualname.rpartition(".")
        if outer == declaration.qualname:
            yield name, other.span


def _of_class(symbol: ClassSymbol, arguments: Arguments) -> Prefab:
    """Return the prefab of a class with `@saveable(prefab=True)`."""
    name, declaration = symbol.name, symbol.declaration
    part = Part(single_part_name(declaration.qualname), name, name, declaration.span)
    return Prefab(
        name=name,
        span=declaration.span,
        parts=(part,),
        doc=declaration.docstring,
        former_names=names(arguments.values.get("was", ())),
        is_class=True,
        local="<locals>" in declaration.qualname,
    )


def _copy(other: Part, attribute: Attribute, symbol: ClassSymbol) -> Part:
    """Return a copy of a part under the name of an attribute."""
    place, name = attribute.span, attribute.name
    return replace(
        other, name=name, owner=symbol.name, span=place, former_names=(), own=True
    )


def _replacing(part: Part, before: Part | None) -> Part:
    """Return a part with the owner and former names of the part that it replaces."""
    if before is None:
        return part
    return replace(
        part, owner=before.owner, former_names=part.former_names or before.former_names
    )


def _calls_in(value: Expression | None) -> Iterator[Call]:
    """Yield the calls of `part(…).set(…).show(…)` from left to right."""
    if isinstance(value, Call):
        if isinstance(value.function, Member):
            yield from _calls_in(value.function.owner)
        yield value


def _after_call(part: Part, call: Call, reasons: list[str]) -> Part:
    """Return a part changed by a call of `set`, `show` or `was`; add a reason for faults."""
    word = _method_of(call)
    if word == "set":
        _refuse(call.arguments, "set", "field=value", reasons)
        return replace(part, settings=part.settings + _keywords(call))
    if word == "show":
        _refuse(call.arguments, "show", 'field="name"', reasons)
        return replace(part, shown=(*part.shown, *_shown(call, reasons)))
    if word == "was":
        return replace(
            part, former_names=part.former_names + tuple(_former(call, reasons))
        )
    reasons.append(f"a part has no method `{word}`, only `set`, `show` and `was`")
    return part


def _method_of(call: Call) -> str:
    """Return the name of the method that is called."""
    match call.function:
        case Member(_, name):
            return name
        case Name(dotted):
            return dotted.rpartition(".")[2]
    return ""


def _keywords(call: Call) -> tuple[str, ...]:
    return tuple(name for name, _ in call.keywords)


def _refuse(
    arguments: Iterable[Expression], word: str, form: str, reasons: list[str]
) -> None:
    if any(True for _ in arguments):
        reasons.append(f"`.{word}` takes keyword arguments only: `.{word}({form})`")


def _shown(call: Call, reasons: list[str]) -> Iterator[tuple[str, str | None]]:
    for field, value in call.keywords:
        name = value.value if isinstance(value, Constant) else ...
        if name is None or (isinstance(name, str) and name.isidentifier()):
            yield field, name
        else:
            reasons.append(
                f"`.show({field}=…)` takes a name as a string literal, or None"
            )


def _former(call: Call, reasons: list[str]) -> Iterator[str]:
    for value in call.arguments:
        name = value.value if isinstance(value, Constant) else None
        if isinstance(name, str) and name.isidentifier():
            yield name
        else:
            reasons.append("`.was` takes former names as string literals")
