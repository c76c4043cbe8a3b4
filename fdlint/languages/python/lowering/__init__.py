"""Lowers libcst trees to control-flow graphs. Only this package knows Python's syntax."""
