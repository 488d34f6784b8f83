"""Slots: generations of saves, rotation, trash, saving in the background."""
