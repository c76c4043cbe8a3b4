"""Reads procfs and ``/sys/fs/fuse``: functions over a directory, which a test can replace by a tree of plain files."""
