"""Rows: in which order cards are read, where one is missing, and several pictures of one row."""
