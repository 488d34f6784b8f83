"""Snapshots: taking, comparing, digests. `history/` rewinds, `loading/` puts a snapshot back into the world."""
