"""The tests of fdlint."""
