"""Lowers source code to graphs, with one package per language."""
