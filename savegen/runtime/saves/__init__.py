"""Save files: what a world is, as bytes that survive the game and its next version."""
