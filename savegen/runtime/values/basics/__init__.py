"""What needs no stored type: names of modules and files, keys, limits, strict JSON."""
