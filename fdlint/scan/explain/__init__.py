"""Answers why a line has a finding, or has none, with what the engine knows."""
