"""A roguelike in the style of the tutorials: it pickles its engine."""
