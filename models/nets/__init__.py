"""The networks: where indices are, what they show, and how a whole face looks."""
