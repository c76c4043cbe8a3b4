"""The typestate of attributes across the methods of a class."""
