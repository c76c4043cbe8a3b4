"""What this process itself does with descriptors: which are open, and which code acquired them."""
