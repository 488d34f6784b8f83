"""Load and render templates. Jinja is imported when the first one is needed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

    from savegen.build.emit._jinja import Engine


@cache
def template(name: str) -> Template:
    """Return a compiled template by its file name."""
    return _engine().get_template(name)


@cache
def _engine() -> Engine:
    from savegen.build.emit._jinja import Engine

    return Engine()


def render(name: str, **context: object) -> str:
    return template(name).render(context)
