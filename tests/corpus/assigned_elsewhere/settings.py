title = "The game"
