"""Games that never heard of savegen, ported with its commands."""
