"""Reads what a card shows beside its index."""
