"""A second opinion on what an index shows."""
