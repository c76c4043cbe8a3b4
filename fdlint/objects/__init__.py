"""The life of an attribute across the methods of a class."""
