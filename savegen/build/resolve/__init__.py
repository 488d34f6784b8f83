"""Declarations to model: every name bound, every field's kind known."""

from savegen.build.resolve.resolver import Resolver
from savegen.build.resolve.settings import Settings

__all__ = ["Resolver", "Settings"]
