"""Training samples of the reviewer: the classifier's, with rare cards more often among them."""

from __future__ import annotations

FOREIGN, JOKERS = 0.45, 0.09
"""Shares of decks in other languages, and of jokers, among the strangers: in whole decks their
marks are so seldom met that the classifier knows them less well."""
