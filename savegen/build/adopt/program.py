"""Index a game's source, and find out what its names mean.

Only the standard library's `ast` reads the source here. Nothing is imported or run.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator

from savegen.build.adopt.definitions import (
    GameCall,
    GameClass,
    GameFunction,
    GameModule,
    GameScope,
    Update,
    GameValue,
    are_unrelated,
    decorators,
    self_class,
)
from savegen.build.adopt.indexer import Index, Indexer
from savegen.build.scan.facts import dotted
from savegen.build.source import Project, SourceFile, Undecodable

_BUILTINS = frozenset(dir(builtins))
_MAX_HOPS = 16  # imports followed for one name


class Program(Index):
    """All modules of a game, and the assignments, updates and calls in them by name."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        super().__init__()
        self.modules: dict[str, GameModule] = {}
        self.unreadable: dict[str, tuple[int, str]] = {}  # path → line, reason
        self._calls_of: dict[GameFunction, list[GameCall]] = {}
        for file in files:
            self._read(file)
        for module in self.modules.values():
            Indexer(self, module).visit_module()
        self.classes = {
            cls.name: cls for m in self.modules.values() for cls in m.classes.values()
        }
        for cls in self.classes.values():
            self._link_bases(cls)

    def _read(self, file: SourceFile) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                tree = ast.parse(file.text)
        except Undecodable as error:
            self.unreadable[file.path] = error.line, error.reason
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            reason = getattr(error, "msg", None) or "nested too deeply"
            self.unreadable[file.path] = line, reason
        else:
            self.modules[file.module] = GameModule(
                file.module, file.path, tree, file.is_package
            )

    def _link_bases(self, cls: GameClass) -> None:
        for node in cls.node.bases:
            if isinstance(node, ast.Subscript):
                node = node.value
            full = self.named(node, cls.scope)
            base = self.class_named(full)
            if base is not None and base is not cls:
                cls.bases.append(base)
                base.subclasses.append(cls)
            else:
                cls.foreign_bases.append(full or "?")

    # Names

    def class_named(self, full_name: str | None) -> GameClass | None:
        return self.classes.get(full_name) if full_name else None

    def named(self, node: ast.expr | None, scope: GameScope) -> str | None:
        """Return the full name that an expression such as `a.b` means; `None` for any other."""
        name = dotted(node)
        return self.full_name(scope, name) if name else None

    def full_name(self, scope: GameScope, name: str) -> str | None:
        """Return the full name that a dotted name means in a scope; `None` if it is unknown.

        A class or function of the game is named by the module that defines it, whatever
        modules re-export it.
        """
        first, _, rest = name.partition(".")
        start = self._first(scope, first)
        return self.origin(f"{start}.{rest}" if rest else start) if start else None

    def _first(self, scope: GameScope, name: str) -> str | None:
        module = scope.module
        cls = scope.cls
        while cls is not None:  # a nested class
            nested = f"{cls.qualname}.{name}"
            if nested in module.classes:
                return f"{module.name}.{nested}"
            outer = cls.qualname.rpartition(".")[0]
            cls = module.classes.get(outer)
        inner: GameScope | None = scope
        while isinstance(inner, GameFunction):
            if name in inner.values:
                return None
            inner = inner.parent
        return self._in_module(module, name)

    def _in_module(self, module: GameModule, name: str) -> str | None:
        found = self._exported(module, name, set())
        return found or (f"builtins.{name}" if name in _BUILTINS else None)

    def _exported(self, module: GameModule, name: str, visited: set[str]) -> str | None:
        """Return what a name of a module means, also by `from … import *`."""
        if name in module.classes or name in module.functions:
            return f"{module.name}.{name}"
        if name in module.imports:
            return module.imports[name]
        if module.scope is not None and name in module.scope.values:
            return f"{module.name}.{name}"
        visited.add(module.name)
        for star in reversed(module.stars):  # the last one replaces names of the others
            other = self.modules.get(star)
            if other and star not in visited and _is_public(other, name):
                if found := self._exported(other, name, visited):
                    return found
        return None

    def origin(self, full_name: str) -> str:
        """Follow re-exports: `game.Actor` → `game.actors.Actor`."""
        for _ in range(_MAX_HOPS):
            module, rest = self._split(full_name)
            if module is None or not rest:
                return full_name
            first, _, more = rest.partition(".")
            if rest in module.classes or first in module.classes:
                return full_name
            target = self._in_module(module, first)
            if target is None or target.startswith("builtins."):
                return full_name
            following = f"{target}.{more}" if more else target
            if following == full_name:
                return full_name
            full_name = following
        return full_name

    def _split(self, full_name: str) -> tuple[GameModule | None, str]:
        """Split a full name into the longest known module and the rest."""
        name, rest = full_name, ""
        while name:
            if name in self.modules:
                return self.modules[name], rest
            name, _, last = name.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
        return None, full_name

    def member(self, full_name: str) -> tuple[GameModule, str] | None:
        """Return the module and the name in it, if a full name names a member of a module."""
        module, rest = self._split(full_name)
        return (module, rest) if module is not None and rest else None

    def function_named(self, full_name: str) -> GameFunction | None:
        place = self.member(full_name)
        return place[0].functions.get(place[1]) if place is not None else None

    def binding(self, name: str, scope: GameScope) -> GameScope | None:
        """Return the scope that binds a name; `None` if no file of the game binds it."""
        if local := scope.binding(name):
            return local
        full = self.full_name(scope, name)
        place = self.member(full) if full else None
        is_bound = place is not None and place[1] in place[0].scope.values
        return place[0].scope if place is not None and is_bound else None

    # Calls

    def calls_of(self, function: GameFunction) -> list[GameCall]:
        """Return the calls that may run a function, as far as names show that."""
        if function not in self._calls_of:
            names = [function.name]
            if function.name == "__init__" and function.cls is not None:
                names += [subclass.node.name for subclass in function.cls.descendants]
            calls = (call for name in names for call in self.calls[name])
            self._calls_of[function] = [c for c in calls if self.may_call(c, function)]
        return self._calls_of[function]

    def may_call(self, call: GameCall, function: GameFunction) -> bool:
        """Return whether a call of a name may run a function of that name."""
        full = self.named(call.node.func, call.scope)
        if full is not None and (known := self.function_named(full)):
            return known is function
        cls = self.class_named(full)
        if cls is not None:
            return function.cls in cls.family
        if full is not None and full.startswith("builtins."):
            return False
        if not isinstance(call.node.func, ast.Attribute):
            return True
        own = self_class(call.node.func.value, call.scope)
        return function.cls is not None and not are_unrelated(own, function.cls)


def _is_public(module: GameModule, name: str) -> bool:
    """Return whether `from module import *` imports a name that the module has."""
    public = module.public
    return not name.startswith("_") if public is None else name in public


def is_saveable(program: Program, cls: GameClass) -> bool:
    """Return whether a class has the decorator `@saveable`, whatever its local name is."""
    names = (program.full_name(cls.scope, name) for name in decorators(cls.node))
    return any(
        name in ("savegen.saveable", "savegen.runtime.saveable") for name in names
    )


def project_files(project: Project) -> Iterator[SourceFile]:
    """Yield the files of a project, and do not keep their bytes."""
    for module in project:
        yield project.file(module)
        project.forget([module])
