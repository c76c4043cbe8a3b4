"""Library models: what methods and functions with a meaning of their own do to a state."""
