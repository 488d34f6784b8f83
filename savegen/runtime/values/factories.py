"""The factories of `defaultdict`s that generated code makes again, and how to recognise them.

No save contains a factory. A load takes that of the field's type, such as `int`, or the one that
the class of the object gives to the field in its body or its `__init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType
from typing import Any

from savegen.runtime.values.checks import differ

_LAMBDA = "<lambda>"


def own_factory(
    module: str, qualname: str, factory: Callable[[], Any]
) -> Callable[[], Any]:
    """Return a copy of a game's lambda under the name of that lambda.

    >>> own_factory("game", "Shop.__init__.<locals>.<lambda>", lambda: 10)
    <function Shop.__init__.<locals>.<lambda> at 0x...>
    """
    function: Any = factory
    function.__module__, function.__qualname__ = module, qualname
    return factory


def factory_fault(factory: Any) -> str:
    """Return the reason why the default factory of a `defaultdict` is lost.

    >>> factory_fault(lambda: 10)
    'no save can hold the factory `<lambda>`'
    """
    name = getattr(factory, "__qualname__", None) or repr(factory)
    return f"no save can hold the factory `{name}`"


def is_same(factory: Any, expected: Any) -> bool:
    """Return whether a factory makes the same values as the expected one.

    A lambda is recognised by its place in the source.

    >>> is_same(int, int), is_same(partial(int, "7"), partial(int, "7")), is_same(int, float)
    (True, True, False)
    >>> is_same(lambda: 10, own_factory(__name__, "<lambda>", lambda: 10))
    True
    """
    if factory is expected:
        return True
    if type(factory) is not type(expected):
        return False
    if type(factory) is FunctionType:
        return _is_at_same_place(factory, expected)
    if type(factory) is partial:
        return is_same(factory.func, expected.func) and not differ(
            [factory.args, factory.keywords], [expected.args, expected.keywords]
        )
    is_method = type(factory) in (MethodType, BuiltinMethodType)
    return is_method and bool(factory == expected)


def _is_at_same_place(function: FunctionType, expected: FunctionType) -> bool:
    is_lambda = function.__name__ == expected.__name__ == _LAMBDA
    # The module of a game that runs as a script has another name.
    modules = expected.__module__, "__main__"
    return (
        is_lambda
        and function.__qualname__ == expected.__qualname__
        and function.__module__ in modules
        and not function.__closure__
        and _has_same_constants(function.__code__, expected.__code__)
    )


def _has_same_constants(code: CodeType, other: CodeType) -> bool:
    """Return whether two lambdas differ at most in the names that they use.

    Another lambda may stand in the same function, and generated code has other names.
    """
    if not (code.co_names or other.co_names):
        return code.co_code == other.co_code and not differ(
            code.co_consts, other.co_consts
        )
    return not differ(_constants(code), _constants(other))


def _constants(code: CodeType) -> list[Any]:
    """Return the constants in a lambda without texts, which the registry has instead of names."""
    return [each for each in code.co_consts if type(each) not in (CodeType, str)]
