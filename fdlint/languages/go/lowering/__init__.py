"""Lowers Go to graphs, from the syntax trees of tree-sitter."""
