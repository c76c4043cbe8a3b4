"""Ownership: what each effect does to a world, and which descriptors are lost on the way."""
