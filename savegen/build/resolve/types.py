"""Read annotations: the type, and the mark that makes it a saved field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from savegen.build.kinds import ASSET, PREFAB_TYPE, Type
from savegen.build.resolve.names import AliasSymbol, ClassSymbol, Foreign, Names, Symbol
from savegen.build.scan.declarations import (
    Call,
    Constant,
    Expression,
    Module,
    Name,
    Sequence,
    Subscript,
    TypeParameter,
    Union,
)

# Other names of types, and the name that the kinds use.
_CANONICAL_NAMES = {
    "typing.List": "builtins.list",
    "typing.Dict": "builtins.dict",
    "typing.Tuple": "builtins.tuple",
    "typing.Set": "builtins.set",
    "typing.FrozenSet": "builtins.frozenset",
    "typing.Type": "builtins.type",
    "typing.Deque": "collections.deque",
    "typing.DefaultDict": "collections.defaultdict",
    "typing.OrderedDict": "collections.OrderedDict",
    "typing.Counter": "collections.Counter",
    "typing.AbstractSet": "collections.abc.Set",
    "typing.Callable": "collections.abc.Callable",
    "typing.Text": "builtins.str",
    "typing.LiteralString": "builtins.str",
    "types.NoneType": "None",
    "weakref.ReferenceType": "weakref.ref",
}
# The type in their brackets is the type of the field.
_TRANSPARENT = (
    "typing.Final",
    "typing.Required",
    "typing.NotRequired",
    "typing.ReadOnly",
)
_VARIABLES = {
    "typing.TypeVar": "",
    "typing.TypeVarTuple": "*",
    "typing.ParamSpec": "**",
}
# Types to suggest for a misspelt name, even if the file does not import them.
_FAMILIAR = (
    "bool bytearray bytes complex dict float frozenset int list set str tuple"
    " Decimal Fraction Literal Optional OrderedDict Path PurePath UUID Union date datetime"
    " defaultdict deque time timedelta"
).split()
_COMMON_NAMES = {  # names of types in other languages
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
_ANYTHING = Type("typing.Any")
_MAX_DEPTH = 64
_MAX_ALIASES = 1_000  # in one annotation


def _variable(name: str) -> Type:
    """Return the type of a type variable without a bound: `Any`."""
    return Type("typing.Any", literals=(name,), name_in_source="typing.Any")


# The types of type variables, by their full names.
Bindings: TypeAlias = Mapping[str, Type]


class Mark(NamedTuple):
    """The mark in an annotation."""

    word: str  # "Saved", "Save" or "SaveOverride"
    call: Call | None  # if it is a call, with its arguments


class Annotation(NamedTuple):
    """The meaning of an annotation."""

    type: Type
    mark: Mark | None = None
    class_variable: bool = False
    final: bool = False
    not_required: bool = False


class _Endless(Exception):
    """An alias refers to itself, or contains too many others."""


class Types:
    """Finds the types and full names that expressions mean where they are written."""

    def __init__(self, names: Names, types_module: str = "") -> None:
        """`types_module` is the name under which the game imports the generated types."""
        self._names = names
        self._scopes: dict[
            tuple[str, str], tuple[tuple[str, tuple[TypeParameter, ...]], ...]
        ] = {}
        self._prefab_type = f"{types_module}.PrefabType" if types_module else None

    def read(
        self,
        expression: Expression,
        module: Module,
        scope: str,
        bindings: Bindings = {},
    ) -> Annotation:
        """Return the meaning of an annotation inside class `scope` (or "") of `module`."""
        reader = _Reader(self, self._names, module, scope, (), [], bindings)
        return reader.annotation(expression)

    def parameters_in_scope(
        self, module: Module, scope: str
    ) -> tuple[tuple[str, tuple[TypeParameter, ...]], ...]:
        """Return the type parameters of class `scope` and the classes around it, innermost first."""
        key = (module.name, scope)
        if key not in self._scopes:
            self._scopes[key] = tuple(self._declaring(module, scope))
        return self._scopes[key]

    def _declaring(
        self, module: Module, scope: str
    ) -> Iterator[tuple[str, tuple[TypeParameter, ...]]]:
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
            alias = self._names.bind(module, "", name.dotted)
            if isinstance(alias, AliasSymbol) and isinstance(alias.expression, Call):
                function = self.name_of(alias.expression, alias.module, "")
                if function in _VARIABLES:
                    yield f"{_VARIABLES[function]}{alias.module.name}:{alias.name}"

    def name_of(self, expression: Expression, module: Module, scope: str) -> str | None:
        """Return the full name of the mark, decorator or class that an expression names."""
        dotted = _dotted_name(expression)
        return (
            self._full_name(self._names.bind(module, scope, dotted)) if dotted else None
        )

    def base_of(self, expression: Expression, declared: ClassSymbol) -> str:
        """Return the full name of one base in the declaration of a class.

        An unknown base is `?.` and the name in the source, or only `?` if it is no name.
        """
        dotted = _dotted_name(expression)
        if dotted is None:
            return "?"
        return (
            self._full_name(self._names.bind_above(declared, dotted)) or f"?.{dotted}"
        )

    def _full_name(self, symbol: Symbol | None, depth: int = 0) -> str | None:
        match symbol:
            case ClassSymbol():
                return symbol.name
            case Foreign(name):
                return self.canonical_name(name)
            case AliasSymbol(home, _, Name(dotted)) if depth < _MAX_DEPTH:
                return self._full_name(self._names.bind(home, "", dotted), depth + 1)
        return None

    def canonical_name(self, name: str) -> str:
        """Return the name that the kinds use for a type with several names."""
        package, _, rest = name.partition(".")
        if package == "savegen":  # marks can be imported from several modules
            return f"savegen.{rest.rpartition('.')[2]}"
        if name == self._prefab_type:
            return PREFAB_TYPE
        if package == "typing_extensions":
            name = f"typing.{rest}"
        return _CANONICAL_NAMES.get(name, name)


def bind(names: list[str], types: list[Type]) -> dict[str, Type]:
    """Return the types of type variables by name.

    A variable with a `*` takes the types that the others leave. Variables with `*` or `**`
    are not in the result.
    """
    star = next((n for n, name in enumerate(names) if _stars(name) == "*"), None)
    if star is not None:
        after = len(names) - star - 1
        types = types[:star] + [_ANYTHING] + types[len(types) - after :] * bool(after)
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
        case Union(members) | Sequence(members, _):
            for part in members:
                yield from _names_in(part)


def _dotted_name(expression: Expression) -> str | None:
    if isinstance(expression, Call):
        expression = expression.function
    if isinstance(expression, Subscript):
        expression = expression.base
    return expression.dotted if isinstance(expression, Name) else None


class _Reader(NamedTuple):
    """Reads one annotation in its scope."""

    types: Types
    names: Names
    module: Module
    scope: str
    trail: tuple[tuple[str, str], ...]  # the aliases that contain this expression
    followed: list[str]  # every alias in this annotation so far
    bindings: Bindings  # the types of type variables
    alias: str = ""  # the alias whose type parameters are in scope

    def annotation(self, expression: Expression) -> Annotation:
        match expression:
            case Name(dotted):
                return self._name(dotted)
            case Constant("None"):
                return Annotation(Type("None"))
            case Constant("..."):
                return Annotation(Type("..."))
            case Union(members):
                return Annotation(_union([self._type(m) for m in members]))
            case Subscript(base, arguments):
                return self._subscript(base, arguments)
            case Sequence(members, "["):
                return Annotation(Type("[]", tuple(self._type(m) for m in members)))
        return _unreadable(expression)

    def _type(self, expression: Expression) -> Type:
        return self.annotation(expression).type

    def _name(self, dotted: str) -> Annotation:
        if parameter := self._parameter(dotted):
            return parameter
        symbol = self.names.bind(self.module, self.scope, dotted)
        return self._of_symbol(symbol, dotted)

    def _of_symbol(self, symbol: Symbol | None, dotted: str) -> Annotation:
        match symbol:
            case ClassSymbol():
                return Annotation(Type(symbol.name))
            case Foreign(name):
                return self._foreign(self.types.canonical_name(name))
            case AliasSymbol(home, name, expression):
                return self._alias(home, name, expression)
        return _unknown(dotted, "" if "." in dotted else self._similar_type(dotted))

    def _similar_type(self, name: str) -> str:
        """Return the type with a name similar to an unknown name, or ""."""
        import difflib

        module = self.module
        classes = (each.name for each in module.classes if "." not in each.qualname)
        names = (*classes, *module.imports, *module.aliases, *_FAMILIAR)
        by_letters = {each.lower(): each for each in reversed(names) if each != name}
        close = difflib.get_close_matches(name.lower(), by_letters, n=1, cutoff=0.7)
        return by_letters[close[0]] if close else _COMMON_NAMES.get(name.lower(), "")

    def _parameter(self, name: str) -> Annotation | None:
        """Return the type of a type parameter in `class Box[T]` or `type Maybe[T]`."""
        for owner, parameters in self._parameters():
            for parameter in parameters:
                if parameter.name != name:
                    continue
                if type := self.bindings.get(f"{self.module.name}:{owner}[{name}]"):
                    return Annotation(type)
                declared = parameter.default or parameter.bound
                bound = self._type(declared) if declared else _variable(name)
                return Annotation(replace(bound, name_in_source="typing.Any"))
        return None

    def _parameters(self) -> Iterator[tuple[str, tuple[TypeParameter, ...]]]:
        """Yield the alias and the classes with type parameters in scope, innermost first."""
        if self.alias and self.alias in self.module.parameters:
            yield self.alias, self.module.parameters[self.alias]
        if self.scope:
            yield from self.types.parameters_in_scope(self.module, self.scope)

    def _foreign(self, name: str) -> Annotation:
        if name == "typing.Self" and self.scope:
            return Annotation(
                Type(f"{self.module.name}:{self.scope}", name_in_source="typing.Any")
            )
        if name == "savegen.Saved":
            return Annotation(Type("?", literals=("",)), Mark("Saved", None))
        return Annotation(Type(name))

    def _alias(self, home: Module, name: str, expression: Expression) -> Annotation:
        try:
            return self._inside_alias(home, name)._expression_of_alias(name, expression)
        except _Endless:
            if self.trail:
                raise
            return Annotation(Type("?", literals=("the alias refers to itself",)))

    def _inside_alias(self, home: Module, name: str) -> _Reader:
        """Return a reader for the expression of an alias."""
        self.followed.append(name)
        step = (home.name, name)
        long = len(self.trail) > _MAX_DEPTH or len(self.followed) > _MAX_ALIASES
        if long or step in self.trail:
            raise _Endless
        trail = (*self.trail, step)
        return self._replace(module=home, scope="", trail=trail, alias=name)

    def _expression_of_alias(self, name: str, expression: Expression) -> Annotation:
        if not isinstance(expression, Call):
            return self.annotation(expression)
        match self.types.name_of(expression, self.module, ""), expression.arguments:
            case "typing.NewType", (_, original):
                inner = self._type(original)
                return Annotation(
                    replace(inner, name_in_source=f"{self.module.name}:{name}")
                )
            case "typing.TypeVar", (_, *constraints):
                if type := self.bindings.get(f"{self.module.name}:{name}"):
                    return Annotation(type)
                bound = expression.keyword("default") or expression.keyword("bound")
                choices = [bound] if bound else constraints
                if choices:
                    whole = choices[0] if len(choices) == 1 else Union(tuple(choices))
                    # A subclass may bind another type, so checkers get `Any`.
                    return Annotation(
                        replace(self._type(whole), name_in_source="typing.Any")
                    )
                return Annotation(_variable(name))
        return _unreadable(expression)

    def _subscript(
        self, base: Expression, arguments: tuple[Expression, ...]
    ) -> Annotation:
        if isinstance(base, Name):
            symbol = self.names.bind(self.module, self.scope, base.dotted)
            if isinstance(symbol, AliasSymbol):
                if applied := self._alias_with_arguments(symbol, arguments):
                    return applied
            outer = self._of_symbol(symbol, base.dotted)
        else:
            outer = self.annotation(base)
        name = outer.type.name
        if outer.mark and outer.mark.word == "Saved" and not outer.mark.call:
            return self.annotation(arguments[0])._replace(mark=outer.mark)
        if name == "typing.Annotated":
            return self._annotated(arguments)
        if name == "typing.Literal":
            return Annotation(_union(self._literals(arguments)))
        if name in _TRANSPARENT:
            inner = self.annotation(arguments[0])
            return inner._replace(
                final=inner.final or name == "typing.Final",
                not_required=inner.not_required or name == "typing.NotRequired",
            )
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
        """Return the meaning of an alias with arguments: `Maybe[int]`.

        Return `None` if the alias has no type variables.
        """
        home, name, expression = alias
        declared = home.parameters.get(name, ())
        names = [
            f"{each.stars}{home.name}:{name}[{each.name}]" for each in declared
        ] or [*dict.fromkeys(self.types.variables(expression, home))]
        if not names:
            return None
        bound = bind(names, [*map(self._type, arguments)])
        reader = self._replace(bindings={**self.bindings, **bound})
        return reader._alias(home, name, expression)

    def _generic(self, name: str, arguments: tuple[Expression, ...]) -> Type:
        empty = (Sequence((), "("),)  # `tuple[()]`
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
        """Return one type for all constants in a `Literal`, and one for each enumeration in it."""
        codes: list[str] = []
        others: list[Type] = []
        for argument in arguments:
            if isinstance(argument, Constant):
                codes.append(repr(argument.value))
                continue
            inner = self._enumeration(argument) or self._type(argument)
            if inner.name == "typing.Literal":
                codes += inner.literals
            elif ":" in inner.name:
                others.append(inner)
            else:
                reason = "`Literal` accepts only constants"
                return [Type("?", literals=(reason,))]
        unique = tuple(dict.fromkeys(codes))
        return [Type("typing.Literal", literals=unique)] * bool(unique) + others

    def _enumeration(self, member: Expression) -> Type | None:
        """Return the type of an enumeration member, such as `Mood` for `Mood.CALM`."""
        owner = member.dotted.rpartition(".")[0] if isinstance(member, Name) else ""
        symbol = self.names.bind(self.module, self.scope, owner) if owner else None
        if not isinstance(symbol, ClassSymbol):
            return None
        # The whole enumeration would be too wide a type for checkers.
        return Type(symbol.name, name_in_source="typing.Any")


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
        case Sequence():
            code = "(…)"
        case _:
            code = getattr(expression, "code", "…")
    return Annotation(Type("?", literals=(f"`{code}`",)))
