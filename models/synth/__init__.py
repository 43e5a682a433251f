"""Synthetic photographs of cards on tables, with exact labels."""
