"""Checks at run time that nobody uses or closes a descriptor after its end, nor that of somebody else."""
