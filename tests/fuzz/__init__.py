"""Hostile and random inputs for the analyser, and what has to hold for each of them: see ``__main__.py``."""
