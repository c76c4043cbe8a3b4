"""Bytes and text of untrusted files: limits on size, encodings and nesting."""
