"""Declarations to model: every name bound, every field's kind known."""

from savegen.resolve.resolver import Resolver

__all__ = ["Resolver"]
