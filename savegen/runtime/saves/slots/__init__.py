"""What a player sees: slots with generations, rotation, trash, saving in the background."""
