"""The program: its modules, the functions that calls mean, and the functions that override others."""
