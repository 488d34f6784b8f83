"""Journals: records appended behind a save, each with what changed since the one before."""
