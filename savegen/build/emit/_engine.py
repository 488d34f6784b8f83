"""Jinja as the templates want it: strict, quick, and compiled once."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from savegen import disk
from savegen.build.emit import _layout
from savegen.build.emit._names import groups
from savegen.build.emit._types import article, literal, spelled

_PACKAGE = Path(__file__).parents[2]
TEMPLATES = [_PACKAGE / "_templates", _PACKAGE.parent / "templates"]  # wheel, checkout


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Keeps compiled templates beside them, as Python does with modules."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):  # without them the next run takes longer
            if not disk.exists(self.directory):
                disk.make_folder(self.directory)
            super().dump_bytecode(bucket)


class Engine(jinja2.Environment):
    """The one environment, with what templates ask of the layout as filters."""

    # Jinja's own also tries `[…]`, in Python: templates here ask for hundreds of thousands.
    getattr = staticmethod(getattr)  # type: ignore[assignment]

    def __init__(self) -> None:
        folder = next(filter(Path.is_dir, TEMPLATES), TEMPLATES[0])
        super().__init__(
            loader=jinja2.FileSystemLoader(TEMPLATES),
            bytecode_cache=_Compiled(str(folder / "__pycache__")),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            auto_reload=False,
        )
        self.filters["at"] = _layout.at
        self.filters["display"] = _layout.display
        self.filters["signature"] = _layout.signature
        self.filters["either"] = _layout.either
        self.filters["imported"] = _layout.imported
        self.filters["groups"] = groups
        self.filters["article"] = article
        self.filters["literal"] = literal
        self.filters["spelled"] = spelled
