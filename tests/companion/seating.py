"""Who sits at a table that is tried out."""

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve")


def fewest(game):
    """Names for the smallest table of a game; two where one could play alone."""
    return list(NAMES[: max(2, game.info.min_players)])
