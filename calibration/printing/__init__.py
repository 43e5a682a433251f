"""Decks to print: faces drawn as curves in millimetres, and the sheets that carry them."""
