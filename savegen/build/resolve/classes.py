"""Find the kinds of types, and the plain classes of the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from msgspec.structs import replace

from savegen.build.kinds import (
    ANY,
    CONTAINERS,
    KINDS,
    PRESET_PREFIX,
    SCALARS,
    Classes,
    DeclaredCodec,
    Kind,
    PlainClass,
    RecordField,
    Type,
    refused,
    walk,
)
from savegen.build.model import PlainRecord
from savegen.build.resolve.arguments import names, save_arguments
from savegen.build.resolve.construction import constructor_argument, is_constructible
from savegen.build.resolve.dependencies import SUBCLASSES_OF, Cache, Dependencies
from savegen.build.resolve.given_values import GivenValues
from savegen.build.resolve.hierarchy import ClassHierarchy, is_member
from savegen.build.resolve.names import UNREAD, ClassSymbol
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import Call, Class, Constant, Expression, Name
from savegen.findings import Span

# Decorator → style of a plain class, and whether the decorator makes it frozen.
_DECORATORS = {
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


# The classes outside the project, besides those with presets, whose subclasses are kinds of their
# own. Nothing derives from the others.
VALUE_BASES = (
    SCALARS.keys() - {"None", "builtins.bool"}
    | CONTAINERS.keys()
    | {"numpy.ndarray", "random.Random"}
)
CONTENT = "content"  # the field of the record of such a subclass, in the model and in the lock
_UNKNOWN = Kind("refused", "unknown")
# The most plain classes in the text of the union of a class and its subclasses, which has the
# classes in their fields, too. A larger one would only cost space: a field has the type of the
# base, and the runtime packs objects of the subclasses as values of no declared type.
_MAX_IN_UNION = 64


class ProjectClasses:
    """The classes in the declarations of the project; implements `savegen.build.kinds.Classes`."""

    def __init__(
        self,
        hierarchy: ClassHierarchy,
        dependencies: Dependencies,
        ancestors: Set[str],
        settings: Settings,
        with_subclasses_of: Callable[[str], Iterable[str]],
    ) -> None:
        """`ancestors` are the bases of all saveable classes, as in `Resolver.ancestors`.

        `with_subclasses_of` is as in `Resolver`.
        """
        self._settings = settings
        self._with_subclasses_of = with_subclasses_of
        self.hierarchy = hierarchy
        self._dependencies = dependencies
        self._ancestors = ancestors
        pairs = (each.partition(" ") for each in sorted(ancestors) if " " in each)
        self._stand_ins = {library: stand_in for library, _, stand_in in pairs}
        hierarchy.set_stand_ins(self._stand_ins)
        self._plain: Cache[str, PlainClass | None] = {}
        self._kinds: Cache[Type, Kind] = {}
        self._plain_kinds: Cache[str, Kind] = {}
        self._subclasses: Cache[str, tuple[str, ...]] = {}
        self._value_bases: Cache[Type, Type | None] = {}
        self._plain_subclasses: Cache[str, tuple[PlainClass, ...]] = {}
        self._records: Cache[str, PlainRecord] = {}
        self._types: dict[Type, Type] = {}

    def shared(self, type: Type) -> Type:
        """Return the first type that was equal to `type`, so that equal types are one object."""
        return self._types.setdefault(type, type)

    def codec_of(self, name: str) -> DeclaredCodec | None:
        """Return the codec of a class, with what the source of the codec declares."""
        codec = self._settings.codec_of(name)
        module, _, codec_name = (codec.name if codec else "").partition(":")
        declared = self.hierarchy.module_named(module) if codec_name else None
        if codec is None or declared is None or codec.immutable:
            return codec
        value = declared.aliases.get(codec_name, Name(codec_name))
        made_by = value.function if isinstance(value, Call) else value
        cls = self.hierarchy.full_name(made_by, declared) or ""
        immutable = any(
            attribute.name == "immutable" and attribute.default == Constant("True")
            for symbol in self.hierarchy.declarations(cls)
            for attribute in symbol.declaration.attributes
        )
        return replace(codec, immutable=immutable)

    def kind_of(self, type: Type) -> Kind:
        return self._dependencies.remember(
            self._kinds, type, _UNKNOWN, lambda: _recognise(type, self)
        )

    def is_saveable(self, name: str) -> bool:
        """Return whether a class is saveable, a base of a saveable class, or a protocol."""
        if ":" not in name:
            return False
        return (
            name in self._ancestors
            or self.hierarchy.is_saveable(name)
            or self.is_protocol(name)
        )

    def is_protocol(self, name: str) -> bool:
        return ":" in name and "typing.Protocol" in self.hierarchy.mro(name)

    def stand_in(self, name: str) -> str | None:
        """Return the stand-in for a class of a library, or `None`."""
        return self._stand_ins.get(name)

    def stands_for(self, name: str) -> tuple[str, ...]:
        return self.hierarchy.stands_for(name)

    def is_enum(self, name: str) -> bool:
        return self.hierarchy.is_enum(name)

    def is_flag(self, name: str) -> bool:
        return self.hierarchy.is_flag(name)

    def enum_subclasses(self, name: str) -> tuple[str, ...]:
        symbol = self.hierarchy.class_named(name)
        if symbol is None or any(map(is_member, symbol.declaration.attributes)):
            return ()  # Python allows no subclass of an enumeration with members
        return self.subclasses(name)

    def plain_class(self, name: str) -> PlainClass | None:
        if ":" not in name:
            return None
        return self._dependencies.remember(
            self._plain, name, None, lambda: self._read_plain(name)
        )

    def kind_of_plain(self, plain: PlainClass) -> Kind:
        preliminary = _PreliminaryKinds(self).kind_of_plain(plain)
        return self._dependencies.remember(
            self._plain_kinds, plain.name, preliminary, lambda: self._decide_kind(plain)
        )

    def value_base(self, type: Type) -> Type | None:
        if ":" not in type.name or "<locals>" in type.name:
            return None
        return self._dependencies.remember(
            self._value_bases, type, None, lambda: self._find_value_base(type)
        )

    def _find_value_base(self, type: Type) -> Type | None:
        name = type.name
        if self.is_enum(name) or self.is_saveable(name):
            return None
        bindings = self.hierarchy.bindings(name, type.arguments)
        for symbol in self.hierarchy.declarations(name):
            bases = self.hierarchy.bases(symbol.name)
            for base, expression in zip(bases, symbol.declaration.bases):
                if self._is_value(base):
                    types = bindings.get(symbol.name, {})
                    found = self.hierarchy.base_type(expression, symbol, types)
                    return self._with_parameters(found, name)
        return None

    def _is_value(self, name: str) -> bool:
        """Return whether a class outside the project has subclasses that are kinds of their own."""
        codec = self._settings.codec_of(name)
        if codec is not None:
            return codec.name.startswith(PRESET_PREFIX)
        return name in VALUE_BASES

    def _with_parameters(self, type: Type, name: str) -> Type:
        """Return the base of a class, with `ANY` for parameters that say nothing of members.

        Such a parameter is missing, or it contains the class itself.
        """
        container = CONTAINERS.get(type.name)
        count = container.parameters if container else None
        if type.name == "builtins.tuple" and not (type.arguments or type.literals):
            return Type(type.name, (ANY, Type("...")))
        if count and len(type.arguments) != count:
            return Type(type.name, (ANY,) * count)
        return _without_unknown(type, lambda inner: self._contains(inner, name))

    def _contains(self, inner: str, name: str) -> bool:
        """Return whether a class is the class `name`, or derives from a container of it."""
        if inner == name:
            return True
        base = self.value_base(Type(inner))
        return base is not None and any(
            self._contains(each, name) for each in names_in(base) if each != base.name
        )

    def plain_subclasses(self, plain: PlainClass) -> tuple[PlainClass, ...]:
        return self._dependencies.remember(
            self._plain_subclasses, plain.name, (), lambda: self._in_union(plain)
        )

    def _in_union(self, plain: PlainClass) -> tuple[PlainClass, ...]:
        """Return the subclasses of a plain class; none if their union would be too large."""
        found = self.savable_subclasses(plain)
        if not found:
            return ()
        count = 0
        outermost: tuple[str, ...] = ()
        waiting = [(outermost, each) for each in (plain, *found)]
        while waiting and count <= _MAX_IN_UNION:
            enclosing, each = waiting.pop()
            if each.name not in enclosing:
                count += 1
                inside = self._plain_in(each)
                inside += [s for p in inside for s in self.savable_subclasses(p)]
                waiting += [((*enclosing, each.name), inner) for inner in inside]
        return found if count <= _MAX_IN_UNION else ()

    def savable_subclasses(self, plain: PlainClass) -> tuple[PlainClass, ...]:
        """Return the subclasses of a plain class whose fields can all be saved, sorted by name."""
        if plain.style == "typeddict":  # its subclasses look the same: they are dicts
            return ()
        found = map(self.plain_class, self.subclasses(plain.name))
        return tuple(p for p in found if p and not self.unsavable_field(p))

    def kinds_of_subclasses(self, name: str) -> list[Kind]:
        """Return the kinds of the subclasses of a plain class, even if they are in no union."""
        plain = self.plain_class(name)
        return [
            *map(self.kind_of_plain, self.savable_subclasses(plain) if plain else ())
        ]

    def unsavable_field(self, plain: PlainClass) -> tuple[str, Kind] | None:
        """Return the first field of a plain class that cannot be saved, and its kind, or `None`.

        It may be in a plain class in one of its fields.
        """
        preliminary = _PreliminaryKinds(self)
        for inner in self._nested_in(plain, with_subclasses=False):
            for field in inner.fields:
                kind = preliminary.kind_of(field.type)
                for part in walk(kind):
                    if part.kind == "refused":
                        owner = inner.name.rpartition(":")[2].rpartition(".")[2]
                        return f"{owner}.{field.name}", part
        return None

    def subclasses(self, name: str) -> tuple[str, ...]:
        """Return the subclasses of a class in the project, sorted; without saveable ones."""
        return self._dependencies.remember(
            self._subclasses, name, (), lambda: self._find_subclasses(name)
        )

    def _find_subclasses(self, name: str) -> tuple[str, ...]:
        simple_name = name.rpartition(":")[2].rpartition(".")[2]
        self._dependencies.add(f"{SUBCLASSES_OF}{simple_name}")
        modules = map(
            self.hierarchy.module_named, self._with_subclasses_of(simple_name)
        )
        return tuple(
            sorted(
                symbol.name
                for module in modules
                if module is not None
                for symbol in self.hierarchy.classes_in(module)
                if name in self.hierarchy.mro(symbol.name)[1:]
                and "<locals>" not in symbol.name
                and not self.is_saveable(symbol.name)
            )
        )

    def record(self, kind: Kind) -> PlainRecord:
        """Return the plain class of a kind, with the kinds of its fields."""
        unfinished = PlainRecord(kind.name, kind, "", ())
        return self._dependencies.remember(
            self._records, kind.name, unfinished, lambda: self._read_record(kind)
        )

    def _read_record(self, kind: Kind) -> PlainRecord:
        bases = tuple(s.name for s in self.hierarchy.declarations(kind.name)[1:])
        if kind.kind == "subclass":
            kind = self.kind_of(Type(kind.name))  # `Box`, not `Box[int]`
            symbol, (content,) = self.hierarchy.class_named(kind.name), kind.parts
            assert symbol is not None
            return PlainRecord(
                kind.name,
                kind,
                "subclass",
                ((CONTENT, content, True),),
                field_marks=((symbol.declaration.span, ()),),
                bases=bases,
            )
        plain = self.plain_class(kind.name)
        assert plain is not None
        former_names, given = self._former_names(kind.name), self._given(kind.name)
        kinds = {
            field.name: given.kind(field.name, self.kind_of(field.type))
            for field in plain.fields
        }
        return PlainRecord(
            kind.name,
            kind,
            plain.style,
            tuple(
                (field.name, kinds[field.name], not field.may_be_absent)
                for field in plain.fields
            ),
            tuple(
                (field.keyword, field.has_default)
                for field in plain.fields
                if plain.constructible
            ),
            tuple(former_names[field.name] for field in plain.fields),
            bases=bases,
        )

    def _given(self, name: str) -> GivenValues:
        return GivenValues(self.hierarchy.declarations(name), self.hierarchy)

    def _former_names(self, name: str) -> dict[str, tuple[Span, tuple[str, ...]]]:
        """Return the span and the former names of each field of a plain class."""
        by_field: dict[str, tuple[Span, tuple[str, ...]]] = {}
        for symbol in reversed(self.hierarchy.declarations(name)):
            for attribute in symbol.declaration.attributes:
                if attribute.annotation is not None and attribute.method is None:
                    mark = self.hierarchy.annotation(symbol, attribute).mark
                    arguments = save_arguments(mark.call).values if mark else {}
                    mangled = symbol.mangled_name(attribute.name)
                    by_field[mangled] = attribute.span, names(arguments.get("was", ()))
        return by_field

    def _read_plain(self, name: str) -> PlainClass | None:
        symbol = self._declaring(name)
        if symbol is None or self.value_base(Type(name)) is not None:
            return None
        style, frozen = self.style(symbol)
        fields = tuple(self._fields(symbol.name, style))
        declarations = self.hierarchy.declarations(name)
        own = declarations[: declarations.index(symbol) + 1]
        has_hash = any(_has_hash(each.declaration) for each in own)
        hashable = style == "namedtuple" or frozen or has_hash
        constructible = is_constructible(name, self.hierarchy)
        return PlainClass(name, style, frozen, hashable, fields, constructible)

    def _declaring(self, name: str) -> ClassSymbol | None:
        """Return the class that declares the fields of a plain class: itself, or a base.

        A subclass of a dataclass without a decorator, or of a NamedTuple, adds none.
        """
        for symbol in self.hierarchy.declarations(name):
            style, _ = self.style(symbol)
            if style == "namedtuple":
                if "typing.NamedTuple" in self.hierarchy.bases(symbol.name):
                    return symbol
            elif style:
                return symbol
        return None

    def style(self, symbol: ClassSymbol) -> tuple[str, bool]:
        """Return the style of a plain class, such as "attrs", and whether it is frozen.

        The style of an ordinary class is "".
        """
        for decorator, name in self.hierarchy.decorators(symbol):
            if name in _DECORATORS:
                style, frozen = _DECORATORS[name]
                return style, frozen or _literal(decorator, "frozen") is True
        for base in self.hierarchy.mro(symbol.name):
            if base in _BASES:
                style = _BASES[base]
                frozen = style == "namedtuple" or (
                    style == "struct" and _literal(symbol.declaration, "frozen") is True
                )
                return style, frozen
        return "", False

    def _fields(self, name: str, style: str) -> Iterator[RecordField]:
        fields: dict[str, RecordField] = {}
        given = self._given(name)
        for symbol in reversed(list(self.hierarchy.declarations(name))):
            total = _literal(symbol.declaration, "total") is not False
            for attribute in symbol.declaration.attributes:
                if attribute.annotation is None or attribute.method is not None:
                    continue
                annotation = self.hierarchy.annotation(symbol, attribute)
                if annotation.class_variable or is_no_field(annotation.type):
                    continue
                is_not_required = not total or annotation.not_required
                may_be_absent = style == "typeddict" and is_not_required
                keyword, has_default = constructor_argument(
                    attribute, symbol, style, self.hierarchy
                )
                mangled = symbol.mangled_name(attribute.name)
                fields[mangled] = RecordField(
                    mangled,
                    given.type(mangled, annotation.type),
                    may_be_absent,
                    keyword,
                    has_default or may_be_absent,
                )
        yield from fields.values()

    def _decide_kind(self, plain: PlainClass) -> Kind:
        """Return the kind of a plain class.

        It is a value if it is frozen and everything that it can contain is immutable, otherwise
        a record.
        """
        nested = self._nested_in(plain)
        preliminary = _PreliminaryKinds(self)
        kinds = [preliminary.kind_of(f.type) for inner in nested for f in inner.fields]
        is_value = all(inner.frozen for inner in nested) and all(
            kind.immutable for kind in kinds
        )
        return Kind(
            "value" if is_value else "record",
            plain.name,
            immutable=is_value,
            references=any(kind.references for kind in kinds),
            hashable=plain.hashable and all(kind.hashable for kind in kinds),
        )

    def _nested_in(
        self, plain: PlainClass, with_subclasses: bool = True
    ) -> list[PlainClass]:
        """Return `plain`, the plain classes in its fields, those in their fields, and so on."""
        nested = {plain.name: plain}
        waiting = [plain]
        while waiting:
            for inner in self._plain_in(waiting.pop()):
                subclasses = self.plain_subclasses(inner) if with_subclasses else ()
                for each in (inner, *subclasses):
                    if each.name not in nested:
                        nested[each.name] = each
                        waiting.append(each)
        return list(nested.values())

    def _plain_in(self, plain: PlainClass) -> list[PlainClass]:
        """Return the plain classes in the types of the fields of a plain class, with repeats."""
        return [
            inner
            for field in plain.fields
            for name in self._names_in(field.type)
            if not self.is_saveable(name) and (inner := self.plain_class(name))
        ]

    def _names_in(
        self, type: Type, enclosing: frozenset[str] = frozenset()
    ) -> Iterator[str]:
        """Yield the names in a type, and in the bases of subclasses such as `Deck(list[Card])`."""
        for name in names_in(type):
            yield name
            base = None if name in enclosing else self.value_base(Type(name))
            if base is not None:
                yield from self._names_in(base, enclosing | {name})


class _PreliminaryKinds:
    """The same classes, except that every plain class is a value.

    It is used to find the kind of a plain class, which can contain itself.
    """

    def __init__(self, classes: ProjectClasses) -> None:
        self.codec_of = classes.codec_of
        self.is_saveable = classes.is_saveable
        self.is_protocol = classes.is_protocol
        self.stand_in, self.stands_for = classes.stand_in, classes.stands_for
        self.is_enum = classes.is_enum
        self.is_flag = classes.is_flag
        self.enum_subclasses = classes.enum_subclasses
        self.plain_class = classes.plain_class
        self.value_base = classes.value_base

    def kind_of(self, type: Type) -> Kind:
        return _recognise(type, self)

    def kind_of_plain(self, plain: PlainClass) -> Kind:
        return Kind("value", plain.name, immutable=True, hashable=True)

    def plain_subclasses(self, plain: PlainClass) -> tuple[PlainClass, ...]:
        return ()  # `_nested_in` returns them


def _recognise(type: Type, classes: Classes) -> Kind:
    kinds = (kind for module in KINDS if (kind := module.recognise(type, classes)))
    return next(kinds, None) or _refused(type)


def _without_unknown(type: Type, is_unknown: Callable[[str], bool]) -> Type:
    if type.name in _ANYTHING or is_unknown(type.name):
        return ANY
    arguments = (_without_unknown(each, is_unknown) for each in type.arguments)
    return Type(type.name, tuple(arguments), type.literals)


def names_in(type: Type) -> Iterator[str]:
    """Yield the full names of a type and of the types in its arguments."""
    yield type.name
    for argument in type.arguments:
        yield from names_in(argument)


def _refused(type: Type) -> Kind:
    """Return the kind of a type that no kind recognises, with the reason."""
    name = type.name
    if name == "?":
        return Kind("refused", "unknown", values=type.literals)
    if name.startswith(UNREAD):  # its module has a finding already
        return refused("unread", name)
    if name in _ANYTHING:
        variable = next(iter(type.literals), "")
        return refused("anything", variable or name.rpartition(".")[2])
    if name == "collections.abc.Callable":
        return refused("callable", "callable")
    module, _, simple = name.rpartition(".")
    if module in ("collections.abc", "typing") and simple in _ABSTRACT:
        return refused("abstract", simple)
    return refused("project" if ":" in name else "foreign", name)


_ANYTHING = ("typing.Any", "builtins.object", "builtins.any")
_ABSTRACT = frozenset(
    "Collection Iterable Mapping MutableMapping MutableSequence MutableSet Reversible"
    " Sequence Set".split()
)


def is_no_field(type: Type) -> bool:
    """Return whether an annotation with this type declares no field of a dataclass."""
    return type.name in ("dataclasses.InitVar", "dataclasses.KW_ONLY")


def _has_hash(declaration: Class) -> bool:
    """Return whether a plain class has `__hash__` or sets `unsafe_hash=True`."""
    return any(method.name == "__hash__" for method in declaration.methods) or any(
        isinstance(d, Call) and _literal(d, "unsafe_hash") is True
        for d in declaration.decorators
    )


def _literal(source: Expression | Class, keyword: str) -> object:
    """Return the constant that a call or class statement passes for a keyword, or None."""
    keywords = source.keywords if isinstance(source, (Call, Class)) else ()
    value = dict(keywords).get(keyword)
    return value.value if isinstance(value, Constant) else None
