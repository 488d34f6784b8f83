"""What tells of values that a load would lose: strict captures, coverage, and a build that was forgotten."""
