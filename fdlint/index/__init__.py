"""One file's definitions, imports and calls, before it is parsed."""
