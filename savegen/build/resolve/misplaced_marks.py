"""Find marks without effect: they are inside a type, or not written correctly."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import MarkFault
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import AliasSymbol, ClassSymbol
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Other,
    Sequence,
    Subscript,
    Union,
)

_SAVED = "savegen.Saved"
_SAVE = ("savegen.Save", "savegen.SaveOverride")
_IMPORTED_FROM = {"Saved": "savegen", "Annotated": "typing"}
_ANY = Other("…")
_MAX_ALIASES = 64  # in one annotation


def misplaced_marks(lineage: Lineage, symbol: ClassSymbol) -> Iterator[MarkFault]:
    """Yield a fault for each annotation that contains a mark but does not mark its field."""
    for attribute in _annotated(symbol):
        assert attribute.annotation is not None
        search = _Search(lineage, symbol)
        if search.is_saved(attribute.annotation):
            continue  # a fast path for most fields
        inner = search.without_marks(attribute.annotation)
        if not search.written:
            continue
        annotation = lineage.annotation(symbol, attribute)
        if annotation.mark is None:
            reason = search.reason(attribute.annotation, inner)
            yield MarkFault(attribute.span, reason)
        elif annotation.class_variable:
            yield MarkFault(attribute.span, search.of_class_variable)


def _annotated(symbol: ClassSymbol) -> Iterator[Attribute]:
    for attribute in symbol.declaration.attributes:
        if attribute.annotation is not None:
            yield attribute
    for method in symbol.declaration.methods:
        if method.returns is not None:
            yield Attribute(method.name, method.returns, None, method.span, None)


class _Search:
    """Removes the marks from one annotation, and remembers the first of them."""

    def __init__(self, lineage: Lineage, symbol: ClassSymbol) -> None:
        self._lineage = lineage
        self._module = symbol.module  # where the names of the expression are looked up
        self._scope = symbol.declaration.qualname
        self._class = symbol
        self._followed: set[str] = set()  # aliases; each is read only once
        self._alias = ""  # the alias that contains the mark
        self.written = ""  # the mark as written: `Saved[…]`
        # A template for the mark around the whole type: `Saved[{}]`.
        self._outermost = ""
        # Whether the mark is outermost, but in a form that marks no field.
        self._is_whole = False

    def is_saved(self, expression: Expression) -> bool:
        """Return whether an annotation is `Saved[…]`."""
        match expression:
            case Subscript(Name(dotted), _):
                return self._full_name(dotted) == _SAVED
        return False

    def without_marks(
        self, expression: Expression, is_whole: bool = True
    ) -> Expression:
        """Return a type without the marks in it."""
        match expression:
            case Name(dotted) if self._full_name(dotted) == _SAVED:
                self._find(f"{dotted}[…]", self._outer(dotted), is_whole)
                return _ANY
            case Name(dotted) if alias := self._alias_named(dotted):
                return self._without_alias(alias, dotted, is_whole) or expression
            case Call(Name(dotted), arguments) if self._is_mark(dotted):
                outer = self._outer(dotted, expression)
                self._find(f"{dotted}(…)", outer, is_whole)
                return self._first(arguments)
            case Subscript(Name(dotted), arguments) if self._is_mark(dotted):
                self._find(f"{dotted}[…]", self._outer(dotted), is_whole)
                return self._first(arguments)
            case Subscript(Name(dotted), arguments):
                if self._full_name(dotted) == "typing.Annotated":
                    return self._without_metadata(expression, is_whole)
                return Subscript(expression.base, self._all(arguments))
            case Union(members):
                return Union(self._all(members))
            case Sequence(members, opening):
                return Sequence(self._all(members), opening)
        return expression

    def _without_metadata(self, expression: Subscript, is_whole: bool) -> Expression:
        inner, *metadata = expression.arguments
        others: list[Expression] = []
        for each in metadata:
            dotted = _name(each)
            full_name = self._full_name(dotted) if dotted else None
            if full_name == _SAVED:
                self._find(f"{dotted}[…]", self._outer(dotted), is_whole)
            elif full_name in _SAVE:
                mark = f"{dotted}(…)" if _has_arguments(each) else f"{dotted}()"
                self._find(mark, f"{code(expression.base)}[{{}}, {mark}]", is_whole)
            else:
                others.append(each)
        inner = self.without_marks(inner, False)
        return Subscript(expression.base, (inner, *others)) if others else inner

    def _first(self, arguments: tuple[Expression, ...]) -> Expression:
        if not arguments or _is_text(arguments[0]):  # no type: `Save("hp")`
            return _ANY
        return self.without_marks(arguments[0], False)

    def _all(self, parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(self.without_marks(part, False) for part in parts)

    def _find(self, written: str, outermost: str, is_whole: bool) -> None:
        if not self.written:
            self.written, self._outermost = written, outermost
            self._is_whole = is_whole

    def _is_mark(self, dotted: str) -> bool:
        return self._full_name(dotted) in (_SAVED, *_SAVE)

    def _full_name(self, dotted: str) -> str | None:
        return self._lineage.full_name(Name(dotted), self._module, self._scope)

    def _alias_named(self, dotted: str) -> AliasSymbol | None:
        alias = self._lineage.unmarked_alias(dotted, self._module, self._scope)
        if alias is None or len(self._followed) >= _MAX_ALIASES:
            return None
        return None if alias.place in self._followed else alias

    def _without_alias(
        self, alias: AliasSymbol, dotted: str, is_whole: bool
    ) -> Expression | None:
        """Return the expression of an alias without its marks; `None` if it has no mark."""
        outer, before = (self._module, self._scope), self.written
        self._module, self._scope = alias.module, ""
        self._followed.add(alias.place)
        inner = self.without_marks(alias.expression, is_whole)
        self._module, self._scope = outer
        if self.written == before:
            return None
        self._alias = dotted
        return inner

    def _outer(self, dotted: str, call: Call | None = None) -> str:
        """Return the template for a mark around the type, with a name that the file imports."""
        if self._full_name(dotted) == _SAVED and self._module is self._class.module:
            return f"{dotted}[{{}}]"
        prefix = "".join(dotted.rpartition(".")[:2])
        if call is None or not (call.keywords or any(map(_is_text, call.arguments))):
            return f"{self._name_of(_SAVED, prefix) or 'Saved'}[{{}}]"
        annotated = self._name_of("typing.Annotated") or "Annotated"
        return f"{annotated}[{{}}, {dotted}(…)]"

    def _name_of(self, full_name: str, prefix: str = "") -> str:
        """Return the name for an object in the file of the class, or ""."""
        word = full_name.rpartition(".")[2]
        imports = self._class.module.imports
        modules = (name for name in imports if imports[name].name is None)
        members = (f"{module}.{word}" for module in modules)
        names = (f"{prefix}{word}", word, *imports, *members)
        usable = (
            n for n in names if self._lineage.full_name_in(n, self._class) == full_name
        )
        return next(usable, "")

    def reason(self, expression: Expression, inner: Expression) -> str:
        """Return the text of the fault: the mistake in an annotation, and the correct form."""
        better = f"`{self._outermost.format(code(inner))}`{self._to_import}"
        if self._is_whole:
            return f"`{code(expression)}` does not mark a field: write {better}"
        if self._alias:
            return (
                f"`{self._alias}` contains `{self.written}`, which must be outermost:"
                f" write {better}"
            )
        return f"`{self.written}` must be outermost: write {better}"

    @property
    def _to_import(self) -> str:
        """The import that the advice needs; "" if the file already has it."""
        word = self._outermost.partition("[")[0]
        source = _IMPORTED_FROM.get(word)
        if (
            source is None
            or self._lineage.full_name_in(word, self._class) == f"{source}.{word}"
        ):
            return ""
        return f" and import `{word}` from `{source}`"

    @property
    def of_class_variable(self) -> str:
        """The text of the fault for a mark in `ClassVar`."""
        return (
            f"`{self.written}` has no effect inside `ClassVar`, because savegen does not"
            f" save class variables: remove `{self.written}` or `ClassVar`"
        )


def with_setter(field: str, name: str, lineage: Lineage) -> str:
    """Return the annotation to write for a field, so that a load calls its property setter."""
    for symbol in lineage.declarations(name):
        for attribute in symbol.declaration.attributes:
            if attribute.name == field and attribute.annotation is not None:
                return _with_setter(attribute.annotation)
    return "Annotated[…, Save(setter=True)]"


def _with_setter(annotation: Expression) -> str:
    match annotation:
        case Subscript(_, (inner, *metadata)):
            more = "…, " if any(map(_has_arguments, metadata)) else ""
            return f"Annotated[{code(inner)}, Save({more}setter=True)]"
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


def code(expression: Expression) -> str:
    """Return an expression as short Python code; the arguments of most calls become `…`.

    >>> code(Subscript(Name("list"), (Union((Name("int"), Constant("None"))),)))
    'list[int | None]'
    """
    match expression:
        case Name(text) | Constant(text) | Other(text):
            return text
        case Subscript(base, arguments):
            return f"{code(base)}[{', '.join(map(code, arguments))}]"
        case Union(members):
            return " | ".join(map(code, members))
        case Call(function, (only,), ()) if not isinstance(only, Other):
            return f"{code(function)}({code(only)})"
        case Call(function, arguments, keywords):
            return f"{code(function)}({'…' if arguments or keywords else ''})"
        case Sequence(members, opening):
            closing = {"(": ")", "[": "]", "{": "}"}[opening]
            return f"{opening}{', '.join(map(code, members))}{closing}"
    return "…"
