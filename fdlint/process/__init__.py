"""The limits and means of this process: work, stack, memory, programs that are started."""
