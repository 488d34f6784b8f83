"""The build side: source text to generated text, without running the game."""
