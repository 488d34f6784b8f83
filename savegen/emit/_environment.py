"""The templates, wherever savegen is installed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from savegen.emit import _layout
from savegen.emit._types import literal

_PACKAGE = Path(__file__).parents[1]
TEMPLATES = [_PACKAGE / "_templates", _PACKAGE.parent / "templates"]  # wheel, checkout


class _Environment(jinja2.Environment):
    # Jinja's own also tries `[…]`, in Python: templates here ask for hundreds of thousands.
    getattr = staticmethod(getattr)  # type: ignore[assignment]


@cache
def environment() -> jinja2.Environment:
    """Return the one environment: strict, and with the black-like `statement` filter."""
    made = _Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )
    made.filters["at"] = _layout.at
    made.filters["signature"] = _layout.signature
    made.filters["loop"] = _layout.loop
    made.filters["imported"] = _layout.imported
    made.filters["literal"] = literal
    return made


def render(template: str, **context: object) -> str:
    return environment().get_template(template).render(context)
