"""What git knows of a tree that nobody trusts.

A repository is found in Python, never by git, and git never reads its configuration: it works in a private git
directory, which refers to the repository's objects and refs as plain data.
"""
