"""Finds the four corners of a card that is roughly there."""
