"""Snapshots: taking, comparing, digests, histories. `loading/` puts a snapshot back into the world."""
