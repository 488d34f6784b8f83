"""Spell a type with the names of one module, and find the imports that the spelling needs."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field

from savegen.build.adopt.definitions import GameClass, GameModule
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import InferredType, names, spell

_BUILTINS = frozenset(dir(builtins))


class Unspellable(Exception):
    """Raised if a module cannot name a type."""


@dataclass
class Speller:
    """Spells types in one module, and collects the imports that are missing."""

    program: Program
    module: GameModule
    # Module → names, for types only
    imports: dict[str, set[str]] = field(default_factory=dict)

    def annotation(self, type_: InferredType, cls: GameClass) -> str:
        """Return the annotation of a class-level field of `cls`, quoted if Python needs it.

        Raises `Unspellable` if a name of the type is used for something else.
        """
        text = spell(type_, self._local)
        if self.module.has_lazy_annotations or all(
            self._is_bound(n, cls) for n in names(type_)
        ):
            return text
        return f'"{text}"'

    def _local(self, full: str) -> str:
        if full in ("None", "..."):
            return full
        if full in _BUILTINS and "." not in full:
            if self.program.full_name(self.module.scope, full) != f"builtins.{full}":
                raise Unspellable(
                    f"`{full}` means something else in {self.module.path}"
                )
            return full
        return self._bound_name(full) or self._imported(full)

    def _bound_name(self, full: str) -> str | None:
        """Return the name that the module has for a type; `None` if it has none."""
        own = f"{self.module.name}."
        if full.startswith(own) and full[len(own) :] in self.module.classes:
            return full[len(own) :]
        for name, target in sorted(self.module.imports.items()):
            origin = self.program.origin(target)
            if origin == full:
                return name
            if full.startswith(f"{origin}."):
                rest = full[len(origin) + 1 :]
                if self.program.full_name(self.module.scope, f"{name}.{rest}") == full:
                    return f"{name}.{rest}"
        return self._by_star(full)

    def _by_star(self, full: str) -> str | None:
        """Return the name that `from … import *` gives a type; `None` if it gives none."""
        cls = self.program.class_named(full)
        name = cls.qualname if cls else full.rpartition(".")[2]
        is_known = self.program.full_name(self.module.scope, name) == full
        return name if self.module.stars and is_known else None

    def _imported(self, full: str) -> str:
        cls = self.program.class_named(full)
        source = cls.module.name if cls else full.rpartition(".")[0]
        name = cls.qualname if cls else full.rpartition(".")[2]
        if "<locals>" in name:
            raise Unspellable(f"`{full}` is defined in a function")
        first = name.partition(".")[0]
        meaning = self.program.full_name(self.module.scope, first)
        if not source or meaning or first in self.module.scope.values:
            raise Unspellable(f"`{first}` means something else in {self.module.path}")
        self.imports.setdefault(source, set()).add(first)
        return name

    def _is_bound(self, full: str, cls: GameClass) -> bool:
        """Return whether a name is bound when Python evaluates the body of `cls`."""
        if full in ("None", "...", "|") or (full in _BUILTINS and "." not in full):
            return True
        own = self.program.class_named(full)
        if own is not None and own.module is self.module:
            before = own.node.end_lineno or 0
            return before < cls.node.lineno and "." not in own.qualname
        local = self._bound_name(full)
        if local is None:
            return False
        first = local.partition(".")[0]
        name = first if first in self.module.imports else "*"
        return name not in self.module.not_at_runtime
