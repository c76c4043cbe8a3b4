"""Objects that are backed by pipes and worker processes: what becomes of them, and which loops recreate them."""
