"""A differential test: runs random programs along all their paths and compares the result with the engine's findings.

There are eight kinds, each with its generator, its oracle and its comparison:

* ``functions``: one function. ``program`` writes it, ``oracle`` returns the right code for each acquiring call.
* ``calls``: functions that call each other, up to three deep (``callees``, ``delegate``). Each runs on its own; the
  result of a call is acquired by that call.
* ``classes``: ``class_program`` writes one, ``drive`` calls its methods in every order, ``class_oracle`` returns the
  lines that need FD105, FD108 or FD204, and those that the contract leaves open.
* ``misuse``: one function with too many closes and uses. ``table`` sees each one of a number after its end, and
  ``misuse`` compares the lines.
* ``owners``: one function that creates objects of classes which own descriptors (``owner_classes``). Whoever gets an
  object takes it over; the result of the constructor is acquired by its call (``owner_compare``).
* ``go``: one function in Go, and the helpers that it calls (``golang``). A small interpreter runs it.
* ``fixes`` and ``go-fixes``: a module before and after its safe fixes (``fixes``). Each path runs twice, on a table of
  numbers that are never used again, and must do the same, but for the defect.

``python -m tests.differential --kind calls --count 500 --seed 1 --show 5`` compares, and shrinks disagreements.
"""
