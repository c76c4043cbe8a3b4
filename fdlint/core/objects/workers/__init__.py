"""Objects with pipes and worker processes: where they end, and which loops recreate them."""
