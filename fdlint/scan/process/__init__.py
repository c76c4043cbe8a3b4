"""The limits and resources of this process: work, stack, memory, child programs."""
