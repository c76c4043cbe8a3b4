"""What examines, records and tests running processes."""
