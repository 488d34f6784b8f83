"""The templates, wherever savegen is installed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

    from savegen.build.emit._engine import Engine


@cache
def template(name: str) -> Template:
    """Return a template; the engine is loaded when the first is asked for."""
    return _engine().get_template(name)


@cache
def _engine() -> Engine:
    from savegen.build.emit._engine import Engine

    return Engine()


def render(name: str, **context: object) -> str:
    return template(name).render(context)
