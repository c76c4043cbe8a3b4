"""A test that shows a finding: its text, and what a run of it says."""
