"""The files of a scan: which there are, which part of them, and errors that stay in one of them."""
