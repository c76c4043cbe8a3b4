"""Repairs findings: each module proposes one kind of change, and ``proof`` decides whether it holds."""
