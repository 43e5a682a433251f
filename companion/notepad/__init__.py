"""The notepad: exact deduction for each game from one viewer's knowledge.

One module a game. Each takes an immutable knowledge (facts with their events and texts), counts
every world that fits, gives all marginal chances, and explains by `facts.smallest_core`. Nothing
here knows events or views: the games translate a viewer's own view into facts.
"""
