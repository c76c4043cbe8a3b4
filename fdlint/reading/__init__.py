"""Bytes and text of untrusted files: what comes in, in which encoding, how deeply nested."""
