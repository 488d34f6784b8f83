"""The screen of the game: it draws a `Game`, and turns the keyboard into its keys. Nothing here is saved."""
