"""What a file declares, as it is written: nothing here is resolved yet."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any, TypeAlias

import msgspec

from savegen.findings import Span


class Name(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A dotted name: `list`, `sg.Saved`."""

    dotted: str


class Constant(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A literal, as source text that `ast.literal_eval` reads: `"hp"`, `None`, `-1.5`."""

    code: str

    @property
    def value(self) -> Any:
        """What the text means; nothing of it can change."""
        return _evaluated(self.code)


@cache
def _evaluated(code: str) -> Any:
    return ast.literal_eval(code)


class Subscript(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`base[arguments]`."""

    base: Expression
    arguments: tuple[Expression, ...]


class Union(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`left | right | …`, flat."""

    members: tuple[Expression, ...]


class Call(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`function(*arguments, **keywords)`."""

    function: Expression
    arguments: tuple[Expression, ...] = ()
    keywords: tuple[tuple[str, Expression], ...] = ()

    def keyword(self, name: str) -> Expression | None:
        return dict(self.keywords).get(name)


class Member(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What a call returns, asked for one of its own: `owner.name`, as in `part(Body).set`."""

    owner: Call
    name: str  # dotted


class Sequence(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A display of a tuple, list or set of expressions."""

    members: tuple[Expression, ...]
    opening: str  # "(", "[" or "{"


class Items(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A display of a dict."""

    pairs: tuple[tuple[Expression, Expression], ...]


class Operation(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`left operator right`, such as `[0] * 3`."""

    left: Expression
    operator: str
    right: Expression


class Other(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Anything else, as source text."""

    code: str


Expression: TypeAlias = (
    Name
    | Constant
    | Subscript
    | Union
    | Call
    | Member
    | Sequence
    | Items
    | Operation
    | Other
)


# The methods that Python or a decorator of the class calls for each new object.
CONSTRUCTORS = ("__init__", "__post_init__", "__attrs_post_init__")


class Attribute(msgspec.Struct, frozen=True, array_like=True):
    """One attribute where it is declared or first assigned."""

    name: str  # as written; a private one is not mangled
    annotation: Expression | None
    default: Expression | None  # the assigned value, if there is one
    span: Span  # of the annotation, else of the name
    method: str | None  # the method that assigns `self.<name>`; None at class level
    doc: str | None = None  # the string below it, at class level
    once: bool = False  # the method assigns it nowhere else, and whatever happens


class Method(msgspec.Struct, frozen=True, array_like=True):
    """One method: its name, what decorates it, and what it does to its object."""

    name: str
    decorators: tuple[Expression, ...]
    span: Span  # of the name
    assigns: tuple[str, ...] = ()  # the attributes, as written
    calls: tuple[str, ...] = ()  # methods of its own that it calls as a statement
    returns: Expression | None = None  # of a property, the annotation
    parameter: str = ""  # of a setter, what it calls the value
    # Of a method that constructs, its parameters and variables; `None` if nobody has looked.
    variables: tuple[str, ...] | None = None


class Function(msgspec.Struct, frozen=True, array_like=True):
    """One decorated function that is no method."""

    qualname: str  # `outer.<locals>.inner` inside a function
    decorators: tuple[Expression, ...]
    span: Span  # of the name
    takes_one: bool = True  # it can be called with one value, and answers at once
    decorator_spans: tuple[Span, ...] = ()  # in the order of the decorators


class TypeParameter(msgspec.Struct, frozen=True, array_like=True):
    """One of `[T: Item]` behind the name of a class or of a `type` alias."""

    name: str
    bound: Expression | None = None
    default: Expression | None = None
    stars: str = ""  # "*" takes any number of types, "**" a list of them


class Class(msgspec.Struct, frozen=True, array_like=True):
    """One class statement."""

    name: str
    qualname: str  # `Outer.Inner`; `function.<locals>.Inner` inside a function
    span: Span  # of the name
    bases: tuple[Expression, ...] = ()
    keywords: tuple[tuple[str, Expression], ...] = ()
    decorators: tuple[Expression, ...] = ()
    attributes: tuple[Attribute, ...] = ()  # in source order, class level first
    methods: tuple[Method, ...] = ()
    # The names in `__slots__`, if they are literal.
    slots: tuple[str, ...] | None = None
    has_slots: bool = False
    type_parameters: tuple[TypeParameter, ...] = ()
    docstring: str | None = None
    # Defined below an `if`, `try`, … other than TYPE_CHECKING.
    conditional: bool = False
    decorator_spans: tuple[Span, ...] = ()  # in the order of the decorators


class Import(msgspec.Struct, frozen=True, array_like=True):
    """What one imported local name means."""

    module: str  # absolute
    name: str | None = None  # None: the name is the module itself


class Silencer(msgspec.Struct, frozen=True, array_like=True):
    """A comment that wants a finding not to be told."""

    code: str  # "" if it names none
    span: Span  # of the code, else of the comment
    lines: tuple[int, ...] = ()  # where the finding may begin


class Module(msgspec.Struct, frozen=True, array_like=True):
    """Everything that a module declares at its top level, and its classes, nested ones too."""

    path: str
    name: str
    is_package: bool = False
    imports: dict[str, Import] = {}
    stars: tuple[str, ...] = ()  # absolute names of modules imported by `*`
    # `Name = expression`, `type Name = …`, NewType, TypeVar.
    aliases: dict[str, Expression] = {}
    classes: tuple[Class, ...] = ()  # outer before inner, in source order
    # Of the aliases that have any: `type Name[T] = …`.
    parameters: dict[str, tuple[TypeParameter, ...]] = {}
    silencers: tuple[Silencer, ...] = ()
    functions: tuple[Function, ...] = ()  # the decorated ones, in source order
    unread: bool = False  # it cannot be read: nothing is known of what it declares
