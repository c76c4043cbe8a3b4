"""The abstract state: what a function's variables may hold at one point of one path."""
