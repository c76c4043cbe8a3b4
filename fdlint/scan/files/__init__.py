"""The files of a scan: discovery, sharding, and a guard that confines an error to one file."""
