"""Find the places where the game pickles objects, and the classes of these objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.adopt import pickling
from savegen.build.adopt.functions import UNCLEAR, argument_for
from savegen.build.adopt.inference import Inference
from savegen.build.adopt.definitions import (
    GameClass,
    GameFunction,
    GameScope,
    GameValue,
)
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import names

_PICKLERS = "pickle cPickle _pickle dill cloudpickle joblib marshal".split()
_DUMPS = {f"{module}.{name}" for module in _PICKLERS for name in ("dump", "dumps")} | {
    "jsonpickle.encode",
    "jsonpickle.dumps",
}
# Functions whose result has the objects of their arguments.
_COPIES = {"copy.copy", "copy.deepcopy"} | {
    f"builtins.{name}" for name in ("dict", "list", "set", "tuple", "vars")
}
_MAX_STEPS = 6  # from a pickled expression to an assignment that shows a class


class Root(NamedTuple):
    """A place where the game pickles objects, or a class that customises its pickling."""

    path: str
    line: int
    text: str  # the pickled expression, or "class Hero"
    classes: tuple[GameClass, ...]  # empty if they are unknown
    is_class: bool = False  # whether a class itself says how it is pickled

    @property
    def reason(self) -> str:
        """Why the classes are saved."""
        if self.is_class:
            return "defines how it is pickled"
        return f"pickled in {self.path}:{self.line}"


def roots(program: Program, inference: Inference) -> Iterator[Root]:
    """Yield the places where the game pickles objects."""
    for name in ("dump", "dumps", "encode"):
        for call in program.calls[name]:
            full = program.named(call.node.func, call.scope)
            if full in _DUMPS and call.node.args:
                value, path = call.node.args[0], call.scope.module.path
                found = _Pickled(program, inference).classes(value, call.scope)
                classes = tuple(program.classes[name] for name in sorted(found))
                yield Root(path, call.node.lineno, ast.unparse(value), classes)
    for cls in program.classes.values():
        if pickling.METHODS & set(cls.methods):
            line = cls.node.lineno
            yield Root(cls.module.path, line, f"class {cls.qualname}", (cls,), True)


_Part = tuple[ast.expr | None, GameScope]


class _Pickled:
    """Finds the classes of the objects in an expression, even if other parts are unknown."""

    def __init__(self, program: Program, inference: Inference) -> None:
        self._program = program
        self._inference = inference
        self._visited: set[int] = set()  # the ids of expressions

    def classes(
        self, node: ast.expr | None, scope: GameScope, steps: int = _MAX_STEPS
    ) -> set[str]:
        """Return the full names of the classes whose objects an expression contains."""
        type_ = self._inference.of(node, scope)
        known = names(type_) & self._program.classes.keys() if type_ else set[str]()
        if known or steps == 0 or id(node) in self._visited:
            return known
        self._visited.add(id(node))
        parts = (self.classes(*part, steps - 1) for part in self._parts(node, scope))
        return set[str]().union(*parts)

    def _parts(self, node: ast.expr | None, scope: GameScope) -> Iterator[_Part]:
        """Yield the expressions whose objects an expression contains."""
        match node:
            case ast.Dict(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                yield from ((part, scope) for part in parts)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                if self._program.named(function, scope) in _COPIES:
                    parts = [*arguments, *(each.value for each in keywords)]
                    yield from ((part, scope) for part in parts)
            case ast.Name(id=name):
                yield from self._assigned(name, scope)
            case ast.Attribute(value=owner, attr="__dict__"):
                yield owner, scope
            case ast.Attribute(value=owner, attr=name):
                cls = self._owner(owner, scope)
                for each in self._stores(cls, name) if cls else ():
                    yield each.value, each.scope

    def _stores(self, cls: GameClass, name: str) -> Iterator[GameValue]:
        """Yield the assignments to an attribute of a class or of its objects."""
        yield from self._inference.assignments(cls, name)
        yield from self._inference.class_assignments(cls, name)

    def _owner(self, node: ast.expr, scope: GameScope) -> GameClass | None:
        """Return the class of an object, or the class that an expression names."""
        if cls := self._program.class_named(self._program.named(node, scope)):
            return cls
        classes = [*self.classes(node, scope, 0)]
        return self._program.classes[classes[0]] if len(classes) == 1 else None

    def _assigned(self, name: str, scope: GameScope) -> Iterator[_Part]:
        """Yield what is assigned to a name, and what callers pass for a parameter."""
        place = self._program.binding(name, scope)
        if place is None:
            return
        yield from ((each.value, each.scope) for each in place.values.get(name, ()))
        if isinstance(place, GameFunction) and place.has_parameter(name):
            for call in self._program.calls_of(place):
                argument = argument_for(call.node, place, name)
                if argument is not UNCLEAR:
                    yield argument, call.scope
