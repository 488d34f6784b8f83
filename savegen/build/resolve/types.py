"""Read annotations: the type, and the mark that makes it a saved field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from savegen.build.kinds import (
    ASSET,
    CONTAINERS,
    OLDER_NAMES,
    PREFAB_TYPE,
    SCALARS,
    Type,
)
from savegen.build.resolve.names import (
    AliasSymbol,
    ClassSymbol,
    ForeignSymbol,
    NameResolver,
    Symbol,
)
from savegen.build.scan.declarations import (
    Call,
    CollectionLiteral,
    Constant,
    Expression,
    Module,
    Name,
    Subscript,
    TypeParameter,
    UnionAnnotation,
)

# Other names of types, with the name that the kinds use.
_CANONICAL_NAMES = {
    **OLDER_NAMES,
    "typing.Type": "builtins.type",
    "typing.AbstractSet": "collections.abc.Set",
    "typing.Callable": "collections.abc.Callable",
    "typing.Text": "builtins.str",
    "typing.LiteralString": "builtins.str",
    "types.NoneType": "None",
    "weakref.ReferenceType": "weakref.ref",
}
# A field with one of these around its type is saved as if it had only the type.
_QUALIFIERS = (
    "typing.Final",
    "typing.Required",
    "typing.NotRequired",
    "typing.ReadOnly",
)
_VARIABLE_STARS = {
    "typing.TypeVar": "",
    "typing.TypeVarTuple": "*",
    "typing.ParamSpec": "**",
}
# Types to suggest for a misspelt name, even if the file does not import them.
_SUGGESTED_TYPES = [
    *("Literal", "Optional", "Union"),
    # `array` is the list of other languages, and `Count` is rarely a `Counter`.
    *(
        each.name
        for each in CONTAINERS.values()
        if each.name not in ("array", "Counter")
    ),
    *(scalar.name for scalar in SCALARS.values()),
]
# Names of types in other languages, with the type of Python to suggest.
_OTHER_LANGUAGES = {
    "array": "list",
    "boolean": "bool",
    "char": "str",
    "double": "float",
    "hashmap": "dict",
    "integer": "int",
    "map": "dict",
    "null": "None",
    "number": "float",
    "string": "str",
    "text": "str",
}
_ANY = Type("typing.Any")
_MAX_DEPTH = 64
_MAX_ALIASES = 1_000  # in one annotation


def _unbounded(name: str) -> Type:
    """Return the type of a type variable without a bound: `Any`."""
    return Type("typing.Any", literals=(name,))


# The types that type variables have in a class, by the full names of the variables.
Bindings: TypeAlias = Mapping[str, Type]
# The name of a class or an alias, and its type parameters.
_Declared: TypeAlias = tuple[str, tuple[TypeParameter, ...]]


class Mark(NamedTuple):
    """The mark in an annotation."""

    word: str  # "Saved", "Save" or "SaveOverride"
    call: Call | None  # if it is a call, with its arguments


class Annotation(NamedTuple):
    """The type of an annotation, its mark and its qualifiers."""

    type: Type
    mark: Mark | None = None
    class_variable: bool = False
    not_required: bool = False


class _EndlessAlias(Exception):
    """An alias refers to itself, or contains too many others."""


class TypeResolver:
    """Finds the types and full names of expressions, by the module and class around them."""

    def __init__(self, names: NameResolver, types_module: str = "") -> None:
        """`types_module` is the name under which the game imports the generated types."""
        self._names = names
        self._scopes: dict[tuple[str, str], tuple[_Declared, ...]] = {}
        self._prefab_type = f"{types_module}.PrefabType" if types_module else None

    def annotation(
        self,
        expression: Expression,
        module: Module,
        scope: str,
        bindings: Bindings = {},
    ) -> Annotation:
        """Read an annotation inside class `scope` (or "") of `module`."""
        reader = _AnnotationReader(self, self._names, module, scope, (), [], bindings)
        return reader.annotation(expression)

    def parameters_in_scope(self, module: Module, scope: str) -> tuple[_Declared, ...]:
        """Return the type parameters of class `scope` and of the classes around it."""
        key = (module.name, scope)
        if key not in self._scopes:
            self._scopes[key] = tuple(self._parameters_in_scope(module, scope))
        return self._scopes[key]

    def _parameters_in_scope(self, module: Module, scope: str) -> Iterator[_Declared]:
        while scope:
            symbol = self._names.class_named(f"{module.name}:{scope}")
            if symbol and symbol.declaration.type_parameters:
                yield scope, symbol.declaration.type_parameters
            scope = scope.rpartition(".")[0]

    def variables(self, expression: Expression, module: Module) -> Iterator[str]:
        """Yield the full names of the type variables in an expression, in source order.

        The name of a `TypeVarTuple` begins with `*`, that of a `ParamSpec` with `**`.
        """
        for name in _names_in(expression):
            alias = self._names.look_up(module, "", name.dotted)
            if isinstance(alias, AliasSymbol) and isinstance(alias.expression, Call):
                function = self.name_of(alias.expression, alias.module, "")
                if function in _VARIABLE_STARS:
                    stars = _VARIABLE_STARS[function]
                    yield f"{stars}{alias.module.name}:{alias.name}"

    def name_of(self, expression: Expression, module: Module, scope: str) -> str | None:
        """Return the full name of the mark, decorator or class that an expression names."""
        dotted = _dotted_name(expression)
        if dotted is None:
            return None
        return self._full_name(self._names.look_up(module, scope, dotted))

    def base_of(self, expression: Expression, declared: ClassSymbol) -> str:
        """Return the full name of one base in the declaration of a class.

        It is `?.` and the name in the source for an unknown base, and `?` for another expression.
        """
        dotted = _dotted_name(expression)
        if dotted is None:
            return "?"
        symbol = self._names.look_up_base(declared, dotted)
        for _ in range(_MAX_DEPTH):
            match symbol:
                case AliasSymbol(home, _, Name(name) | Subscript(Name(name))):
                    symbol = self._names.look_up(home, "", name)
        return self._full_name(symbol) or f"?.{dotted}"

    def _full_name(self, symbol: Symbol | None, depth: int = 0) -> str | None:
        match symbol:
            case ClassSymbol():
                return symbol.name
            case ForeignSymbol(name):
                return self.canonical_name(name)
            case AliasSymbol(home, _, Name(dotted)) if depth < _MAX_DEPTH:
                return self._full_name(self._names.look_up(home, "", dotted), depth + 1)
        return None

    def canonical_name(self, name: str) -> str:
        """Return the name that the kinds use for a type with several names."""
        package, _, inside = name.partition(".")
        if package == "savegen":  # marks can be imported from several modules
            return f"savegen.{inside.rpartition('.')[2]}"
        if name == self._prefab_type:
            return PREFAB_TYPE
        if package == "typing_extensions":
            name = f"typing.{inside}"
        return _CANONICAL_NAMES.get(name, name)


def bind_variables(names: list[str], types: list[Type]) -> dict[str, Type]:
    """Return the types of type variables by name.

    A variable with a `*` takes all types that no other variable takes. Variables with `*` or
    `**` are not in the result.
    """
    star = next((n for n, name in enumerate(names) if _stars(name) == "*"), None)
    if star is not None:
        after = len(names) - star - 1
        types = types[:star] + [_ANY] + types[len(types) - after :] * bool(after)
    pairs = zip(names, types)
    return {name: type for name, type in pairs if not _stars(name)}


def _stars(name: str) -> str:
    return name[: len(name) - len(name.lstrip("*"))]


def _names_in(expression: Expression) -> Iterator[Name]:
    match expression:
        case Name():
            yield expression
        case Subscript(base, arguments):
            for part in (base, *arguments):
                yield from _names_in(part)
        case UnionAnnotation(members) | CollectionLiteral(members, _):
            for part in members:
                yield from _names_in(part)


def _dotted_name(expression: Expression) -> str | None:
    if isinstance(expression, Call):
        expression = expression.function
    if isinstance(expression, Subscript):
        expression = expression.base
    return expression.dotted if isinstance(expression, Name) else None


class _AnnotationReader(NamedTuple):
    """Reads one annotation inside a class or module."""

    types: TypeResolver
    names: NameResolver
    module: Module
    scope: str
    trail: tuple[tuple[str, str], ...]  # the aliases around this expression
    followed: list[str]  # every alias in this annotation so far
    bindings: Bindings
    alias: str = ""  # the alias whose type parameters are in scope

    def annotation(self, expression: Expression) -> Annotation:
        match expression:
            case Name(dotted):
                return self._name(dotted)
            case Constant("None"):
                return Annotation(Type("None"))
            case Constant("..."):
                return Annotation(Type("..."))
            case UnionAnnotation(members):
                return Annotation(_union([self._type(m) for m in members]))
            case Subscript(base, arguments):
                return self._subscript(base, arguments)
            case CollectionLiteral(members, "["):
                return Annotation(Type("[]", tuple(self._type(m) for m in members)))
        return _unreadable(expression)

    def _type(self, expression: Expression) -> Type:
        return self.annotation(expression).type

    def _name(self, dotted: str) -> Annotation:
        if parameter := self._parameter(dotted):
            return parameter
        symbol = self.names.look_up(self.module, self.scope, dotted)
        return self._of_symbol(symbol, dotted)

    def _of_symbol(self, symbol: Symbol | None, dotted: str) -> Annotation:
        match symbol:
            case ClassSymbol():
                return Annotation(Type(symbol.name))
            case ForeignSymbol(name):
                return self._foreign(self.types.canonical_name(name))
            case AliasSymbol(home, name, expression):
                return self._alias(home, name, expression)
        return _unknown(dotted, "" if "." in dotted else self._similar_type(dotted))

    def _similar_type(self, name: str) -> str:
        """Return the type with a name similar to an unknown name, or ""."""
        import difflib

        module = self.module
        classes = (c.name for c in module.classes if "." not in c.qualname)
        names = (*classes, *module.imports, *module.aliases, *_SUGGESTED_TYPES)
        by_lower_case = {n.lower(): n for n in reversed(names) if n != name}
        # `findings.similar` suggests short names more readily: `set` for `Pet`.
        close = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.7)
        if close:
            return by_lower_case[close[0]]
        return _OTHER_LANGUAGES.get(name.lower(), "")

    def _parameter(self, name: str) -> Annotation | None:
        """Return the type of a type parameter in `class Box[T]` or `type Maybe[T]`."""
        for owner, parameters in self._parameters():
            for parameter in parameters:
                if parameter.name != name:
                    continue
                if type := self.bindings.get(f"{self.module.name}:{owner}[{name}]"):
                    return Annotation(type)
                declared = parameter.default or parameter.bound
                return Annotation(
                    self._type(declared) if declared else _unbounded(name)
                )
        return None

    def _parameters(self) -> Iterator[_Declared]:
        """Yield the type parameters in scope with their alias or class, innermost first."""
        if self.alias and self.alias in self.module.parameters:
            yield self.alias, self.module.parameters[self.alias]
        if self.scope:
            yield from self.types.parameters_in_scope(self.module, self.scope)

    def _foreign(self, name: str) -> Annotation:
        if name == "typing.Self" and self.scope:
            return Annotation(Type(f"{self.module.name}:{self.scope}"))
        if name == "savegen.Saved":
            return Annotation(Type("?", literals=("",)), Mark("Saved", None))
        if name == ASSET:
            reason = "`Asset` is no type: write `Annotated[…, Asset()]`"
            return Annotation(Type("?", literals=(reason,)))
        return Annotation(Type(name))

    def _alias(self, home: Module, name: str, expression: Expression) -> Annotation:
        try:
            return self._inside_alias(home, name)._expression_of_alias(name, expression)
        except _EndlessAlias:
            if self.trail:
                raise
            return Annotation(Type("?", literals=("the alias refers to itself",)))

    def _inside_alias(self, home: Module, name: str) -> _AnnotationReader:
        """Return a reader for the expression of an alias. Raises `_EndlessAlias`."""
        self.followed.append(name)
        alias = (home.name, name)
        is_long = len(self.trail) > _MAX_DEPTH or len(self.followed) > _MAX_ALIASES
        if is_long or alias in self.trail:
            raise _EndlessAlias
        trail = (*self.trail, alias)
        return self._replace(module=home, scope="", trail=trail, alias=name)

    def _expression_of_alias(self, name: str, expression: Expression) -> Annotation:
        if not isinstance(expression, Call):
            return self.annotation(expression)
        match self.types.name_of(expression, self.module, ""), expression.arguments:
            case "typing.NewType", (_, original):
                return Annotation(self._type(original))
            case "typing.TypeVar", (_, *constraints):
                if type := self.bindings.get(f"{self.module.name}:{name}"):
                    return Annotation(type)
                bound = expression.keyword("default") or expression.keyword("bound")
                choices = [bound] if bound else constraints
                if choices:
                    union = (
                        choices[0]
                        if len(choices) == 1
                        else UnionAnnotation(tuple(choices))
                    )
                    return Annotation(self._type(union))
                return Annotation(_unbounded(name))
        return _unreadable(expression)

    def _subscript(
        self, base: Expression, arguments: tuple[Expression, ...]
    ) -> Annotation:
        if isinstance(base, Name):
            symbol = self.names.look_up(self.module, self.scope, base.dotted)
            if isinstance(symbol, AliasSymbol):
                if applied := self._alias_with_arguments(symbol, arguments):
                    return applied
            outer = self._of_symbol(symbol, base.dotted)
        else:
            outer = self.annotation(base)
        name = outer.type.name
        if outer.mark and outer.mark.word == "Saved" and not outer.mark.call:
            if len(arguments) > 1:  # SG119 reports it; what is in it may be no types
                return Annotation(Type("None"), outer.mark)
            return self.annotation(arguments[0])._replace(mark=outer.mark)
        if name == "typing.Annotated":
            return self._annotated(arguments)
        if name == "typing.Literal":
            return Annotation(_union(self._literals(arguments)))
        if name in _QUALIFIERS:
            inner = self.annotation(arguments[0])
            not_required = inner.not_required or name == "typing.NotRequired"
            return inner._replace(not_required=not_required)
        if name == "typing.ClassVar":
            return self.annotation(arguments[0])._replace(class_variable=True)
        if name in ("typing.Optional", "typing.Union"):
            members = [self._type(argument) for argument in arguments]
            if name == "typing.Optional":
                members.append(Type("None"))
            return outer._replace(type=_union(members))
        if name == "?":
            return outer
        return outer._replace(type=self._generic(name, arguments))

    def _alias_with_arguments(
        self, alias: AliasSymbol, arguments: tuple[Expression, ...]
    ) -> Annotation | None:
        """Read an alias with arguments, such as `Maybe[int]`; `None` if it has no parameters."""
        home, name, expression = alias
        parameters = home.parameters.get(name, ())
        names = [f"{p.stars}{home.name}:{name}[{p.name}]" for p in parameters]
        # An alias without declared parameters has those of the type variables in it.
        names = names or [*dict.fromkeys(self.types.variables(expression, home))]
        if not names:
            return None
        bound = bind_variables(names, [*map(self._type, arguments)])
        reader = self._replace(bindings={**self.bindings, **bound})
        return reader._alias(home, name, expression)

    def _generic(self, name: str, arguments: tuple[Expression, ...]) -> Type:
        empty = (CollectionLiteral((), "("),)  # `tuple[()]`
        if arguments == empty:
            return Type(name, literals=("()",))
        return Type(name, tuple(self._type(argument) for argument in arguments))

    def _annotated(self, arguments: tuple[Expression, ...]) -> Annotation:
        inner = self.annotation(arguments[0])
        for metadata in arguments[1:]:
            name = self.types.name_of(metadata, self.module, self.scope)
            if name in ("savegen.Save", "savegen.SaveOverride"):
                call = metadata if isinstance(metadata, Call) else None
                inner = inner._replace(mark=Mark(name.rpartition(".")[2], call))
            elif name == ASSET:
                inner = inner._replace(type=_as_asset(inner.type))
        return inner

    def _literals(self, arguments: tuple[Expression, ...]) -> list[Type]:
        """Return a type for all constants in a `Literal`, and one for each enumeration in it."""
        codes: list[str] = []
        enums: list[Type] = []
        for argument in arguments:
            if isinstance(argument, Constant):
                codes.append(repr(argument.value))
                continue
            inner = self._enumeration(argument) or self._type(argument)
            if inner.name == "typing.Literal":
                codes += inner.literals
            elif ":" in inner.name:
                enums.append(inner)
            else:
                return [Type("?", literals=("`Literal` accepts only constants",))]
        unique = tuple(dict.fromkeys(codes))
        return [Type("typing.Literal", literals=unique)] * bool(unique) + enums

    def _enumeration(self, member: Expression) -> Type | None:
        """Return the type of an enumeration member, such as `Mood` for `Mood.CALM`."""
        owner = member.dotted.rpartition(".")[0] if isinstance(member, Name) else ""
        symbol = self.names.look_up(self.module, self.scope, owner) if owner else None
        return Type(symbol.name) if isinstance(symbol, ClassSymbol) else None


def _as_asset(type: Type) -> Type:
    """Return the asset type for a type; an optional type stays optional."""
    if type.name == "typing.Union":
        return _union([_as_asset(member) for member in type.arguments])
    return type if type.name == "None" else Type(ASSET, (type,))


def _union(members: list[Type]) -> Type:
    flat: list[Type] = []
    for member in members:
        flat += member.arguments if member.name == "typing.Union" else (member,)
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else Type("typing.Union", unique)


def _unknown(name: str, similar: str) -> Annotation:
    return Annotation(Type("?", literals=(f"`{name}`", similar)))


def _unreadable(expression: Expression) -> Annotation:
    match expression:
        case Call(Name(function)):
            code = f"{function}(…)"
        case CollectionLiteral():
            code = "(…)"
        case _:
            code = getattr(expression, "code", "…")
    return Annotation(Type("?", literals=(f"`{code}`",)))
