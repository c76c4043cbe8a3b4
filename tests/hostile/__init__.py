"""Attacks of a scanned tree on its user; each file tests one kind."""
