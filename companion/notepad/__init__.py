"""The notepad: exact deduction for each game from one viewer's knowledge.

What all notepads share. Each game's `notepad.py` translates a viewer's own view into facts, and its
`engine/`, which knows no events and no views, counts every world that fits an immutable knowledge
(facts with their events and texts) and gives all marginal chances. `facts.smallest_core` explains
them.
"""
