"""Who sits at a table that is tried out."""

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve")
#: Points to which games are played of which a session takes hundreds of turns.
_TARGETS = {"hearts": "50", "spades": "100", "oh-hell": "50"}


def short(game):
    """Options under which a session is some matches, but no evening long."""
    return {"target": _TARGETS[game.name]} if game.name in _TARGETS else {}


def fewest(game):
    """Names for the smallest table of a game; two where one could play alone."""
    return list(NAMES[: max(2, game.info.min_players)])
