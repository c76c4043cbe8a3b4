"""Looks at running processes on Linux and names the patterns of leaks in them. It only reads.

``proc`` reads procfs, ``snapshot`` puts together what it found, ``watching`` compares snapshots, ``judging`` names
patterns, ``sites`` and ``ranking`` lead to the code, and ``text``, ``document`` and ``html`` show the result.
"""
