"""The exact counter behind the notepad."""
