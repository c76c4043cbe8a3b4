"""What a written proof runs. It needs Python's own library alone, because each proof contains its text."""
