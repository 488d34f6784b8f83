"""Loads a snapshot into a world: which object belongs to which row, the rows, the undo of a failed load."""
