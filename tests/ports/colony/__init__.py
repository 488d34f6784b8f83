"""A simulation made of dataclasses. It never had a way to save."""
