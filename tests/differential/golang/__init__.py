"""The differential test for Go: ``writer`` writes a program, ``machine`` runs it, ``compare`` compares with the engine.

Go itself is not needed: the machine interprets the syntax tree of the subset that the writer uses.
"""
