"""Values of the standard library and of other libraries: what they consist of, and how they are set."""
