"""libcst to control-flow graph: the only place, with ``source``, that knows Python's syntax."""
