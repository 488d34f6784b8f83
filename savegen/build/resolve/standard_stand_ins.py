"""Find stand-ins for classes of Python itself whose state no field can hold.

For classes of other libraries, which a build does not import, the game finds them when it starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module

from savegen.build.kinds import GENERATORS, MODULES_OF_TYPES
from savegen.build.model import Field, MarkFault
from savegen.findings import Span
from savegen.runtime.generated.stand_ins import stand_in_faults

# Modules of Python that only define classes and functions.
_MODULES = {
    *"contextvars functools io itertools operator queue random re struct".split(),
    *("threading", "types", "weakref"),
    *("builtins", *MODULES_OF_TYPES.values()),
}


def unsuitable_stand_in(
    names: Iterable[str],
    fields: Iterable[Field],
    hooks: Iterable[tuple[str, str]],
    span: Span,
) -> Iterator[MarkFault]:
    """Yield why a stand-in with some fields and hooks cannot be used for classes of Python."""
    attributes = [field.attribute for field in fields]
    marks = {mark for mark, _ in hooks}
    has_hooks = "before_save" in marks, "on_activate" in marks
    for name in names:
        module, _, qualname = name.rpartition(".")
        if name in GENERATORS:
            text = f"savegen saves `{name}` itself: remove this stand-in"
            yield MarkFault(span, f"{text}, and write `Saved[{name}]`")
            continue
        cls = getattr(import_module(module), qualname, 0) if module in _MODULES else 0
        for fault in stand_in_faults(cls, name, attributes, *has_hooks) if cls else ():
            yield MarkFault(span, f"this stand-in {fault}")
