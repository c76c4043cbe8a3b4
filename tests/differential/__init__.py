"""A differential test: random functions, run along all their paths, against what the engine says of them."""
