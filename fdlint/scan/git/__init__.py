"""Reads a tree's git data without trusting the tree.

fdlint finds a repository in Python, never through git, and git never reads the repository's configuration: it works in
a private git directory, which refers to the repository's objects and refs as plain data.
"""
