"""Configure Jinja for the templates: undefined names are errors, compiled code is cached."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from savegen import disk
from savegen.build.emit._layout import laid_out
from savegen.build.emit._types import article, as_code, listed, literal

_PACKAGE = Path(__file__).parents[2]
TEMPLATES = [_PACKAGE / "_templates", _PACKAGE.parent / "templates"]  # wheel, checkout


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Stores compiled templates in a `__pycache__` folder beside them."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):  # the cache is optional
            if not disk.exists(self.directory):
                disk.make_folder(self.directory)
            super().dump_bytecode(bucket)


class Engine(jinja2.Environment):
    """The Jinja environment of all templates.

    It has functions of `_types` and `_layout` as filters.
    """

    # Jinja's version also tries `["name"]`, which is slow; a build makes 100,000s of calls.
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
        self.filters["article"] = article
        self.filters["literal"] = literal
        self.filters["as_code"] = as_code
        self.filters["laid_out"] = laid_out
        self.filters["listed"] = listed
