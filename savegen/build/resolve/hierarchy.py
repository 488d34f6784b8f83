"""The decorators, bases, method resolution order and type variables of the project's classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from savegen.build.kinds import Type
from savegen.build.resolve.arguments import Arguments, names, saveable_arguments
from savegen.build.resolve.dependencies import Cache, Dependencies
from savegen.build.resolve.names import (
    BUILTINS,
    AliasSymbol,
    ClassSymbol,
    NameResolver,
    mangled,
)
from savegen.build.resolve.types import (
    Annotation,
    Bindings,
    TypeResolver,
    bind_variables,
)
from savegen.build.scan.declarations import (
    Attribute,
    Call,
    Expression,
    Module,
    Name,
    Subscript,
)

SAVEABLE = "savegen.saveable"

_NamedDecorators: TypeAlias = tuple[tuple[Expression, str | None], ...]

_GENERIC = ("typing.Generic", "typing.Protocol")
_FLAGS = frozenset(f"enum.{name}" for name in ("Flag", "IntFlag"))
_ENUMS = _FLAGS | {f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum")}
_ABSTRACT = ("ABC", "Protocol")


class ClassHierarchy:
    """Finds the decorators, bases and annotations of classes by their full names."""

    def __init__(
        self, names: NameResolver, types: TypeResolver, dependencies: Dependencies
    ) -> None:
        self._names = names
        self._types = types
        self._dependencies = dependencies
        self._mro: Cache[str, tuple[str, ...]] = {}
        self._decorators: Cache[ClassSymbol, _NamedDecorators] = {}
        self._arguments: Cache[str, Arguments] = {}
        self._stand_ins: Mapping[str, str] = {}
        self._mixin_bases: Cache[str, str] = {}
        self._declarations: Cache[str, tuple[ClassSymbol, ...]] = {}
        self._annotations: Cache[tuple[ClassSymbol, Expression], Annotation] = {}

    def class_named(self, name: str) -> ClassSymbol | None:
        return self._names.class_named(name)

    def module_named(self, name: str) -> Module | None:
        """Return the declarations of a module of the project, or `None`."""
        return self._names.module_named(name)

    def classes_in(self, module: Module) -> tuple[ClassSymbol, ...]:
        """Return the classes of a module in source order."""
        return self._names.classes_in(module)

    def decorators(self, symbol: ClassSymbol) -> _NamedDecorators:
        """Return the decorators of a class: each expression, and its full name or `None`."""
        decorators = symbol.declaration.decorators
        return self._dependencies.remember(
            self._decorators,
            symbol,
            (),
            lambda: tuple(zip(decorators, self.full_names(symbol, decorators))),
        )

    def full_names(
        self, symbol: ClassSymbol, decorators: Iterable[Expression]
    ) -> Iterator[str | None]:
        """Yield the full names of decorators of a class or its methods, `None` for unknown ones."""
        for decorator in decorators:
            yield self._types.name_of(decorator, symbol.module, "")

    def full_name_in(self, dotted: str, symbol: ClassSymbol) -> str | None:
        """Return the full name of the object that a dotted name means inside a class."""
        scope = symbol.declaration.qualname
        return self._types.name_of(Name(dotted), symbol.module, scope)

    def full_name(
        self, expression: Expression, module: Module, scope: str = ""
    ) -> str | None:
        """Return the full name of the object that an expression names in a module or class."""
        return self._types.name_of(expression, module, scope)

    def alias(self, dotted: str, module: Module, scope: str) -> AliasSymbol | None:
        """Return the alias of this name; `None` for another name."""
        symbol = self._names.look_up(module, scope, dotted)
        return symbol if isinstance(symbol, AliasSymbol) else None

    def unmarked_alias(
        self, dotted: str, module: Module, scope: str
    ) -> AliasSymbol | None:
        """Return the alias of this name; `None` for another name, or if the alias is a mark."""
        alias = self.alias(dotted, module, scope)
        if alias is None:
            return None
        is_mark = self._types.annotation(Name(dotted), module, scope).mark is not None
        return None if is_mark else alias

    def runtime_name(self, dotted: str, symbol: ClassSymbol) -> str:
        """Return the full name `module:name` of what a name means in the body of a class."""
        return self._names.runtime_name(dotted, symbol)

    def code_of(self, dotted: str, symbol: ClassSymbol) -> str:
        """Return code for a name in a class, which works without imports of the game's modules."""
        full_name = self.runtime_name(dotted, symbol)
        module, _, name = full_name.partition(":")
        if module == "builtins":
            return name
        # Such a name may come from an import of all names, which was not read.
        may_be_builtin = name in BUILTINS and symbol.module.star_imports
        default = f", {name}" if may_be_builtin else ""
        return f'imported("{full_name}"{default})'

    def project_class(self, dotted: str) -> str | None:
        """Return the qualified name of a class of the project by its dotted name, or `None`."""
        parts = dotted.split(".")
        for count in range(1, len(parts)):
            qualname = ".".join(parts[count:])
            if self.class_named(f"{'.'.join(parts[:count])}:{qualname}"):
                return qualname
        return None

    def mangled_name(self, attribute: str, symbol: ClassSymbol) -> str:
        """Return the name of an attribute in the `__dict__` of objects."""
        if not attribute.startswith("__"):
            return attribute
        library = self.stands_for(symbol.name)[:1]
        owner = "".join(library).rpartition(".")[2] or symbol.declaration.name
        return mangled(attribute, owner)

    def is_enum(self, name: str) -> bool:
        return ":" in name and not _ENUMS.isdisjoint(self.mro(name))

    def is_flag(self, name: str) -> bool:
        return ":" in name and not _FLAGS.isdisjoint(self.mro(name))

    def is_saveable(self, name: str) -> bool:
        """Return whether a class is marked `@saveable`, or has a base with `subclasses=True`."""
        if self.decorator(name, SAVEABLE) is not None:
            return True
        return bool(self.mixin_base(name))

    def mixin_base(self, name: str) -> str:
        """Return the nearest base marked `subclasses=True`, which gives a class its mixin, or "".

        A class inside a function gets none, as a load could not find it.
        """
        if "<locals>" in name:
            return ""
        return self._dependencies.remember(
            self._mixin_bases, name, "", lambda: self._find_mixin_base(name)
        )

    def _find_mixin_base(self, name: str) -> str:
        for base in self.mro(name)[1:]:
            # A stand-in gives nothing, since it is not a base when the game runs.
            if self.takes_subclasses(base) and not self.stands_for(base):
                return base
        return ""

    def takes_subclasses(self, name: str) -> bool:
        """Return whether a class itself is marked `subclasses=True`."""
        return bool(self.saveable_arguments(name).values.get("subclasses"))

    def saveable_arguments(self, name: str) -> Arguments:
        """Return the arguments of the `@saveable` of a class; none if it is not marked."""
        return self._dependencies.remember(
            self._arguments,
            name,
            Arguments({}, []),
            lambda: saveable_arguments(self.decorator(name, SAVEABLE)),
        )

    def decorator(self, name: str, full_name: str) -> Expression | None:
        """Return the decorator `full_name` of a class as an expression; `None` if it has none."""
        symbol = self._names.class_named(name)
        if symbol is None:
            return None
        return next((d for d, n in self.decorators(symbol) if n == full_name), None)

    def bases(self, name: str) -> tuple[str, ...]:
        """Return the full names of the direct bases of a class; unknown ones begin with `?`."""
        symbol = self._names.class_named(name)
        if symbol is None:
            return ()
        declared = symbol.declaration.bases
        bases = (self._types.base_of(base, symbol) for base in declared)
        # A stand-in has the properties and the initialisation of its class, and a subclass of
        # that class has the fields of the stand-in.
        mapped = (self._stand_ins.get(base, base) for base in bases)
        return (*mapped, *self.stands_for(name)[:1])

    def set_stand_ins(self, stand_ins: Mapping[str, str]) -> None:
        """Set the stand-ins of the project by the names of their library classes."""
        self._stand_ins = stand_ins
        self._mro.clear()
        self._declarations.clear()
        self._mixin_bases.clear()

    def has_stand_in(self, name: str) -> bool:
        """Return whether a stand-in is for a class of a library, or is the class itself."""
        return name in self._stand_ins or bool(self.stands_for(name))

    def stands_for(self, name: str) -> tuple[str, ...]:
        """Return the names of the library class for which a class is a stand-in, if it is one."""
        return names(self.saveable_arguments(name).values.get("of", ()))

    def mro(self, name: str) -> tuple[str, ...]:
        """Return a class and all its bases in method resolution order.

        Bases of classes outside the project are not included.
        """
        # While it is being computed, the order is only the class itself; this ends circular bases.
        return self._dependencies.remember(
            self._mro, name, (name,), lambda: self._linearize(name)
        )

    def declarations(self, name: str) -> tuple[ClassSymbol, ...]:
        """Return a class and its bases in the project, in method resolution order."""
        return self._dependencies.remember(
            self._declarations,
            name,
            (),
            lambda: tuple(filter(None, map(self._names.class_named, self.mro(name)))),
        )

    def is_abstract(self, name: str) -> bool:
        """Return whether a class has abstract methods, so that it has no objects."""
        return bool(self.abstract_methods(name))

    def abstract_methods(self, name: str) -> list[str]:
        """Return the names of the methods that neither a class nor a base defines."""
        methods: dict[str, bool] = {}
        for symbol in self.declarations(name):
            for method in symbol.declaration.methods:
                decorators = self.full_names(symbol, method.decorators)
                is_abstract = "abc.abstractmethod" in decorators
                methods.setdefault(method.name, is_abstract)
            for attribute in symbol.declaration.attributes:
                if attribute.method is None and attribute.default is not None:
                    methods.setdefault(attribute.name, False)
        return [name for name, is_abstract in methods.items() if is_abstract]

    def obstacle(self, name: str) -> str:
        """Return the method because of which a load cannot make an object of exactly this class.

        It is "" if a load can.
        """
        if self.stands_for(name):
            return ""
        declarations = self.declarations(name)
        bases = {base for symbol in declarations for base in self.bases(symbol.name)}
        metaclasses = (s.declaration.keywords for s in declarations)
        # Without such a base or a metaclass, `@abstractmethod` has no effect.
        if any(metaclasses) or any(b.rpartition(".")[2] in _ABSTRACT for b in bases):
            if methods := self.abstract_methods(name):
                return methods[0]
        methods_of_all = (m for s in declarations for m in s.declaration.methods)
        new = next((m for m in methods_of_all if m.name == "__new__"), None)
        return "__new__" if new is not None and new.arguments[0] > 1 else ""

    def annotation(
        self, symbol: ClassSymbol, attribute: Attribute, bindings: Bindings = {}
    ) -> Annotation:
        """Return the type and mark in the annotation of an attribute; it must have one."""
        expression = attribute.annotation
        assert expression is not None
        module, scope = symbol.module, symbol.declaration.qualname
        if bindings:
            return self._types.annotation(expression, module, scope, bindings)
        return self._dependencies.remember(
            self._annotations,
            (symbol, expression),
            Annotation(Type("?")),
            lambda: self._types.annotation(expression, module, scope),
        )

    def base_type(
        self, base: Expression, symbol: ClassSymbol, bindings: Bindings
    ) -> Type:
        """Return the type that a class names as a base, such as `list[int]`."""
        module, scope = symbol.module, symbol.declaration.qualname
        return self._types.annotation(base, module, scope, bindings).type

    def bindings(
        self, name: str, arguments: tuple[Type, ...] = ()
    ) -> dict[str, Bindings]:
        """Return, for a class and its bases, the types of their type variables in this class.

        `arguments` are the types in brackets after the class.
        """
        bindings: dict[str, Bindings] = {}
        symbol = self._names.class_named(name)
        if symbol and arguments:
            names = self._parameters(symbol)
            bindings[name] = bind_variables(names, [*arguments])
        for symbol in self.declarations(name):
            own = bindings.setdefault(symbol.name, {})
            for base in symbol.declaration.bases:
                self._bind(base, symbol, own, bindings)
        return bindings

    def _bind(
        self,
        base: Expression,
        subclass: ClassSymbol,
        own: Bindings,
        bindings: dict[str, Bindings],
    ) -> None:
        """Add the types for a base such as `Box[int]`, unless `bindings` has this base already."""
        symbol = self._names.class_named(self._types.base_of(base, subclass))
        if symbol is None or symbol.name in bindings:
            return
        module, scope = subclass.module, subclass.declaration.qualname
        types = self._types.annotation(base, module, scope, own).type.arguments
        if types:
            bindings[symbol.name] = bind_variables(self._parameters(symbol), [*types])

    def _parameters(self, symbol: ClassSymbol) -> list[str]:
        """Return the full names of the type variables of a class, in their order."""
        declaration = symbol.declaration
        if declaration.type_parameters:
            parameters = declaration.type_parameters
            return [f"{p.stars}{symbol.name}[{p.name}]" for p in parameters]
        bases = [base for base in declaration.bases if isinstance(base, Subscript)]
        generic = [b for b in bases if self._types.base_of(b, symbol) in _GENERIC]
        arguments = (a for base in generic or bases for a in base.arguments)
        names = (n for a in arguments for n in self._types.variables(a, symbol.module))
        return list(dict.fromkeys(names))

    def _linearize(self, name: str) -> tuple[str, ...]:
        bases = self.bases(name)
        orders = [list(self.mro(base)) for base in bases] + [list(bases)]
        return (name, *_merge(orders))


def _merge(orders: list[list[str]]) -> list[str]:
    """Merge method resolution orders as Python does (C3).

    If they contradict each other, keep the order in which they are given.
    """
    merged: list[str] = []
    while orders := [order for order in orders if order]:
        tails = {name for order in orders for name in order[1:]}
        heads = [order[0] for order in orders]
        head = next((name for name in heads if name not in tails), heads[0])
        merged.append(head)
        for order in orders:
            if order[0] == head:
                del order[0]
    return merged


def is_member(attribute: Attribute) -> bool:
    """Return whether an attribute in the body of an enumeration is a member."""
    if attribute.method is not None or attribute.default is None:
        return False
    match attribute.default:
        case Call(Name(dotted)) if dotted.rpartition(".")[2] == "nonmember":
            return False
    name = attribute.name
    return not (name.startswith("__") or (name.startswith("_") and name.endswith("_")))
