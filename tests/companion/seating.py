"""Who sits at a table that is tried out."""

from companion.core.referee import Referee
from companion.core.registry import get_game

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve")
#: Points to which games are played of which a session takes hundreds of turns.
_TARGETS = {"hearts": "50", "spades": "100", "oh-hell": "50"}


def short(game):
    """Options under which a session is some matches, but no evening long."""
    return {"target": _TARGETS[game.name]} if game.name in _TARGETS else {}


def fewest(game):
    """Names for the smallest table of a game; two where one could play alone."""
    return list(NAMES[: max(2, game.info.min_players)])


def seated(game, *lines, players=2, trusted=False, deck=None, **options):
    """A referee of a game, or of the game of that name, after some lines.

    Args:
        game: the game or its name.
        lines: what is accepted first.
        players: how many there are, or their names.
        trusted: who trusts the referee, as for `Game.setup`.
        deck: cards of one's own choice.
        options: as stated in a match's header.
    """
    game = get_game(game) if isinstance(game, str) else game
    names = NAMES[:players] if isinstance(players, int) else players
    referee = Referee(game, game.setup(names, options, trusted=trusted, cards=deck))
    for line in lines:
        referee.accept(line)
    return referee
