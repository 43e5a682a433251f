"""Guidance: what is going on in a match, and which steps a viewer may take now."""
