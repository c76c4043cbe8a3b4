"""A differential test: random programs, run along all their paths, against what the engine says of them.

Four kinds, each with its generator, its truth and its comparison:

* ``functions``: one function. ``program`` writes it, ``oracle`` says what is due for each acquiring call.
* ``calls``: functions that call each other, up to three deep (``callees``, ``delegate``). Each is run on its own;
  what a call gives its caller is acquired by that call.
* ``classes``: ``class_program`` writes one, ``drive`` calls its methods in every order, ``class_oracle`` says which
  lines are due FD105, FD108 or FD204, and where the contract leaves room.
* ``misuse``: one function with closes and uses too many. ``table`` sees each one of a number after its end, and
  ``misuse`` compares the lines.

``python -m tests.differential --kind calls --count 500 --seed 1 --show 5`` compares, and makes disagreements small.
"""
