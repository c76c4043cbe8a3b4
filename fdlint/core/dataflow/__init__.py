"""Analyses of any graph."""
