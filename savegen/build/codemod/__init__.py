"""The user's own files rewritten: only what must change, every other byte kept."""
