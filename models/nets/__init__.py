"""The two networks: where indices are, and what they show."""
