"""Library models: the effects of methods and functions that need more than a catalog entry."""
