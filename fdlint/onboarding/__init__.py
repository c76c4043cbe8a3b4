"""What a project needs to begin with fdlint: a look at it, and the changes to its files. Nothing of it is executed."""
