"""Cards, rules, referee, scores, journal and notepad of the tabletop companion."""

__version__ = "0.1.0"
