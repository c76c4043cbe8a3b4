"""The differential test for fixes: each function must do the same before and after its safe fixes, but for the defect.

``writer`` writes a module, ``repair`` applies the safe fixes, ``runtime`` runs its function on a table of numbers that
are never used again, and ``compare`` looks at both runs of each path. ``golang`` does the same for Go with the machine
of ``tests.differential.golang``. ``campaign`` counts over many modules.
"""
