"""Find marks that have no effect, because of their place or their form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from savegen.build.model import HOOKS, MarkFault, MarkWithoutEffect
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.names import AliasSymbol, ClassSymbol
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    CollectionLiteral,
    Constant,
    Expression,
    Module,
    Name,
    Other,
    Subscript,
    UnionAnnotation,
)

_SAVED = "savegen.Saved"
_SAVE = ("savegen.Save", "savegen.SaveOverride")
_NAMES = ("Saved", "Save", "SaveOverride")
_WORD = re.compile(r"(?<![\w.])(Annotated|Saved?|SaveOverride)\b")
_ANY = Other("…")
_MAX_ALIASES = 64  # in one annotation
_TAKING_SEVERAL = frozenset(
    "annotated callable defaultdict dict literal mapping optional tuple union".split()
)
_OF_CLASSES = ("saveable", "prefab")
_OF_METHODS = (*HOOKS, "serializer", "deserializer")


def misplaced_marks(
    hierarchy: ClassHierarchy, symbol: ClassSymbol
) -> Iterator[MarkFault]:
    """Yield a fault for each annotation that contains a mark but does not mark its field."""
    for attribute in _annotated(symbol):
        assert attribute.annotation is not None
        annotation = hierarchy.annotation(symbol, attribute)
        is_marked = annotation.mark is not None
        if line := _unimported(attribute.annotation, is_marked, symbol, hierarchy):
            name = line.rpartition(" ")[2]
            reason = f"the file does not import `{name}`: add `{line}`"
            yield MarkFault(attribute.span, reason)
        elif not is_marked or annotation.class_variable:
            search = _MarkSearch(hierarchy, symbol)
            without_marks = search.without_marks(attribute.annotation)
            if search.mark and is_marked:
                yield MarkFault(attribute.span, search.class_variable_reason)
            elif search.mark:
                reason = search.reason(attribute.annotation, without_marks)
                yield MarkFault(attribute.span, reason)
        elif reason := _several_types(attribute.annotation, symbol, hierarchy):
            yield MarkFault(attribute.span, reason)
    yield from _assigned_marks(symbol, hierarchy)


def _several_types(
    expression: Expression, symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> str:
    """Return the reason why `Saved[int, str]` is wrong, also behind an alias; "" for others."""
    module, scope = symbol.module, symbol.declaration.qualname
    for _ in range(_MAX_ALIASES):
        match expression:
            case Name(dotted) if alias := hierarchy.alias(dotted, module, scope):
                module, scope, expression = alias.module, "", alias.expression
            case Subscript(Name(dotted), (first, _, *_) as arguments) if (
                hierarchy.full_name(Name(dotted), module, scope) == _SAVED
            ):
                types, calls = [short_code(first)], list[str]()
                for argument in arguments[1:]:
                    is_metadata = isinstance(argument, Call)
                    (calls if is_metadata else types).append(short_code(argument))
                correct = _one_type(dotted, types, calls)
                correct += _to_import(correct, symbol, hierarchy)
                return f"`{dotted}` takes one type: write {correct}"
            case _:
                return ""
    return ""


def _one_type(saved: str, types: list[str], calls: list[str]) -> str:
    first, *others = types
    if calls:  # `Saved[int, Save(ge=0)]`, `Saved[Picture, Asset()]`
        annotated = f"Annotated[{first}, {', '.join(calls)}]"
        is_marked = any("Save" in call for call in calls)
        return f"`{annotated}`" if is_marked else f"`{saved}[{annotated}]`"
    if first.lower() in _TAKING_SEVERAL:
        return f"`{saved}[{first}[{', '.join(others)}]]`"
    either, both = " | ".join(types), ", ".join(types)
    return f"`{saved}[{either}]` for one of them, or `{saved}[tuple[{both}]]` for all of them"


def _assigned_marks(
    symbol: ClassSymbol, hierarchy: ClassHierarchy
) -> Iterator[MarkFault]:
    """Yield a fault for each mark that is assigned to an attribute, as in `hp = Saved[int]`."""
    module, scope = symbol.module, symbol.declaration.qualname

    def is_any(dotted: str, *names: str) -> bool:
        return hierarchy.full_name(Name(dotted), module, scope) in names

    for attribute in symbol.declaration.attributes:
        match attribute.default:
            case Subscript(Name(word), (type, *_)) if is_any(word, _SAVED):
                inner, mark = short_code(type), ""
            case Subscript(Name(word), (type, *metadata)) if is_any(
                word, "typing.Annotated"
            ) and any(is_any(_name(each), _SAVED, *_SAVE) for each in metadata):
                inner, mark = short_code(type), ", ".join(map(short_code, metadata))
            case Name(word) | Call(Name(word)) if is_any(word, _SAVED):
                inner, mark = "…", ""
            case Name(word) | Call(Name(word)) if is_any(word, *_SAVE):
                inner, mark = "…", short_code(attribute.default)
                mark += "" if mark.endswith(")") else "()"
            case _:
                continue
        owner = "self." if attribute.method else ""
        match attribute.annotation:
            case Subscript(Name(word), (type, *_)) if is_any(
                word, _SAVED, "typing.Annotated"
            ):
                inner = short_code(type)
            case None:
                pass
            case type:
                inner = short_code(type)
        mark = mark or ("Save()" if owner else "")
        annotation = f"Annotated[{inner}, {mark}]" if mark else f"Saved[{inner}]"
        target = owner + attribute.name
        yield MarkFault(
            attribute.span,
            f"`{short_code(attribute.default)}` is assigned to `{target}`, so it marks no field:"
            f" write `{target}: {annotation}`{_to_import(annotation, symbol, hierarchy)}",
        )


def misplaced_decorators(
    module: Module, hierarchy: ClassHierarchy
) -> Iterator[MarkFault]:
    """Yield a fault for each mark of classes above a function, and the like."""

    def marks(
        decorators: tuple[Expression, ...], names: Collection[str]
    ) -> Iterator[tuple[str, Expression]]:
        for decorator in decorators:
            word = (hierarchy.full_name(decorator, module) or "").removeprefix(
                "savegen."
            )
            if word in names:
                yield word, decorator

    for function in module.functions:
        name = function.qualname.rpartition(".")[2]
        for word, _ in marks(function.decorators, (*_OF_CLASSES, *_OF_METHODS)):
            whole = "a class" if word in _OF_CLASSES else "a method of a class"
            reason = f"`@{word}` marks {whole}, but `{name}` is a function"
            yield MarkFault(function.span, reason)
    for cls in module.classes:
        for word, _ in marks(cls.decorators, _OF_METHODS):
            reason = f"`@{word}` marks a method, but `{cls.name}` is a class"
            yield MarkFault(cls.span, reason)
        for method in cls.methods:
            for word, _ in marks(method.decorators, _OF_CLASSES):
                reason = f"`@{word}` marks a class, but `{method.name}` is a method"
                yield MarkFault(method.span, reason)
            for word, decorator in marks(method.decorators, HOOKS):
                if isinstance(decorator, Call):
                    reason = f"`@{word}` takes no arguments: write `@{word}`"
                    yield MarkFault(method.span, reason)


def stray_marks(
    module: Module, hierarchy: ClassHierarchy
) -> Iterator[MarkWithoutEffect]:
    """Yield each mark in an annotation that declares no attribute."""
    for stray in module.stray_marks:
        names = (hierarchy.full_name(Name(word), module) for word in stray.words)
        if not {_SAVED, *_SAVE}.isdisjoint(names):
            correct = f"write `{stray.type}`" if stray.type else ""
            correct += f", or `{stray.meant}` where it is assigned" * bool(stray.meant)
            yield MarkWithoutEffect("", stray.code, stray.span, stray.reason, correct)


def _unimported(
    expression: Expression,
    is_marked: bool,
    symbol: ClassSymbol,
    hierarchy: ClassHierarchy,
) -> str:
    """Return the import that a mark needs, if nothing in the file binds its name; or ""."""

    def lacks(dotted: str) -> bool:
        return not hierarchy.full_name_in(dotted, symbol)

    if symbol.module.star_imports:
        return ""
    match expression:
        case Subscript(Name(dotted), (_, *metadata)) if metadata:
            words = [*map(_name, metadata)] if is_marked else [dotted]
            words += [] if is_marked else map(_name, metadata)
            for word in words:
                if word in _NAMES and lacks(word):
                    return f"from savegen import {word}"
            full_names = [
                hierarchy.full_name_in(each, symbol) for each in words if each
            ]
            is_mark = not {_SAVED, *_SAVE}.isdisjoint(full_names)
            if is_mark and dotted == "Annotated" and lacks(dotted):
                return "from typing import Annotated"
            if is_mark and dotted == "typing.Annotated" and lacks(dotted):
                return "import typing"
    for dotted in () if is_marked else _names_in(expression):
        if dotted == "Saved" and lacks(dotted):
            return "from savegen import Saved"
        if dotted == "savegen.Saved" and lacks(dotted):
            return "import savegen"
    return ""


def _names_in(expression: Expression) -> Iterator[str]:
    match expression:
        case Name(dotted):
            yield dotted
        case Subscript(base, members):
            for each in (base, *members):
                yield from _names_in(each)
        case UnionAnnotation(members):
            for each in members:
                yield from _names_in(each)


def _annotated(symbol: ClassSymbol) -> Iterator[Attribute]:
    for attribute in symbol.declaration.attributes:
        if attribute.annotation is not None:
            yield attribute
    for method in symbol.declaration.methods:
        if method.returns is not None:
            yield Attribute(method.name, method.returns, None, method.span, None)


class _MarkSearch:
    """Removes the marks from one annotation, and remembers the first of them."""

    def __init__(self, hierarchy: ClassHierarchy, symbol: ClassSymbol) -> None:
        self._hierarchy = hierarchy
        self._module = symbol.module  # where the names of the expression are looked up
        self._scope = symbol.declaration.qualname
        self._class = symbol
        self._followed: set[str] = set()  # full names of the aliases that were read
        self._alias = ""  # the alias that contains the mark
        self.mark = ""  # the mark as short code: `Saved[…]`
        self._template = ""  # the correct form of the mark: `Saved[{}]`
        self._is_outermost = False  # but in a form that marks no field

    def without_marks(
        self, expression: Expression, is_outermost: bool = True
    ) -> Expression:
        """Return a type without the marks in it."""
        match expression:
            case Name(dotted) if self._full_name(dotted) == _SAVED:
                self._remember(f"{dotted}[…]", self._template_for(dotted), is_outermost)
                return _ANY
            case Name(dotted) if is_outermost and self._is_mark(dotted):  # `hp: Save`
                mark = f"{dotted}()"
                self._remember(mark, f"Annotated[{{}}, {mark}]", is_outermost)
                return _ANY
            case Name(dotted) if alias := self._alias_named(dotted):
                return self._without_alias(alias, dotted, is_outermost) or expression
            case Call(Name(dotted), arguments) if self._is_mark(dotted):
                template = self._template_for(dotted, expression)
                self._remember(f"{dotted}(…)", template, is_outermost)
                return self._first(arguments)
            case Subscript(Name(dotted), arguments) if self._is_mark(dotted):
                self._remember(f"{dotted}[…]", self._template_for(dotted), is_outermost)
                return self._first(arguments)
            case Subscript(Name(dotted), arguments):
                if self._full_name(dotted) == "typing.Annotated":
                    return self._without_metadata(expression, is_outermost)
                return Subscript(expression.base, self._all(arguments))
            case UnionAnnotation(members):
                return UnionAnnotation(self._all(members))
            case CollectionLiteral(members, opening):
                return CollectionLiteral(self._all(members), opening)
        return expression

    def _without_metadata(
        self, expression: Subscript, is_outermost: bool
    ) -> Expression:
        inner, *metadata = expression.arguments
        unmarked: list[Expression] = []
        for value in metadata:
            dotted = _name(value)
            full_name = self._full_name(dotted) if dotted else None
            if full_name == _SAVED:
                self._remember(f"{dotted}[…]", self._template_for(dotted), is_outermost)
            elif full_name in _SAVE:
                mark = f"{dotted}(…)" if _has_arguments(value) else f"{dotted}()"
                template = f"{short_code(expression.base)}[{{}}, {mark}]"
                self._remember(mark, template, is_outermost)
            else:
                unmarked.append(value)
        inner = self.without_marks(inner, False)
        return Subscript(expression.base, (inner, *unmarked)) if unmarked else inner

    def _first(self, arguments: tuple[Expression, ...]) -> Expression:
        if not arguments or _is_text(arguments[0]):  # no type: `Save("hp")`
            return _ANY
        return self.without_marks(arguments[0], False)

    def _all(self, parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(self.without_marks(part, False) for part in parts)

    def _remember(self, mark: str, template: str, is_outermost: bool) -> None:
        if not self.mark:
            self.mark, self._template = mark, template
            self._is_outermost = is_outermost

    def _is_mark(self, dotted: str) -> bool:
        return self._full_name(dotted) in (_SAVED, *_SAVE)

    def _full_name(self, dotted: str) -> str | None:
        return self._hierarchy.full_name(Name(dotted), self._module, self._scope)

    def _alias_named(self, dotted: str) -> AliasSymbol | None:
        alias = self._hierarchy.unmarked_alias(dotted, self._module, self._scope)
        if alias is None or len(self._followed) >= _MAX_ALIASES:
            return None
        return None if alias.full_name in self._followed else alias

    def _without_alias(
        self, alias: AliasSymbol, dotted: str, is_outermost: bool
    ) -> Expression | None:
        """Return the expression of an alias without its marks; `None` if it has no mark."""
        outer, earlier_mark = (self._module, self._scope), self.mark
        self._module, self._scope = alias.module, ""
        self._followed.add(alias.full_name)
        inner = self.without_marks(alias.expression, is_outermost)
        self._module, self._scope = outer
        if self.mark == earlier_mark:
            return None
        self._alias = dotted
        return inner

    def _template_for(self, dotted: str, call: Call | None = None) -> str:
        """Return the correct form of a mark around a type, with a name that the file imports."""
        if self._full_name(dotted) == _SAVED and self._module is self._class.module:
            return f"{dotted}[{{}}]"
        prefix = "".join(dotted.rpartition(".")[:2])
        if call is None or not (call.keywords or any(map(_is_text, call.arguments))):
            return f"{self._name_of(_SAVED, prefix) or 'Saved'}[{{}}]"
        annotated = self._name_of("typing.Annotated") or "Annotated"
        return f"{annotated}[{{}}, {dotted}(…)]"

    def _name_of(self, full_name: str, prefix: str = "") -> str:
        """Return the name under which the file of the class imports an object, or ""."""
        word = full_name.rpartition(".")[2]
        imports = self._class.module.imports
        modules = (name for name in imports if imports[name].name is None)
        members = (f"{module}.{word}" for module in modules)
        names = (f"{prefix}{word}", word, *imports, *members)
        full_name_in = self._hierarchy.full_name_in
        usable = (n for n in names if full_name_in(n, self._class) == full_name)
        return next(usable, "")

    def reason(self, expression: Expression, inner: Expression) -> str:
        """Return the reason for the fault: the mistake in an annotation, and the correct form."""
        code = self._template.format(short_code(inner))
        correct = f"`{code}`{_to_import(code, self._class, self._hierarchy)}"
        if self._is_outermost:
            return f"`{short_code(expression)}` does not mark a field: write {correct}"
        if self._alias:
            return (
                f"`{self._alias}` contains `{self.mark}`, which must be outermost:"
                f" write {correct}"
            )
        return f"`{self.mark}` must be outermost: write {correct}"

    @property
    def class_variable_reason(self) -> str:
        """The reason for the fault of a mark in `ClassVar`."""
        return (
            f"`{self.mark}` has no effect inside `ClassVar`, because savegen does not"
            f" save class variables: remove `{self.mark}` or `ClassVar`"
        )


def _to_import(code: str, symbol: ClassSymbol, hierarchy: ClassHierarchy) -> str:
    """Return the imports that a proposed annotation needs; "" if the file has them."""
    text = ""
    for word in dict.fromkeys(_WORD.findall(code)):
        source = "typing" if word == "Annotated" else "savegen"
        if hierarchy.full_name_in(word, symbol) != f"{source}.{word}":
            text += f" and import `{word}` from `{source}`"
    return text


def with_setter(field: str, name: str, hierarchy: ClassHierarchy) -> str:
    """Return the annotation to write for a field, so that a load calls its property setter."""
    annotations = (
        attribute.annotation
        for symbol in hierarchy.declarations(name)
        for attribute in symbol.declaration.attributes
        if attribute.name == field and attribute.annotation is not None
    )
    match next(annotations, None):
        case Subscript(_, (inner, *metadata)):
            arguments = "…, " if any(map(_has_arguments, metadata)) else ""
            return f"Annotated[{short_code(inner)}, Save({arguments}setter=True)]"
    return "Annotated[…, Save(setter=True)]"


def _is_text(expression: Expression) -> bool:
    return isinstance(expression, Constant) and isinstance(expression.value, str)


def _name(expression: Expression) -> str:
    named = expression.function if isinstance(expression, Call) else expression
    return named.dotted if isinstance(named, Name) else ""


def _has_arguments(expression: Expression) -> bool:
    return isinstance(expression, Call) and bool(
        expression.arguments or expression.keywords
    )


def short_code(expression: Expression) -> str:
    """Return an expression as short Python code; the arguments of most calls become `…`.

    >>> short_code(Subscript(Name("list"), (UnionAnnotation((Name("int"), Constant("None"))),)))
    'list[int | None]'
    """
    match expression:
        case Name(text) | Constant(text) | Other(text):
            return text
        case Subscript(base, arguments):
            return f"{short_code(base)}[{', '.join(map(short_code, arguments))}]"
        case UnionAnnotation(members):
            return " | ".join(map(short_code, members))
        case Call(function, (only,), ()) if not isinstance(only, Other):
            return f"{short_code(function)}({short_code(only)})"
        case Call(function, arguments, keywords):
            return f"{short_code(function)}({'…' if arguments or keywords else ''})"
        case CollectionLiteral(members, opening):
            closing = {"(": ")", "[": "]", "{": "}"}[opening]
            return f"{opening}{', '.join(map(short_code, members))}{closing}"
    return "…"
