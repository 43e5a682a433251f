"""Held-out pictures, and how well the shipped networks read them."""
