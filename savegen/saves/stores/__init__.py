"""Where saves are kept: names, and the bytes stored under them."""
