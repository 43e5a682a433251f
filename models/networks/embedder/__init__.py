"""Tells how alike two pieces look."""
