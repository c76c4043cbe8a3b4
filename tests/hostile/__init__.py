"""What a scanned tree can try against whoever scans it; each file is one kind of attack."""
