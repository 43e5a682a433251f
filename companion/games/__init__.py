"""The games, one folder each; see "A game" in CONTRIBUTING."""
