"""The scan: files in, a report out."""
