"""Slots of saves: generations, rotation, trash, and saving in the background."""
