"""The abstract state: the values that a function's variables may hold at one point of one path."""
