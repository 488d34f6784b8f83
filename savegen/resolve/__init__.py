"""Declarations to model: every name bound, every field's kind known."""

from savegen.resolve.resolver import Resolver
from savegen.resolve.settings import Settings

__all__ = ["Resolver", "Settings"]
