"""Find the types that annotations declare."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress

from savegen.build.adopt.definitions import GameScope
from savegen.build.adopt.program import Program
from savegen.build.adopt.library import (
    CALLABLES,
    GENERIC,
    ITERATED,
    NAMED_TUPLES,
    UNSPECIFIC,
)
from savegen.build.adopt.types import (
    CALLABLE,
    COUNTER,
    INT,
    NONE,
    InferredType,
    element,
    union,
)

_QUALIFIERS = frozenset(
    f"typing.{name}" for name in ("Final", "Annotated", "Required", "NotRequired")
)
_MAX_DEPTH = 40  # of expressions and definitions followed for one type


class Annotations:
    """The types that a program's annotations declare, and the memory of types found so far."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[object, ...], InferredType | None] = (
            {}
        )  # by kind, id and name
        self._depths: dict[tuple[object, ...], int] = {}  # of types being computed
        self._lowest = _MAX_DEPTH  # the outermost of these that the current one uses
        self._provisional: dict[tuple[object, ...], tuple[InferredType | None, int]] = (
            {}
        )

    def _remembered(
        self,
        key: tuple[object, ...],
        compute: Callable[[], InferredType | None],
        cyclic: InferredType | None,
    ) -> InferredType | None:
        """Return `compute()`, and remember it; return `cyclic` inside of its own computation.

        A type that was found while one that it depends on was still being computed is
        provisional: it is forgotten when the computation of that other type ends.
        """
        if key in self._known:
            return self._known[key]
        if key in self._provisional:
            type_, lowest = self._provisional[key]
            self._lowest = min(self._lowest, lowest)
            return type_
        depth = self._depths.get(key)
        if depth is not None:
            self._lowest = min(self._lowest, depth)
            return cyclic
        depth = len(self._depths)
        return None if depth >= _MAX_DEPTH else self._computed(key, compute, depth)

    def _computed(
        self,
        key: tuple[object, ...],
        compute: Callable[[], InferredType | None],
        depth: int,
    ) -> InferredType | None:
        outer, self._lowest = self._lowest, depth
        self._depths[key] = depth
        try:
            type_ = compute()
        finally:
            del self._depths[key]
            lowest, self._lowest = self._lowest, min(outer, self._lowest)
        if lowest >= depth:
            self._known[key] = type_
            self._lowest = outer
            self._provisional = {
                k: v for k, v in self._provisional.items() if v[1] < depth
            }
        else:
            self._provisional[key] = type_, lowest
        return type_

    def annotated(self, node: ast.expr | None, scope: GameScope) -> InferredType | None:
        """Return the type that an annotation declares; `None` if it is unknown or too general."""
        if node is None:
            return None
        if isinstance(node, ast.Constant):
            return self._annotated_constant(node, scope)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return union(self.annotated(n, scope) for n in (node.left, node.right))
        if isinstance(node, ast.Subscript):
            return self._subscripted(node, scope)
        return self._named(self._program.named(node, scope), scope)

    def _annotated_constant(
        self, node: ast.Constant, scope: GameScope
    ) -> InferredType | None:
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                return self.annotated(ast.parse(node.value, mode="eval").body, scope)
        return None

    def _named(self, full: str | None, scope: GameScope) -> InferredType | None:
        if full is None:
            return None
        if full in CALLABLES:
            return CALLABLE
        if full in ("typing.Self", "typing_extensions.Self") and scope.cls is not None:
            return InferredType(scope.cls.name)
        if full in ("typing.Any", "builtins.object") or full in ITERATED:
            return None
        if self._program.class_named(full) is not None:
            return InferredType(full)
        if self._program.member(full) is not None:
            return self._alias(full)
        if full.startswith(("typing.", "typing_extensions.")):
            generic = GENERIC.get(full)
            return InferredType(generic) if generic == "str" else None
        name = full.removeprefix("builtins.")
        # A bare `list` does not say what it contains.
        return None if name in UNSPECIFIC else InferredType(name)

    def _alias(self, full: str) -> InferredType | None:
        """Return the type that a module-level name such as `Point = Tuple[int, int]` stands for."""
        if self.is_named_tuple(full):
            return InferredType(full)
        place = self._program.member(full)
        assert place is not None
        module, name = place
        values = module.scope.values.get(name, ())
        if len(values) != 1 or values[0].value is None:
            return None
        node = values[0].value
        if isinstance(node, ast.Call):  # `NewType`, `TypeVar`, `namedtuple`
            return self._called_alias(node, module.scope)
        return self._remembered(
            ("alias", full), lambda: self.annotated(node, module.scope), None
        )

    def is_named_tuple(self, full: str) -> bool:
        """Return whether a call makes a named tuple of a name: `Point = namedtuple(…)`."""
        place = self._program.member(full)
        if place is None:
            return False
        module, name = place
        nodes = [value.value for value in module.scope.values.get(name, ())]
        if len(nodes) != 1 or not isinstance(nodes[0], ast.Call):
            return False
        return self._program.named(nodes[0].func, module.scope) in NAMED_TUPLES

    def _called_alias(self, node: ast.Call, scope: GameScope) -> InferredType | None:
        function = self._program.named(node.func, scope)
        if function == "typing.TypeVar":
            bound = [k.value for k in node.keywords if k.arg == "bound"]
            return self.annotated(bound[0], scope) if bound else None
        if function == "typing.NewType" and len(node.args) == 2:
            return self.annotated(node.args[1], scope)
        return None

    def _subscripted(
        self, node: ast.Subscript, scope: GameScope
    ) -> InferredType | None:
        full = self._program.named(node.value, scope) or ""
        full = GENERIC.get(full, full).removeprefix("builtins.")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if full in CALLABLES:
            return CALLABLE
        if full in ("typing.Optional", "typing.Union"):
            types = [self.annotated(part, scope) for part in parts]
            return union([*types, NONE] if full == "typing.Optional" else types)
        if full in _QUALIFIERS:
            return self.annotated(parts[0], scope)
        if full in ("typing.Literal", "typing.ClassVar"):
            return None
        if full == "tuple":
            return self._tuple_type(parts, scope)
        if full in ITERATED or (full.startswith("typing.")):
            return None
        arguments = tuple(self.annotated(part, scope) for part in parts)
        if full.startswith("numpy."):
            return (
                InferredType("numpy.ndarray")
                if "array" in full.lower()
                else InferredType(full)
            )
        if None in arguments or not full:
            return None
        if full == COUNTER:
            arguments = (*arguments, INT)
        return InferredType(full, arguments)  # type: ignore[arg-type]

    def _tuple_type(
        self, parts: list[ast.expr], scope: GameScope
    ) -> InferredType | None:
        if len(parts) == 1 and isinstance(parts[0], ast.Tuple) and not parts[0].elts:
            return InferredType("tuple")
        types: list[InferredType] = []
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is ...:
                types.append(InferredType("..."))
                continue
            type_ = self.annotated(part, scope)
            if type_ is None:
                return None
            types.append(type_)
        return InferredType("tuple", tuple(types))

    def iterated(self, node: ast.expr | None, scope: GameScope) -> InferredType | None:
        """Return the element type of an annotation such as `Iterable[Entity]`."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            with suppress(SyntaxError, ValueError):
                return self.iterated(ast.parse(node.value, mode="eval").body, scope)
        if isinstance(node, ast.Subscript):
            if self._program.named(node.value, scope) in ITERATED:
                first = (
                    node.slice.elts[0]
                    if isinstance(node.slice, ast.Tuple)
                    else node.slice
                )
                return self.annotated(first, scope)
        return element(self.annotated(node, scope))
