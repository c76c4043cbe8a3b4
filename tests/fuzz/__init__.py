"""Hostile and random inputs for the analyser, and the checks for each of them: see ``__main__.py``."""
