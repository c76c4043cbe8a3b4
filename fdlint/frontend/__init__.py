"""Source code to graphs, a package for each language."""
