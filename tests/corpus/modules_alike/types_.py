"""Without a saveable class, so nothing is generated for it."""
