"""Rewrite the user's source files: change only what is necessary, and keep every other byte."""
