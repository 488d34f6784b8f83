"""Find marks that have no effect, because they are inside a type or written wrongly."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import MarkFault
from savegen.resolve.lineage import Lineage
from savegen.resolve.names import ClassSymbol
from savegen.scan.declarations import (
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
_ANY = Other("…")


def misplaced_marks(lineage: Lineage, symbol: ClassSymbol) -> Iterator[MarkFault]:
    """Yield the annotations of a class that name a mark but do not mark their field."""
    for attribute in _annotated(symbol):
        assert attribute.annotation is not None
        search = _Search(lineage, symbol)
        if search.is_saved(attribute.annotation):
            continue  # most fields are marked so, and this takes less time
        inner = search.without_marks(attribute.annotation)
        if search.written and lineage.annotation(symbol, attribute).mark is None:
            reason = search.reason(attribute.annotation, inner)
            yield MarkFault(attribute.span, reason)


def _annotated(symbol: ClassSymbol) -> Iterator[Attribute]:
    for attribute in symbol.declaration.attributes:
        if attribute.annotation is not None:
            yield attribute
    for method in symbol.declaration.methods:
        if method.returns is not None:
            yield Attribute(method.name, method.returns, None, method.span, None)


class _Search:
    """Looks for marks in an annotation, and remembers the first."""

    def __init__(self, lineage: Lineage, symbol: ClassSymbol) -> None:
        self._lineage = lineage
        self._symbol = symbol
        self.written = ""  # `Saved[…]`
        self._outermost = ""  # the mark around the whole type: `Saved[{}]`
        self._is_whole = False  # the mark is outermost, but it is none of a field

    def is_saved(self, expression: Expression) -> bool:
        """Return whether an annotation is `Saved[…]`."""
        match expression:
            case Subscript(Name(dotted), _):
                return self._means(dotted) == _SAVED
        return False

    def without_marks(
        self, expression: Expression, is_whole: bool = True
    ) -> Expression:
        """Return a type without the marks in it."""
        match expression:
            case Name(dotted) if self._means(dotted) == _SAVED:
                self._find(f"{dotted}[…]", _saved(dotted), is_whole)
                return _ANY
            case Call(Name(dotted), arguments) if self._is_mark(dotted):
                self._find(f"{dotted}(…)", _saved(dotted), is_whole)
                return self._first(arguments)
            case Subscript(Name(dotted), arguments) if self._is_mark(dotted):
                self._find(f"{dotted}[…]", _saved(dotted), is_whole)
                return self._first(arguments)
            case Subscript(Name(dotted), arguments):
                if self._means(dotted) == "typing.Annotated":
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
            meant = self._means(dotted) if dotted else None
            if meant == _SAVED:
                self._find(f"{dotted}[…]", _saved(dotted), is_whole)
            elif meant in _SAVE:
                mark = f"{dotted}(…)" if _has_arguments(each) else f"{dotted}()"
                self._find(mark, f"{code(expression.base)}[{{}}, {mark}]", is_whole)
            else:
                others.append(each)
        inner = self.without_marks(inner, False)
        return Subscript(expression.base, (inner, *others)) if others else inner

    def _first(self, arguments: tuple[Expression, ...]) -> Expression:
        return self.without_marks(arguments[0], False) if arguments else _ANY

    def _all(self, parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(self.without_marks(part, False) for part in parts)

    def _find(self, written: str, outermost: str, is_whole: bool) -> None:
        if not self.written:
            self.written, self._outermost = written, outermost
            self._is_whole = is_whole

    def _is_mark(self, dotted: str) -> bool:
        return self._means(dotted) in (_SAVED, *_SAVE)

    def _means(self, dotted: str) -> str | None:
        return self._lineage.named(dotted, self._symbol)

    def reason(self, expression: Expression, inner: Expression) -> str:
        """Return what is wrong with an annotation, and what to write instead."""
        better = self._outermost.format(code(inner))
        if self._is_whole:
            return f"`{code(expression)}` does not mark a field: write `{better}`"
        return f"`{self.written}` must be outermost: write `{better}`"


def with_setter(field: str, name: str, lineage: Lineage) -> str:
    """Return the annotation that lets a load call the setter of a property."""
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


def _saved(dotted: str) -> str:
    module, dot, _ = dotted.rpartition(".")
    return f"{module}{dot}Saved[{{}}]"


def _name(expression: Expression) -> str:
    named = expression.function if isinstance(expression, Call) else expression
    return named.dotted if isinstance(named, Name) else ""


def _has_arguments(expression: Expression) -> bool:
    return isinstance(expression, Call) and bool(
        expression.arguments or expression.keywords
    )


def code(expression: Expression) -> str:
    """Return an expression as Python code; of calls the function only.

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
