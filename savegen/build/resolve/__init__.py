"""Resolve declarations to the model: look up every name, and find the kind of every field."""

from savegen.build.resolve.resolver import Resolver
from savegen.build.resolve.settings import Settings

__all__ = ["Resolver", "Settings"]
