"""Sets a project up for fdlint: looks at it and changes its files. It runs no code of the project."""
