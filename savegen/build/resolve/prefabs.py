"""What prefabs are made of: their parts, and those of the classes they are variants of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from savegen.build.model import MarkFault, Part, Prefab, part_name
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
_OWN = "write a new `part(…)`, or change the copy with `.set(…)`"


class _Declared(NamedTuple):
    """One part as a class declares it, and what is wrong with that."""

    part: Part
    faults: list[MarkFault]


class Prefabs:
    """Reads the prefabs of one module after the other."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._sought: set[str] = set()  # classes whose parts are being read

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

    def loose_in(self, module: Module) -> Iterator[tuple[str, Span]]:
        """Yield the classes that declare parts and are not marked."""
        for declaration in module.classes:
            symbol = ClassSymbol(module, declaration)
            is_prefab = self._lineage.decorator(symbol.name, _PREFAB) is not None
            if not is_prefab and any(self._parts(symbol)):
                yield declaration.qualname, declaration.span

    def _prefab(self, symbol: ClassSymbol, arguments: Arguments) -> Prefab:
        parts: dict[str, Part] = {}
        faults = [MarkFault(symbol.declaration.span, text) for text in arguments.faults]
        faults += [*self._misplaced(symbol), *self._gathered(symbol)]
        for base in reversed(list(self._lineage.declarations(symbol.name))):
            for part, wrong in self._parts(base):
                own = base.name == symbol.name
                faults += wrong if own else ()
                parts[part.name] = _again(replace(part, own=own), parts.get(part.name))
        faults += _hidden(symbol, parts.values())
        ancestors = self._lineage.mro(symbol.name)[1:]
        return Prefab(
            name=symbol.name,
            span=symbol.declaration.span,
            parts=tuple(parts.values()),
            doc=symbol.declaration.docstring,
            max_count=arguments.values.get("max_count"),
            was=names(arguments.values.get("was", ())),
            ancestors=tuple(base for base in ancestors if ":" in base),
            bases=tuple(b for b in ancestors if self._lineage.decorator(b, _PREFAB)),
            local="<locals>" in symbol.declaration.qualname,
            faults=tuple(faults),
            bare=tuple(self._bare(symbol)),
        )

    def _misplaced(self, symbol: ClassSymbol) -> Iterator[MarkFault]:
        """A component is made into a prefab by another mark."""
        chain = self._lineage.mro(symbol.name)
        if any(self._lineage.decorator(name, _SAVEABLE) for name in chain):
            text = (
                "a saveable class cannot be a `@prefab`: write `@saveable(prefab=True)`"
            )
            yield MarkFault(symbol.declaration.span, text)

    def _gathered(self, symbol: ClassSymbol) -> Iterator[MarkFault]:
        """Parts in a list are parts of nothing."""
        for attribute in symbol.declaration.attributes:
            value = attribute.default if attribute.method is None else None
            for member in value.members if isinstance(value, Sequence) else ():
                if self._is_part(member, symbol):
                    text = "parts in a list are not built: write each on its own line, `name = part(…)`"
                    yield MarkFault(attribute.span, text)
                    break

    def _is_part(self, value: Expression | None, symbol: ClassSymbol) -> bool:
        first = next(_chain(value), None)
        return first is not None and self._name_of(first.function, symbol) == _PART

    def _parts(self, symbol: ClassSymbol) -> Iterator[_Declared]:
        """Yield the parts that one class declares itself."""
        found: dict[str, Part] = {}
        for attribute in symbol.declaration.attributes:
            if attribute.method is None:
                if declared := self._part(symbol, attribute, found):
                    found[attribute.name] = declared.part
                    yield declared

    def _part(
        self, symbol: ClassSymbol, attribute: Attribute, others: dict[str, Part]
    ) -> _Declared | None:
        """Return the part that an attribute is, if it is one, made anew or of another."""
        reasons: list[str] = []
        unknown = ""
        chain = list(_chain(attribute.default))
        if self._is_part(attribute.default, symbol):
            unknown = self._unknown(chain[0], symbol)
            cls = self._component(chain.pop(0), symbol, reasons)
            part = Part(attribute.name, cls, symbol.name, attribute.span)
        elif other := self._other(attribute.default, symbol, others):
            part = _like(other, attribute, symbol)
            if not chain:
                reasons.append(
                    f"`{attribute.name}` is the same part as another one: {_OWN}"
                )
        else:
            return None
        if attribute.name.startswith("__"):
            reasons.append(
                f"the name of a part cannot begin with `__`: `{attribute.name}`"
            )
        for call in chain:
            part = _with(part, call, reasons)
        faults = [MarkFault(attribute.span, text) for text in reasons]
        if unknown:
            faults[0] = replace(faults[0], name=unknown)
        return _Declared(part, faults)

    def _unknown(self, call: Call, symbol: ClassSymbol) -> str:
        """Return the name that a part has for its class, if it is found nowhere."""
        named = call.arguments[0] if call.arguments else None
        if not isinstance(named, Name) or self._name_of(named, symbol):
            return ""
        return named.dotted.rpartition(".")[2]

    def _other(
        self, value: Expression | None, symbol: ClassSymbol, others: dict[str, Part]
    ) -> Part | None:
        """Return the part that a value begins with: `Orc.body.set(…)`, or `body` alone."""
        first = next(_chain(value), None)
        named = value if first is None else first.function
        if not isinstance(named, Name):
            return None
        dotted = named.dotted if first is None else named.dotted.rpartition(".")[0]
        owner, _, name = dotted.rpartition(".")
        if not owner:
            return others.get(name)
        found = self._lineage.named(owner, symbol)
        return self._parts_of(found).get(name) if found else None

    def _parts_of(self, name: str) -> dict[str, Part]:
        """Return all parts of a class; none while they are sought: no class begins with itself."""
        if name in self._sought:
            return {}
        self._sought.add(name)
        bases = reversed(list(self._lineage.declarations(name)))
        found = {each.part.name: each.part for b in bases for each in self._parts(b)}
        self._sought.remove(name)
        return found

    def _component(self, call: Call, symbol: ClassSymbol, reasons: list[str]) -> str:
        """Return the class that a part is of; "" if that cannot be told."""
        if not call.arguments:
            reasons.append("the first argument of `part` must be a saveable class")
            return ""
        found = self._name_of(call.arguments[0], symbol)
        if found is None or not self._lineage.decorator(found, _SAVEABLE):
            reasons.append("the first argument of `part` must be a saveable class")
            return ""
        return found

    def _bare(self, symbol: ClassSymbol) -> Iterator[tuple[str, Span]]:
        for attribute in symbol.declaration.attributes:
            value = attribute.default if attribute.method is None else None
            made = value.function if isinstance(value, Call) else value
            name = self._name_of(made, symbol) if made is not None else None
            if name and self._lineage.decorator(name, _SAVEABLE):
                yield attribute.name, attribute.span

    def _name_of(self, expression: Expression, symbol: ClassSymbol) -> str | None:
        if isinstance(expression, Subscript):  # `part(Box[int])`
            expression = expression.base
        if not isinstance(expression, Name):
            return None
        return self._lineage.named(expression.dotted, symbol)


def _hidden(symbol: ClassSymbol, parts: Iterable[Part]) -> Iterator[MarkFault]:
    """Yield inherited parts that something else stands in front of."""
    inherited = {part.name for part in parts if not part.own}
    for name, span in _named(symbol) if inherited else ():
        if name in inherited:
            text = (
                f"`{name}` is an inherited part: only another `part(…)` can replace it"
            )
            yield MarkFault(span, text)


def _named(symbol: ClassSymbol) -> Iterator[tuple[str, Span]]:
    """Yield what a class body gives a name to."""
    declaration = symbol.declaration
    for attribute in declaration.attributes:
        if attribute.method is None:
            yield attribute.name, attribute.span
    for method in declaration.methods:
        yield method.name, method.span
    for other in symbol.module.classes:
        home, _, name = other.qualname.rpartition(".")
        if home == declaration.qualname:
            yield name, other.span


def _of_class(symbol: ClassSymbol, arguments: Arguments) -> Prefab:
    name, declaration = symbol.name, symbol.declaration
    part = Part(part_name(declaration.qualname), name, name, declaration.span)
    return Prefab(
        name=name,
        span=declaration.span,
        parts=(part,),
        doc=declaration.docstring,
        was=names(arguments.values.get("was", ())),
        is_class=True,
        local="<locals>" in declaration.qualname,
    )


def _like(other: Part, attribute: Attribute, symbol: ClassSymbol) -> Part:
    """Return a part that begins as another one."""
    place, name = attribute.span, attribute.name
    return replace(other, name=name, owner=symbol.name, span=place, was=(), own=True)


def _again(part: Part, before: Part | None) -> Part:
    """Return a part in the place of the one that it replaces."""
    if before is None:
        return part
    return replace(part, owner=before.owner, was=part.was or before.was)


def _chain(value: Expression | None) -> Iterator[Call]:
    """Yield the calls of `part(…).set(…).show(…)`, the first one first."""
    if isinstance(value, Call):
        if isinstance(value.function, Member):
            yield from _chain(value.function.owner)
        yield value


def _with(part: Part, call: Call, reasons: list[str]) -> Part:
    """Return a part as a call of one of its methods changes it."""
    word = _word(call)
    if word == "set":
        _refuse(call.arguments, "set", "field=value", reasons)
        return replace(part, settings=part.settings + _keywords(call))
    if word == "show":
        _refuse(call.arguments, "show", 'field="name"', reasons)
        return replace(part, shown=(*part.shown, *_shown(call, reasons)))
    if word == "was":
        return replace(part, was=part.was + tuple(_former(call, reasons)))
    reasons.append(f"a part has no method `{word}`, only `set`, `show` and `was`")
    return part


def _word(call: Call) -> str:
    """Return the method of a part that is called."""
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
