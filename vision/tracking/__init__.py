"""Tables and rows over time: what lies where, what came, moved, turned over and went."""
