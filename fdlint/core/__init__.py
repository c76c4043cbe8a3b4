"""The analysis: it knows no language, no file system and no report."""
