"""What a Python process records about the descriptors that it acquires, and how ``fdlint doctor`` reads it.

``layout`` is the form of the file, which ``fdlint.runtime.recording.recording`` writes; ``reading`` checks and reads
it, and ``matching`` compares it with the descriptors that are open now.
"""
