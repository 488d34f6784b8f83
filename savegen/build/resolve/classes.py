"""What the kinds ask about the classes of the project."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from savegen.build.kinds import (
    KINDS,
    Classes,
    Codec,
    Kind,
    PlainClass,
    RecordField,
    Type,
    refused,
)
from savegen.build.resolve.construction import constructed, is_constructible
from savegen.build.resolve.dependencies import Dependencies
from savegen.build.resolve.lineage import Lineage
from savegen.build.resolve.names import UNREAD, ClassSymbol, mangled
from savegen.build.scan.declarations import Call, Class, Constant, Expression

_DECORATORS = {  # decorator → style, frozen by itself
    "dataclasses.dataclass": ("dataclass", False),
    "attr.s": ("attrs", False),
    "attr.attrs": ("attrs", False),
    "attr.dataclass": ("attrs", False),
    "attr.define": ("attrs", False),
    "attr.mutable": ("attrs", False),
    "attr.frozen": ("attrs", True),
    "attrs.define": ("attrs", False),
    "attrs.mutable": ("attrs", False),
    "attrs.frozen": ("attrs", True),
}
_BASES = {
    "typing.NamedTuple": "namedtuple",
    "typing.TypedDict": "typeddict",
    "msgspec.Struct": "struct",
}


class ProjectClasses:
    """Answers from declarations; implements `savegen.build.kinds.Classes`."""

    def __init__(
        self,
        lineage: Lineage,
        dependencies: Dependencies,
        ancestors: Set[str],
        codec: Callable[[str], Codec | None],
    ) -> None:
        """`ancestors` are the classes that some saveable class inherits from."""
        self.codec = codec
        self.lineage = lineage
        self._dependencies = dependencies
        self._ancestors = ancestors
        self._plain: dict[str, tuple[PlainClass | None, frozenset[str]]] = {}
        self._kinds: dict[Type, tuple[Kind, frozenset[str]]] = {}
        self._plain_kinds: dict[str, tuple[Kind, frozenset[str]]] = {}
        self._types: dict[Type, Type] = {}

    def shared(self, type: Type) -> Type:
        """Return the one of all equal types that is kept: a big game has few different ones."""
        return self._types.setdefault(type, type)

    def kind_of(self, type: Type) -> Kind:
        return self._dependencies.remember(
            self._kinds, type, _refusal(type), lambda: _recognise(type, self)
        )

    def saveable(self, name: str) -> bool:
        """A marked class, a base of one, or a protocol for them."""
        if ":" not in name:
            return False
        return (
            name in self._ancestors
            or self.lineage.decorator(name, "savegen.saveable") is not None
            or "typing.Protocol" in self.lineage.mro(name)
        )

    def enum(self, name: str) -> bool:
        return self.lineage.is_enum(name)

    def flag(self, name: str) -> bool:
        return self.lineage.is_flag(name)

    def plain(self, name: str) -> PlainClass | None:
        if ":" not in name:
            return None
        return self._dependencies.remember(
            self._plain, name, None, lambda: self._read_plain(name)
        )

    def plain_kind(self, plain: PlainClass) -> Kind:
        guess = _Guess(self).plain_kind(plain)
        return self._dependencies.remember(
            self._plain_kinds, plain.name, guess, lambda: self._settle(plain)
        )

    def _read_plain(self, name: str) -> PlainClass | None:
        symbol = self.lineage.class_named(name)
        if symbol is None:
            return None
        style, frozen = self.style(symbol)
        if not style:
            return None
        fields = tuple(self._fields(name, style))
        hashable = style == "namedtuple" or frozen or _hashes(symbol.declaration)
        constructible = is_constructible(name, self.lineage)
        return PlainClass(name, style, frozen, hashable, fields, constructible)

    def style(self, symbol: ClassSymbol) -> tuple[str, bool]:
        """Return how a class is plain data, if it is, and whether it is frozen."""
        for decorator, name in self.lineage.decorators(symbol):
            if name in _DECORATORS:
                style, frozen = _DECORATORS[name]
                return style, frozen or _is_true(decorator, "frozen")
        for base in self.lineage.mro(symbol.name):
            if base in _BASES:
                style = _BASES[base]
                frozen = style == "namedtuple" or (
                    style == "struct" and _is_true(symbol.declaration, "frozen")
                )
                return style, frozen
        return "", False

    def _fields(self, name: str, style: str) -> Iterator[RecordField]:
        fields: dict[str, RecordField] = {}
        for symbol in reversed(list(self.lineage.declarations(name))):
            total = not _is_false(symbol.declaration, "total")
            for attribute in symbol.declaration.attributes:
                if attribute.annotation is None or attribute.method is not None:
                    continue
                read = self.lineage.annotation(symbol, attribute)
                if read.class_variable or is_no_field(read.type):
                    continue
                required = style != "typeddict" or (total and not read.not_required)
                keyword, optional = constructed(attribute, symbol, style, self.lineage)
                stored = mangled(attribute.name, symbol.declaration.name)
                fields[stored] = RecordField(
                    stored,
                    read.type,
                    required,
                    keyword,
                    optional or not required,
                )
        yield from fields.values()

    def _settle(self, plain: PlainClass) -> Kind:
        """Decide between value and record: by all that the class can lead to."""
        reach = self._reach(plain)
        guess = _Guess(self)
        kinds = [guess.kind_of(f.type) for reached in reach for f in reached.fields]
        value = all(r.frozen for r in reach) and all(k.immutable for k in kinds)
        return Kind(
            "value" if value else "record",
            plain.name,
            immutable=value,
            references=any(kind.references for kind in kinds),
            hashable=plain.hashable and all(kind.hashable for kind in kinds),
        )

    def _reach(self, plain: PlainClass) -> list[PlainClass]:
        """Return `plain` and every plain class that its fields lead to."""
        found = {plain.name: plain}
        waiting = [plain]
        while waiting:
            for field in waiting.pop().fields:
                for name in names_in(field.type):
                    inner = None if name in found else self.plain(name)
                    if inner is not None and not self.saveable(name):
                        found[name] = inner
                        waiting.append(inner)
        return list(found.values())


class _Guess:
    """The same classes, with every plain one taken for a value: it may lead to itself."""

    def __init__(self, classes: ProjectClasses) -> None:
        self.codec = classes.codec
        self.saveable = classes.saveable
        self.enum = classes.enum
        self.flag = classes.flag
        self.plain = classes.plain

    def kind_of(self, type: Type) -> Kind:
        return _recognise(type, self)

    def plain_kind(self, plain: PlainClass) -> Kind:
        return Kind("value", plain.name, immutable=True, hashable=True)


def _recognise(type: Type, classes: Classes) -> Kind:
    found = (kind for rule in KINDS if (kind := rule.recognise(type, classes)))
    return next(found, None) or _refusal(type)


def names_in(type: Type) -> Iterator[str]:
    """Yield the full names of all that a type is made of."""
    yield type.name
    for argument in type.arguments:
        yield from names_in(argument)


def _refusal(type: Type) -> Kind:
    name = type.name
    if name == "?":
        return Kind("refused", "unknown", values=type.literals)
    if name.startswith(UNREAD):  # that its file cannot be read is finding enough
        return refused("unread", name)
    if name in ("typing.Any", "builtins.object", "builtins.any"):
        variable = next(iter(type.literals), "")
        return refused("anything", variable or name.rpartition(".")[2])
    if name == "collections.abc.Callable":
        return refused("callable", "callable")
    module, _, simple = name.rpartition(".")
    if module in ("collections.abc", "typing") and simple in _ABSTRACT:
        return refused("abstract", simple)
    return refused("project" if ":" in name else "foreign", name)


_ABSTRACT = frozenset(
    "Collection Iterable Mapping MutableMapping MutableSequence MutableSet Reversible"
    " Sequence Set".split()
)


def is_no_field(type: Type) -> bool:
    """Tell whether an annotation only speaks to the decorator of the class."""
    return type.name in ("dataclasses.InitVar", "dataclasses.KW_ONLY")


def _hashes(declaration: Class) -> bool:
    """Tell whether a mutable plain class says itself that it can be hashed."""
    return any(method.name == "__hash__" for method in declaration.methods) or any(
        isinstance(d, Call) and _is_true(d, "unsafe_hash")
        for d in declaration.decorators
    )


def _is_true(source: Expression | Class, keyword: str) -> bool:
    return _literal(source, keyword) is True


def _is_false(source: Expression | Class, keyword: str) -> bool:
    return _literal(source, keyword) is False


def _literal(source: Expression | Class, keyword: str) -> object:
    keywords = source.keywords if isinstance(source, (Call, Class)) else ()
    value = dict(keywords).get(keyword)
    return value.value if isinstance(value, Constant) else None
