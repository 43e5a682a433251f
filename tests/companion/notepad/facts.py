"""Facts and knowledge as tests make them."""

from dataclasses import replace

from companion.games.deduction.engine.facts import TileCount, face_words


def learn(knowledge, *facts):
    """The knowledge with more facts; the original is unchanged."""
    return replace(knowledge, facts=knowledge.facts + facts)


def have_yes(player, what, *, event=0):
    """The fact after “do you have …” was answered Yes."""
    text = f"{player} has {face_words(what)} ({event})"
    return TileCount(event=event, text=text, player=player, what=what, low=1, high=24)


def have_count(player, what, number, *, event=0):
    """The fact after “how many …” was answered with a number."""
    text = f"{player} has {number or 'no'} {face_words(what)} ({event})"
    return TileCount(event=event, text=text, player=player, what=what, low=number, high=number)


def have_no(player, what, *, event=0):
    """The fact after “do you have …” was answered No."""
    return have_count(player, what, 0, event=event)
