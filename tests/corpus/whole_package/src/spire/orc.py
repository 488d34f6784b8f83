"""Has no saveable class."""
