"""Rewinding: the history of a world, its deltas, and the objects that a rewind leaves as they are."""
