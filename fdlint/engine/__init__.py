"""Ownership: what each effect does to a state, and which descriptors are lost on the way."""
