"""The ownership analysis: applies each effect to a state and finds the descriptors that are lost on the way."""
