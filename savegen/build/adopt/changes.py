"""Find the attributes and variables whose containers a statement changes.

A container may have several names: `bag().append(3)` changes `self.items` if `bag` returns it.
Names are followed back to what was assigned, passed or returned, without knowing types, so that
a change may be listed for an attribute that it never reaches. Such a change is uncertain.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from savegen.build.adopt.functions import UNCLEAR, argument_for
from savegen.build.adopt.definitions import (
    PROPERTIES,
    GameCall,
    GameClass,
    GameFunction,
    GameScope,
    Update,
    are_unrelated,
    self_class,
)
from savegen.build.adopt.program import Program
from savegen.build.scan.facts import dotted

_TAKING = frozenset({"get", "pop", "popleft", "setdefault", "popitem"})
_CHOOSING = frozenset({"max", "min", "next", "choice", "heappop", "heapreplace"})
_PAIRING = frozenset({"enumerate", "zip", "items"})


class ContainerChange(NamedTuple):
    """A change of a container that an attribute or a variable has."""

    update: Update
    scope: GameScope
    receiver: ast.expr | None  # of the attribute; `None` for a variable
    owner: GameClass | None  # whose `self` the receiver is
    depth: int  # of the changed container inside the one of the attribute
    is_certain: bool


_Key = tuple[int, int, int]  # of an expression, its scope, and the depth


class _Step(NamedTuple):
    """An expression that may be a container, or have it inside."""

    node: ast.expr | None
    scope: GameScope
    depth: int
    is_certain: bool = True  # whether it is the container of the step before

    @property
    def key(self) -> _Key:
        return id(self.node), id(self.scope), self.depth

    def to(
        self,
        node: ast.expr | None,
        deeper: int = 0,
        scope: GameScope | None = None,
        is_certain: bool = True,
    ) -> _Step:
        return _Step(node, scope or self.scope, self.depth + deeper, is_certain)


class ContainerChanges:
    """All changes of containers in a program, by attribute and by variable."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.of_attributes: defaultdict[str, list[ContainerChange]] = defaultdict(list)
        self.of_variables: defaultdict[tuple[int, str], list[ContainerChange]] = (
            defaultdict(list)
        )
        self._known: dict[_Key, dict[_Key, _Step]] = {}  # the sources of expressions
        for update in program.updates:
            self._add(update)

    def _add(self, update: Update) -> None:
        start = _Step(update.owner, update.scope, 0)
        waiting = [(start, True)]  # grows
        visited = {start.key}
        for step, is_certain in waiting:
            self._list(update, step, is_certain)
            for key, source in self._known_sources(step).items():
                if key not in visited and len(visited) < _MAX_STEPS:
                    visited.add(key)
                    waiting.append((source, is_certain and source.is_certain))

    def _known_sources(self, step: _Step) -> dict[_Key, _Step]:
        if step.key not in self._known:
            sources = (s for s in self._sources(step) if s.node is not None)
            self._known[step.key] = {
                source.key: source
                for source in sources
                if 0 <= source.depth <= _MAX_DEPTH
            }
        return self._known[step.key]

    def _list(self, update: Update, step: _Step, is_certain: bool) -> None:
        node, scope = _attribute_of(step.node), step.scope
        if isinstance(node, ast.Attribute):
            owner = self_class(node.value, scope)
            change = ContainerChange(
                update, scope, node.value, owner, step.depth, is_certain
            )
            self.of_attributes[node.attr].append(change)
        elif isinstance(node, ast.Name) and (
            place := self._program.binding(node.id, scope)
        ):
            change = ContainerChange(update, place, None, None, step.depth, is_certain)
            self.of_variables[id(place), node.id].append(change)

    def _sources(self, step: _Step) -> Iterator[_Step]:
        """Yield the expressions from which the container in an expression may come."""
        node = step.node
        if isinstance(node, ast.Name):
            yield from self._of_name(node.id, step)
        elif isinstance(node, ast.Attribute):
            yield from self._of_attribute(node, step)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, step)
        elif isinstance(node, ast.Subscript):
            is_slice = isinstance(node.slice, ast.Slice)
            if not (is_slice and step.depth == 0):  # a copy
                yield step.to(node.value, 0 if is_slice else 1)
        elif isinstance(node, ast.IfExp):
            yield from (step.to(node.body), step.to(node.orelse))
        elif isinstance(node, ast.BoolOp):
            yield from map(step.to, node.values)
        elif isinstance(node, ast.NamedExpr | ast.Await):
            yield step.to(node.value)
        elif step.depth:
            yield from _elements(node, step)

    def _of_name(self, name: str, step: _Step) -> Iterator[_Step]:
        place = self._program.binding(name, step.scope)
        if place is None:
            return
        for value in place.values.get(name, ()):
            deeper = _DEPTHS.get(value.kind)
            if deeper is not None and value.annotation is None:
                yield step.to(value.value, deeper, value.scope)
        if isinstance(place, GameFunction) and place.has_parameter(name):
            yield from self._arguments(place, name, step)

    def _arguments(
        self, function: GameFunction, name: str, step: _Step
    ) -> Iterator[_Step]:
        """Yield what the calls of a function pass for a parameter."""
        if name in (function.self_name, function.cls_name):
            return
        for call in self._program.calls_of(function):
            given = argument_for(call.node, function, name)
            arguments = [*call.node.args, *(k.value for k in call.node.keywords)]
            for argument in arguments if given is UNCLEAR else [given]:
                is_starred = isinstance(argument, ast.Starred)
                node = argument.value if isinstance(argument, ast.Starred) else argument
                yield step.to(node, int(is_starred), call.scope, is_certain=False)

    def _of_attribute(self, node: ast.Attribute, step: _Step) -> Iterator[_Step]:
        cls = self_class(node.value, step.scope)
        for value in self._program.assignments.get(node.attr, ()):
            deeper = _DEPTHS.get(value.kind)
            if deeper is not None and not are_unrelated(cls, value.owner):
                yield step.to(value.value, deeper, value.scope, is_certain=False)
        for function in self._program.functions.get(node.attr, ()):
            is_property = not PROPERTIES.isdisjoint(function.decorators)
            if is_property and not are_unrelated(cls, function.cls):
                yield from self._results(function, step)

    def _of_call(self, node: ast.Call, step: _Step) -> Iterator[_Step]:
        name = (dotted(node.func) or "").rpartition(".")[2]
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = name or getattr(node.func, "attr", "")
        call = GameCall(step.scope, node)
        functions = [
            function
            for function in self._program.functions.get(name, ())
            if self._program.may_call(call, function)
        ]
        for function in functions:
            yield from self._results(function, step, is_certain=len(functions) == 1)
        if name in _TAKING:
            yield step.to(receiver, 1)
            yield from map(step.to, node.args[1:2])
        elif name in _CHOOSING:
            yield from (step.to(argument, 1) for argument in node.args)
        elif step.depth:
            deeper = -1 if name in _PAIRING else 0
            for argument in [receiver, *node.args]:
                yield step.to(argument, deeper, is_certain=False)

    def _results(
        self, function: GameFunction, step: _Step, is_certain: bool = False
    ) -> Iterator[_Step]:
        for result in function.results:
            is_only = is_certain and len(function.results) == 1
            yield step.to(result, 0, function, is_certain=is_only)
        for result in function.yields:
            yield step.to(result, -1, function, is_certain=False)


_MAX_DEPTH = 6  # of containers in each other
# Expressions followed for one change, the nearest ones first. In a large program, names that many
# classes have lead almost everywhere.
_MAX_STEPS = 100
# How much deeper the container is in the value of an assignment than in its target
_DEPTHS = {"value": 0, "element": 1, "value item": 1, "element item": 2}


def _attribute_of(node: ast.expr | None) -> ast.expr | None:
    """Return a node; `vars(x)` as `x.__dict__`."""
    if isinstance(node, ast.Call) and dotted(node.func) == "vars" and node.args:
        return ast.Attribute(node.args[0], "__dict__")
    return node


def _elements(node: ast.expr | None, step: _Step) -> Iterator[_Step]:
    """Yield the elements of a display, and what a comprehension takes them from."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        for element in node.elts:
            if isinstance(element, ast.Starred):
                yield step.to(element.value)
            else:
                yield step.to(element, -1)
    elif isinstance(node, ast.Dict):
        yield from (step.to(value, -1) for value in node.values)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        element = node.value if isinstance(node, ast.DictComp) else node.elt
        yield step.to(element, -1)
        for generator in node.generators:
            yield step.to(generator.iter, is_certain=False)
