"""From declarations to the model: every name is looked up, and every field gets a kind."""

from savegen.build.resolve.resolver import Resolver
from savegen.build.resolve.settings import Settings

__all__ = ["Resolver", "Settings"]
