"""The nouns of a report."""
