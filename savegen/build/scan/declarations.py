"""The declarations in a source file, as they are written; no name is resolved yet."""

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
        """The value of the literal, which is immutable."""
        return _evaluated(self.code)


@cache
def _evaluated(code: str) -> Any:
    return ast.literal_eval(code)


class Subscript(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`base[arguments]`."""

    base: Expression
    arguments: tuple[Expression, ...]


class UnionAnnotation(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`left | right | …`, with all members in one tuple."""

    members: tuple[Expression, ...]


class Call(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`function(*arguments, **keywords)`."""

    function: Expression
    arguments: tuple[Expression, ...] = ()
    keywords: tuple[tuple[str, Expression], ...] = ()

    def keyword(self, name: str) -> Expression | None:
        return dict(self.keywords).get(name)


class CallAttribute(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """An attribute of the result of a call: `owner.name`, as in `part(Body).set`."""

    owner: Call
    name: str  # dotted


class CollectionLiteral(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A tuple, list or set literal."""

    members: tuple[Expression, ...]
    opening: str  # "(", "[" or "{"


class DictLiteral(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A dict literal."""

    pairs: tuple[tuple[Expression, Expression], ...]


class Operation(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`left operator right`, such as `[0] * 3`."""

    left: Expression
    operator: str
    right: Expression


class Lambda(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """`lambda: body`, without parameters."""

    body: Expression


class Other(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Any other expression, as source text."""

    code: str


Expression: TypeAlias = (
    Name
    | Constant
    | Subscript
    | UnionAnnotation
    | Call
    | CallAttribute
    | CollectionLiteral
    | DictLiteral
    | Operation
    | Lambda
    | Other
)


# Methods that Python or a class decorator calls for each new object.
AFTER_INIT = ("__post_init__", "__attrs_post_init__")
CONSTRUCTORS = ("__init__", *AFTER_INIT)
HASH_METHODS = ("__hash__", "__eq__")
BARE_CONSTRUCTION = (
    "__init__()"  # a call of the next base's `__init__` without arguments
)
MORE_THAN_ANY_CALL = 1000  # arguments, so that no call fits
# The methods that a class marked `override=True` writes itself.
OVERRIDES = ("save_data", "load_data")


class Attribute(msgspec.Struct, frozen=True, array_like=True):
    """One attribute, at the place where it is declared or first assigned."""

    name: str  # as written, without name mangling
    annotation: Expression | None
    default: Expression | None  # the assigned value, if there is one
    span: Span  # of the annotation, else of the name
    method: str | None  # the method that assigns `self.<name>`; None at class level
    doc: str | None = None  # the string below it, at class level
    assigned_once: bool = False  # by one unconditional assignment in the method
    assigned_always: bool = False  # the first assignment in the method is unconditional
    # All of `self.b = self.c = []`: b and c.
    assigned_with: tuple[str, ...] = ()


class Method(msgspec.Struct, frozen=True, array_like=True):
    """One method: its name, its decorators, and how it uses its object."""

    name: str
    decorators: tuple[Expression, ...]
    span: Span  # of the name
    assigns: tuple[str, ...] = ()  # names of attributes, as written
    # Methods of the same object; also `BARE_CONSTRUCTION`.
    calls: tuple[str, ...] = ()
    returns: Expression | None = None  # the return annotation of a property
    parameter: str = ""  # the name of a setter's value parameter
    # Parameters and local variables of a constructor; `None` for other methods or if unknown.
    variables: tuple[str, ...] | None = None
    # The fewest and the most positional arguments that it accepts, its object included; the
    # fewest are `MORE_THAN_ANY_CALL` if it also needs keyword arguments.
    arguments: tuple[int, int] = (0, 0)
    is_async: bool = False
    # The names and literal strings in it, if its class writes `save_data` or `load_data`, or if it
    # is one of `HASH_METHODS`; `None` if unknown, or if other code may do its work.
    uses: tuple[str, ...] | None = None
    # The attributes that it sets from counters, each with the use, as in `counting.py`.
    counted: tuple[tuple[str, str], ...] = ()


class Function(msgspec.Struct, frozen=True, array_like=True):
    """One decorated function outside a class."""

    qualname: str  # `outer.<locals>.inner` inside a function
    decorators: tuple[Expression, ...]
    span: Span  # of the name
    takes_one: bool = True  # it is not `async` and accepts a single argument
    decorator_spans: tuple[Span, ...] = ()  # in the order of the decorators


class StrayMark(msgspec.Struct, frozen=True, array_like=True):
    """An annotation that may contain a mark, although it declares no attribute."""

    words: tuple[str, ...]  # the dotted names in it
    code: str
    type: str  # the code without the mark; "" if unknown
    reason: str  # it declares no attribute
    meant: str  # the declaration that may be meant, or ""
    span: Span


class TypeParameter(msgspec.Struct, frozen=True, array_like=True):
    """One type parameter of a class or a `type` alias, such as `[T: Item]`."""

    name: str
    bound: Expression | None = None
    default: Expression | None = None
    stars: str = ""  # "*" for a TypeVarTuple, "**" for a ParamSpec


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
    # Defined inside an `if`, `try`, `with`, `for` … at module level.
    is_conditional: bool = False
    decorator_spans: tuple[Span, ...] = ()  # in the order of the decorators
    # Further annotations in methods, of attributes that another annotation declares.
    redeclared: tuple[Attribute, ...] = ()


class Import(msgspec.Struct, frozen=True, array_like=True):
    """The target of one imported name."""

    module: str  # absolute
    name: str | None = None  # None: the name is the module itself


class IgnoreComment(msgspec.Struct, frozen=True, array_like=True):
    """A `# savegen: ignore` comment, which silences a finding."""

    code: str  # "" if the comment names none
    span: Span  # of the code, else of the comment
    lines: tuple[int, ...] = ()  # lines on which the silenced finding may start


class Module(msgspec.Struct, frozen=True, array_like=True):
    """The top-level declarations of a module, and all its classes, including nested ones."""

    path: str
    name: str
    is_package: bool = False
    imports: dict[str, Import] = {}
    star_imports: tuple[str, ...] = ()  # absolute names of modules imported by `*`
    # `Name = expression`, `type Name = …`, NewType, TypeVar.
    aliases: dict[str, Expression] = {}
    classes: tuple[Class, ...] = ()  # outer before inner, in source order
    # Type parameters by alias, for aliases such as `type Name[T] = …`.
    parameters: dict[str, tuple[TypeParameter, ...]] = {}
    ignore_comments: tuple[IgnoreComment, ...] = ()
    functions: tuple[Function, ...] = ()  # decorated functions only, in source order
    stray_marks: tuple[StrayMark, ...] = ()
    # What functions return that only make a `defaultdict` or a counter, by their names.
    results: dict[str, Expression] = {}
    # The uses of counters in what functions return, as in `counting.py`, by their names.
    counting: dict[str, tuple[str, ...]] = {}
    is_unread: bool = (
        False  # the file could not be read, so its declarations are unknown
    )
