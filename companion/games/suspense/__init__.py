"""Suspense: The Card Game (Daniel Solis, prototype D): the winning condition is face down.

Thirteen cards, white 1–6, black 1–6 and `!`, each with a victory condition. Two or three players
are dealt all but one, the secret card, whose condition decides the match. Cards are played face up
until their numbers sum to 15 (20 with three players) or all have passed. Then everybody folds or
stays, and the secret card is turned up. The first player with six points wins.
"""

from companion.games.suspense.game import GAME, Suspense

__all__ = ["GAME", "Suspense"]
