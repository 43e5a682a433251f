"""The exact counter behind the notepad of trick-taking games."""
