"""Saves of older versions: migrations, converters, plain rows."""
