"""Outlines: the four corners of cards, faces and backs, by their edges and by a network."""
