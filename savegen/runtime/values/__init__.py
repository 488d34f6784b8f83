"""How values become plain data, and back: stored types, cells, rows, codecs, and the functions that generated code calls."""
