"""Changes what a viewer may not know, so that nothing the viewer sees may change.

`scramble` replaces the arguments of a private event by others that its game accepts as well. The
cards of any verb are replaced by random ones of the same family; a game whose private verbs take
other arguments adds a function for them to `OTHERS`.
"""

from dataclasses import replace

from companion.cards import Card, family_cards
from companion.core.events import CORRECT


def other_prediction(state, event, rng):
    length = rng.randint(1, len(event.args[0]))
    return ("".join(rng.choice("UDS") for _ in range(length)),)


def other_shown(state, event, rng):
    """Another tile that matches the question."""
    face = state.question.face
    return (rng.choice([tile for tile in state.deck if face.matches(tile)]),)


#: (game, verb) → function of the state, event and rng that returns other arguments.
OTHERS = {("precognition", "predict"): other_prediction, ("deduction", "show"): other_shown}


def readers(game, state, event):
    """The seats that may know what a private event says, now or later in the match.

    Args:
        game: the game.
        state: the referee's, before or right after the event.
        event: a private event.
    """
    inner = event.args[1] if event.verb == CORRECT and event.args else event
    return event.readers | set(game.readers_later(state, inner))


def knows(game, state, event, viewer):
    """Whether a viewer (None for the public) may know what an event says, now or later."""
    return event.is_public or viewer in readers(game, state, event)


def scramble(game, state, event, rng):
    """The event with other arguments, as hidden from everybody outside its audience."""
    special = OTHERS.get((game.name, event.verb))
    if special is not None:
        return replace(event, args=special(state, event, rng))
    deck = list(game.all_cards(state.setup))

    def other(value):
        if isinstance(value, Card):
            return rng.choice(deck if value.family is game.family else family_cards(value.family))
        if isinstance(value, tuple) and all(isinstance(card, Card) for card in value):
            return tuple(rng.sample(deck, len(value)))
        return value

    return replace(event, args=tuple(other(value) for value in event.args))
