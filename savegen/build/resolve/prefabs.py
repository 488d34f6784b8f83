"""Find the prefabs of a module with their parts, own and inherited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from savegen.build.model import MarkFault, PrefabPart, PrefabClass, single_part_name
from savegen.build.resolve.arguments import (
    Arguments,
    names,
    prefab_arguments,
)
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.inherited import is_foreign
from savegen.build.resolve.names import ClassSymbol
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    CallAttribute,
    CollectionLiteral,
    Constant,
    Expression,
    Module,
    Name,
    Subscript,
)
from savegen.findings import Span

_T = TypeVar("_T")
_PREFAB, _PART = "savegen.prefab", "savegen.part"
_ADVICE = "write a new `part(…)`, or change the copy with `.set(…)`"


class _DeclaredPart(NamedTuple):
    """One part in a class body, and the faults in it."""

    part: PrefabPart
    faults: list[MarkFault]


class PrefabReader:
    """Reads the prefabs of modules, and the parts that they inherit or copy."""

    def __init__(self, hierarchy: ClassHierarchy, settings: Settings) -> None:
        self._hierarchy = hierarchy
        self._settings = settings
        self._reading: set[str] = set()  # classes whose parts are being read

    def declared_in(self, module: Module) -> Iterator[PrefabClass]:
        """Yield the prefabs of a module, in source order."""
        for symbol in self._hierarchy.classes_in(module):
            saveable = self._hierarchy.saveable_arguments(symbol.name)
            if mark := self._hierarchy.decorator(symbol.name, _PREFAB):
                prefab = self._prefab(symbol, prefab_arguments(mark))
            elif saveable.values.get("prefab"):
                position = self._position_of_class(symbol.name)
                prefab = _class_as_prefab(symbol, saveable, position)
            else:
                continue
            names = self._position_names(prefab)
            yield replace(prefab, position_names=names) if names else prefab

    def unmarked_in(self, module: Module) -> Iterator[tuple[str, Span]]:
        """Yield the classes that declare parts but have no `@prefab`, with their spans."""
        for symbol in self._hierarchy.classes_in(module):
            is_prefab = self._hierarchy.decorator(symbol.name, _PREFAB) is not None
            if not is_prefab and any(self._parts(symbol)):
                yield symbol.declaration.qualname, symbol.declaration.span

    def _prefab(self, symbol: ClassSymbol, arguments: Arguments) -> PrefabClass:
        parts: dict[str, PrefabPart] = {}
        faults = [MarkFault(symbol.declaration.span, text) for text in arguments.faults]
        static = self._inherited(symbol.name, "static", False)
        if static and "position" in arguments.values:
            text = (
                "a static prefab has no objects, so it has no `position`: the rectangles in"
                " `Level.static` have their places"
            )
            faults.append(MarkFault(symbol.declaration.span, text))
        faults += [*self._saveable_prefab(symbol), *self._parts_in_lists(symbol)]
        for base in reversed(list(self._hierarchy.declarations(symbol.name))):
            for part, part_faults in self._parts(base):
                own = base.name == symbol.name
                faults += part_faults if own else ()
                part = replace(part, own=own)
                parts[part.name] = _replacing(part, parts.get(part.name))
        faults += _replaced_parts(symbol, parts.values())
        ancestors = self._hierarchy.mro(symbol.name)[1:]
        return PrefabClass(
            name=symbol.name,
            span=symbol.declaration.span,
            parts=tuple(parts.values()),
            doc=symbol.declaration.docstring,
            max_count=arguments.values.get("max_count"),
            position="" if static else self._inherited(symbol.name, "position", ""),
            static=static,
            former_names=names(arguments.values.get("was", ())),
            ancestors=tuple(base for base in ancestors if ":" in base),
            bases=tuple(b for b in ancestors if self._hierarchy.decorator(b, _PREFAB)),
            local="<locals>" in symbol.declaration.qualname,
            faults=tuple(faults),
            bare_components=tuple(self._bare_components(symbol)),
        )

    def _inherited(self, name: str, argument: str, default: _T) -> _T:
        """Return an argument of the prefab, or of its nearest base that has it."""
        for base in self._hierarchy.mro(name):
            mark = self._hierarchy.decorator(base, _PREFAB)
            if mark and argument in (values := prefab_arguments(mark).values):
                return values[argument]  # type: ignore[no-any-return]
        return default

    def _position_of_class(self, name: str) -> str:
        """Return the position of a class that is a prefab, or of its nearest base that has one."""
        for base in self._hierarchy.declarations(name):
            values = self._hierarchy.saveable_arguments(base.name).values
            if values.get("prefab") and "position" in values:
                part = single_part_name(base.declaration.qualname)
                path: str = values["position"]
                return path.removeprefix(f"{part}.")
        return ""

    def _position_names(self, prefab: PrefabClass) -> tuple[str, ...]:
        """Return the attributes of the class that has the position, unless some are unknown."""
        part, _ = prefab.position_path or (None, ())
        if part is None or not part.cls:
            return ()
        names: dict[str, None] = {}
        for symbol in self._hierarchy.declarations(part.cls):
            bases = self._hierarchy.bases(symbol.name)
            if any(is_foreign(base, self._settings) for base in bases):
                return ()
            attributes = symbol.declaration.attributes
            names |= dict.fromkeys(attribute.name for attribute in attributes)
            methods = symbol.declaration.methods
            names |= dict.fromkeys(method.name for method in methods)
        return tuple(names)

    def _saveable_prefab(self, symbol: ClassSymbol) -> Iterator[MarkFault]:
        """Yield a fault if a prefab is also saveable, which needs another mark."""
        if any(map(self._hierarchy.is_saveable, self._hierarchy.mro(symbol.name))):
            text = (
                "a saveable class cannot be a `@prefab`: write `@saveable(prefab=True)`"
            )
            yield MarkFault(symbol.declaration.span, text)

    def _parts_in_lists(self, symbol: ClassSymbol) -> Iterator[MarkFault]:
        """Yield a fault for each list of parts, because a prefab does not build them."""
        for attribute in symbol.declaration.attributes:
            value = attribute.default if attribute.method is None else None
            for member in value.members if isinstance(value, CollectionLiteral) else ():
                if self._is_part(member, symbol):
                    text = (
                        "parts in a list are not built: write each on its own line,"
                        " `name = part(…)`"
                    )
                    yield MarkFault(attribute.span, text)
                    break

    def _is_part(self, value: Expression | None, symbol: ClassSymbol) -> bool:
        first = next(_calls_in(value), None)
        return first is not None and self._name_of(first.function, symbol) == _PART

    def _parts(self, symbol: ClassSymbol) -> Iterator[_DeclaredPart]:
        """Yield the parts in the body of one class, with their faults."""
        parts: dict[str, PrefabPart] = {}
        for attribute in symbol.declaration.attributes:
            if attribute.method is None and isinstance(attribute.default, (Call, Name)):
                if declared := self._part(symbol, attribute, parts):
                    parts[attribute.name] = declared.part
                    yield declared

    def _part(
        self, symbol: ClassSymbol, attribute: Attribute, earlier: dict[str, PrefabPart]
    ) -> _DeclaredPart | None:
        """Return the new or copied part that an attribute declares, or `None`.

        `earlier` are the parts that the class body declares above.
        """
        reasons: list[str] = []
        name, unknown = attribute.name, ""
        calls = list(_calls_in(attribute.default))
        if self._is_part(attribute.default, symbol):
            unknown = self._unknown_class(calls[0], symbol)
            cls = self._component(calls.pop(0), symbol, reasons)
            part = PrefabPart(name, cls, symbol.name, attribute.span)
        elif original := self._copied_part(attribute.default, symbol, earlier):
            part = _copy(original, attribute, symbol)
            if not calls:
                reasons.append(f"`{name}` is the same part as another one: {_ADVICE}")
        else:
            return None
        if name.startswith("__"):
            reasons.append(f"the name of a part cannot begin with `__`: `{name}`")
        for call in calls:
            part = _after_call(part, call, reasons)
        faults = [MarkFault(attribute.span, text) for text in reasons]
        if unknown:
            faults[0] = replace(faults[0], unknown_class=unknown)
        return _DeclaredPart(part, faults)

    def _unknown_class(self, call: Call, symbol: ClassSymbol) -> str:
        """Return the class name in `part(…)` if it is not defined, else ""."""
        cls = call.arguments[0] if call.arguments else None
        if not isinstance(cls, Name) or self._name_of(cls, symbol):
            return ""
        return cls.dotted.rpartition(".")[2]

    def _copied_part(
        self,
        value: Expression | None,
        symbol: ClassSymbol,
        earlier: dict[str, PrefabPart],
    ) -> PrefabPart | None:
        """Return the existing part that a value copies: `Orc.body.set(…)`, or `body` alone."""
        first = next(_calls_in(value), None)
        source = value if first is None else first.function
        if not isinstance(source, Name):
            return None
        dotted = source.dotted if first is None else source.dotted.rpartition(".")[0]
        owner, _, name = dotted.rpartition(".")
        if not owner:
            return earlier.get(name)
        cls = self._hierarchy.full_name_in(owner, symbol)
        return self._parts_of(cls).get(name) if cls else None

    def _parts_of(self, name: str) -> dict[str, PrefabPart]:
        """Return the own and inherited parts of a class by name.

        A class that is being read has none, which ends circular copies.
        """
        if name in self._reading:
            return {}
        self._reading.add(name)
        bases = reversed(list(self._hierarchy.declarations(name)))
        parts = {part.name: part for base in bases for part, _ in self._parts(base)}
        self._reading.remove(name)
        return parts

    def _component(self, call: Call, symbol: ClassSymbol, reasons: list[str]) -> str:
        """Return the full name of a part's class; for an invalid one "", and add a reason."""
        cls = self._name_of(call.arguments[0], symbol) if call.arguments else None
        if cls is not None and self._hierarchy.has_stand_in(cls):
            reasons.append(
                "a class of a library cannot be a part, even with a stand-in"
            )
            return ""
        if cls is None or not self._hierarchy.is_saveable(cls):
            reasons.append("the first argument of `part` must be a saveable class")
            return ""
        return cls

    def _bare_components(self, symbol: ClassSymbol) -> Iterator[tuple[str, Span]]:
        """Yield the attributes that hold a saveable class or object without `part(…)`."""
        for attribute in symbol.declaration.attributes:
            value = attribute.default if attribute.method is None else None
            cls = value.function if isinstance(value, Call) else value
            name = self._name_of(cls, symbol) if cls is not None else None
            if name and self._hierarchy.is_saveable(name):
                yield attribute.name, attribute.span

    def _name_of(self, expression: Expression, symbol: ClassSymbol) -> str | None:
        if isinstance(expression, Subscript):  # `part(Box[int])`
            expression = expression.base
        if not isinstance(expression, Name):
            return None
        return self._hierarchy.full_name_in(expression.dotted, symbol)


def _replaced_parts(
    symbol: ClassSymbol, parts: Iterable[PrefabPart]
) -> Iterator[MarkFault]:
    """Yield a fault for each inherited part that a prefab replaces by another attribute."""
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
    for cls in symbol.module.classes:
        outer, _, name = cls.qualname.rpartition(".")
        if outer == declaration.qualname:
            yield name, cls.span


def _class_as_prefab(
    symbol: ClassSymbol, arguments: Arguments, position: str
) -> PrefabClass:
    """Return the prefab of a class with `@saveable(prefab=True)`."""
    name, declaration = symbol.name, symbol.declaration
    part = PrefabPart(
        single_part_name(declaration.qualname), name, name, declaration.span
    )
    return PrefabClass(
        name=name,
        span=declaration.span,
        parts=(part,),
        doc=declaration.docstring,
        position=position,
        former_names=names(arguments.values.get("was", ())),
        is_class=True,
        local="<locals>" in declaration.qualname,
    )


def _copy(
    original: PrefabPart, attribute: Attribute, symbol: ClassSymbol
) -> PrefabPart:
    """Return a copy of a part under the name of an attribute."""
    return replace(
        original,
        name=attribute.name,
        owner=symbol.name,
        span=attribute.span,
        former_names=(),
        own=True,
    )


def _replacing(part: PrefabPart, inherited: PrefabPart | None) -> PrefabPart:
    """Return a part with the owner and former names of the part that it replaces."""
    if inherited is None:
        return part
    return replace(
        part,
        owner=inherited.owner,
        former_names=part.former_names or inherited.former_names,
    )


def _calls_in(value: Expression | None) -> Iterator[Call]:
    """Yield the calls of `part(…).set(…).show(…)` from left to right."""
    if isinstance(value, Call):
        if isinstance(value.function, CallAttribute):
            yield from _calls_in(value.function.owner)
        yield value


def _after_call(part: PrefabPart, call: Call, reasons: list[str]) -> PrefabPart:
    """Return a part changed by a call of `set`, `show` or `was`; add a reason for faults."""
    method = _method_of(call)
    if method == "set":
        _require_keywords(call, "set", "field=value", reasons)
        settings = tuple(name for name, _ in call.keywords)
        return replace(part, settings=part.settings + settings)
    if method == "show":
        _require_keywords(call, "show", 'field="name"', reasons)
        return replace(part, shown=(*part.shown, *_shown(call, reasons)))
    if method == "was":
        return replace(
            part, former_names=part.former_names + tuple(_former_names(call, reasons))
        )
    reasons.append(f"a part has no method `{method}`, only `set`, `show` and `was`")
    return part


def _method_of(call: Call) -> str:
    """Return the name of the method that is called, or ""."""
    match call.function:
        case CallAttribute(_, name):
            return name
        case Name(dotted):
            return dotted.rpartition(".")[2]
    return ""


def _require_keywords(
    call: Call, method: str, example: str, reasons: list[str]
) -> None:
    if call.arguments:
        reasons.append(
            f"`.{method}` takes keyword arguments only: `.{method}({example})`"
        )


def _shown(call: Call, reasons: list[str]) -> Iterator[tuple[str, str | None]]:
    for field, value in call.keywords:
        name = value.value if isinstance(value, Constant) else ...
        if name is None or (isinstance(name, str) and name.isidentifier()):
            yield field, name
        else:
            reasons.append(
                f"`.show({field}=…)` takes a name as a string literal, or None"
            )


def _former_names(call: Call, reasons: list[str]) -> Iterator[str]:
    for value in call.arguments:
        name = value.value if isinstance(value, Constant) else None
        if isinstance(name, str) and name.isidentifier():
            yield name
        else:
            reasons.append("`.was` takes former names as string literals")
