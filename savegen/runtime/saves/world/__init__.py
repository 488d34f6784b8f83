"""From a snapshot to plain data, and back into a world."""
