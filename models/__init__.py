"""The network files, what they are, and the code that makes them from nothing."""
