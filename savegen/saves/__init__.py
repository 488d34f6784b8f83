"""Saves read without the game that wrote them: for `savegen saves`."""
