"""Indexes one file before it is parsed: its definitions, imports and calls."""
