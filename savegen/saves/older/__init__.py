"""Saves of other versions of the game: converted, migrated, and preserved where unknown."""
