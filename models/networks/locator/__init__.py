"""Finds the corner indices of cards in a picture."""
