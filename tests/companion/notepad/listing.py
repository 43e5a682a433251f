"""Every world of a small match, listed from what a viewer can read, one by one.

Written against the rules and the viewer's events alone: nothing of the notepads' own facts is used.
Each function takes a view and returns worlds with their weights; `None` stands for "not small".
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, prod

#: So many deals at most are listed before the answers are looked at.
MOST = 4_000


def current(view):
    """The events of the running match."""
    events = list(view.events)
    starts = [i for i, e in enumerate(events) if e.verb in ("match", "playoff", "dealer")]
    return events[starts[-1] :] if starts else events


def shares(cards, sizes) -> Iterator[tuple[frozenset, ...]]:
    """All ways to choose disjoint sets of the given sizes."""
    if not sizes:
        yield ()
        return
    for chosen in combinations(cards, sizes[0]):
        rest = [c for c in cards if c not in chosen]
        for more in shares(rest, sizes[1:]):
            yield (frozenset(chosen), *more)


def ways(count, sizes):
    total = 1
    for size in sizes:
        total *= comb(count, size)
        count -= size
    return total


def own_hand(view, seat):
    for event in current(view):
        if event.verb == "hand" and event.seat == seat and event.args:
            return frozenset(event.args[0])
    return None


def deduction(view):
    """Worlds {seat: hand, "missing": tile} with weights."""
    state, seats = view.state, range(len(view.setup.players))
    deck = view.setup.cards or state.deck
    size = (len(deck) - 1) // len(view.setup.players)
    known = {seat: own_hand(view, seat) for seat in seats}
    up = next((frozenset(e.args[0]) for e in current(view) if e.verb == "up"), None)
    left = len(deck) - 1 - size * len(known)
    if up is None and left:
        return None
    gone = (up or frozenset()).union(*(hand for hand in known.values() if hand))
    rest = [tile for tile in deck if tile not in gone]
    hidden = [seat for seat in seats if known[seat] is None]
    if ways(len(rest), [size] * len(hidden)) > MOST:
        return None
    found = []
    for hands in shares(rest, [size] * len(hidden)):
        world = dict(known) | dict(zip(hidden, hands, strict=True))
        (missing,) = [t for t in rest if not any(t in hand for hand in hands)]
        weight = _deduction_weight(view, world, missing)
        if weight:
            found.append((world | {"missing": missing}, weight))
    return found


def _deduction_weight(view, world, missing):  # noqa: C901  (one branch a verb)
    from companion.games.deduction.state import FACES

    weight, asked, tile = Fraction(1), None, None
    for event in current(view):
        if not weight:
            return weight
        if event.verb == "ask":
            asked = event
        elif event.verb in ("yes", "no", "number"):
            have = sum(FACES[asked.args[2]].matches(t) for t in world[event.seat])
            if event.verb == "number":
                weight *= have == event.args[0]
            else:
                weight *= (have > 0) == (event.verb == "yes")
        elif event.verb == "show" and event.args:
            weight *= event.args[0] in world[event.seat]
            have = sum(FACES[asked.args[2]].matches(t) for t in world[event.seat])
            if view.setup.options["shown"] == "random" and view.viewer == asked.seat and have:
                weight /= have
        elif event.verb == "announce":
            tile = event.args[0]
        elif event.verb in ("right", "wrong"):
            weight *= (tile is missing) == (event.verb == "right")
        elif event.verb == "peek" and event.args:
            weight *= event.args[0] is missing
    return weight


def gotcha(view):
    """Worlds {seat: kept cards, ascending} of the hands that the viewer does not see."""
    state, seats = view.state, range(len(view.setup.players))
    deck = [c for c in view.setup.cards if not c.is_joker]
    own = own_hand(view, view.viewer) if view.viewer is not None else None
    hidden = [seat for seat in seats if own is None or seat != view.viewer]
    rest = [c for c in deck if own is None or c not in own]
    if ways(len(rest), [state.kept] * len(hidden)) > MOST:
        return None
    found = []
    for hands in shares(rest, [state.kept] * len(hidden)):
        world = {
            seat: sorted(hand, key=lambda c: (c.rank, c))
            for seat, hand in zip(hidden, hands, strict=True)
        }
        weight = _gotcha_weight(view, {seat: list(hand) for seat, hand in world.items()})
        if weight:
            found.append((world, weight))
    return found


def _gotcha_weight(view, held):
    """0 where the hands do not fit; else the chance that just these equal cards were shown."""
    guess, weight = None, Fraction(1)
    at_random = view.setup.options["shown"] == "random"
    events = current(view)
    for index, event in enumerate(events):
        if event.verb in ("guess", "gotcha"):
            guess = event
        elif event.seat not in held:
            continue
        elif event.verb in ("right", "wrong"):
            named = event.args and event.args[0].is_known
            alike = sum(card.rank == guess.args[3] for card in held[event.seat])
            if not _guess_fits(guess, event, held[event.seat], events[index + 1 :]):
                return Fraction(0)
            if at_random and named and event.verb == "right":
                weight /= alike
        elif event.verb in ("discard", "reveal") and event.args:
            inside = set(event.args[0]) & set(held[event.seat])
            if len(inside) != (len(event.args[0]) if event.verb == "reveal" else 0):
                return Fraction(0)
    return weight


def _guess_fits(guess, answer, hand, later):
    """Whether an answer is true of a hand; takes out the card that was shown.

    Where only its rank was told, it is one that nobody names later.
    """
    _, end, x, rank = guess.args
    card = hand[x - 1] if end == "smallest" else hand[-x]
    if answer.verb == "wrong":
        return card.rank != rank
    if card.rank != rank:
        return False
    if answer.args and answer.args[0].is_known:
        shown = answer.args[0]
    else:
        named = {c for e in later if e.seat == answer.seat and e.verb == "right" for c in e.args}
        spare = [c for c in hand if c.rank == rank and c not in named]
        shown = spare[0] if spare else None
    if shown not in hand:
        return False
    hand.remove(shown)
    return True


def suspense(view):
    """Worlds {seat: hand as held, "secret": card}."""
    state, seats = view.state, range(len(view.setup.players))
    played = {seat: set() for seat in seats}
    hands = {seat: own_hand(view, seat) for seat in seats}
    secret, turned = None, {}
    for event in current(view):
        if event.verb == "play":
            played[event.seat].add(event.args[0])
        elif event.verb == "secret" and event.args:
            secret = event.args[0]
        elif event.verb == "reveal" and event.args:
            turned[event.seat] = frozenset(event.args[0])
    known = {seat: turned.get(seat) for seat in seats}
    known |= {seat: hand - played[seat] for seat, hand in hands.items() if hand is not None}
    gone = set().union(*played.values(), *(hand for hand in known.values() if hand is not None))
    rest = [c for c in state.conditions if c not in gone]
    hidden = [seat for seat in seats if known[seat] is None]
    sizes = [state.hand_size - len(played[seat]) for seat in hidden]
    if ways(len(rest), sizes) > MOST:
        return None
    found = []
    for shared in shares(rest, sizes):
        (last,) = [c for c in rest if not any(c in hand for hand in shared)]
        if secret in (None, last):
            world = known | dict(zip(hidden, shared, strict=True)) | {"secret": last}
            found.append((world, Fraction(1)))
    return found


def missing_persons(view):
    """Worlds: the cards that the opponent's missing person can be."""
    mine, opponent = view.viewer, 1 - view.viewer
    seen, asked, guess = set(), None, None
    fits = []
    for event in current(view):
        if event.verb in ("ask", "ask cryptic"):
            asked = event
        elif event.verb == "guess" and event.seat == mine:
            guess = event.args[0]
        elif event.seat == opponent and event.verb in ("yes", "no"):
            fits.append(_answer_fits(asked, event.verb == "yes"))
        elif event.seat == opponent and event.verb in ("right", "wrong"):
            right = event.verb == "right"
            fits.append(lambda c, g=guess, r=right: (c.identity is g) == r)
        elif event.verb == "reveal" and event.args and event.seat == opponent:
            fits.append(lambda c, told=event.args[0]: c is told)
        else:
            seen |= _cards_seen(event)
    jokers = view.setup.is_on("jokers")
    left = [c for c in view.setup.cards if (jokers or not c.is_joker) and c not in seen]
    return [(c, Fraction(1)) for c in left if all(fit(c) for fit in fits)]


def _cards_seen(event):
    """Cards that an event lays open, or tells the viewer to be its own."""
    if not event.args or event.verb not in ("hide", "deal", "draw", "reveal"):
        return set()
    cards = event.args[1] if event.verb == "deal" else event.args[0]
    return set(cards) if isinstance(cards, tuple) else {cards}


def _answer_fits(asked, yes):
    if asked.verb == "ask cryptic":
        return lambda c: not (yes and c.is_joker)
    question = asked.args[0]
    return lambda c: (c in question.cards) == yes


def precognition(view):
    """The number of contents of the hidden hands."""
    rest, sizes, _ = _row_parts(view)
    spare = len(rest) - sum(sizes.values())
    return factorial(len(rest)) // prod(factorial(n) for n in (*sizes.values(), spare))


def precognition_hands(view):
    """Worlds {seat: cards still held}."""
    rest, sizes, known = _row_parts(view)
    if ways(len(rest), list(sizes.values())) > MOST:
        return None
    return [
        (known | dict(zip(sizes, hands, strict=True)), Fraction(1))
        for hands in shares(rest, list(sizes.values()))
    ]


def _row_parts(view):
    """Unseen cards, how many each hidden hand holds, and the other hands as held."""
    state = view.state
    placed = {seat: set() for seat in state.seats}
    for at, card in enumerate(state.row):
        placed[state.owner(at)].add(card)
    dealt = {seat: own_hand(view, seat) for seat in state.seats}
    gone = set(state.row).union(*(hand for hand in dealt.values() if hand))
    rest = [c for c in view.setup.cards if not c.is_joker and c not in gone]
    sizes = {
        seat: state.hand_size - len(placed[seat]) for seat in state.seats if dealt[seat] is None
    }
    known = {seat: hand - placed[seat] for seat, hand in dealt.items() if hand is not None}
    return rest, sizes, known


def tricks(view):
    """Worlds {seat: hand, "undealt": cards} of a trick-taking game, after all have passed."""
    events, setup = current(view), view.setup
    count, deck = len(setup.players), list(setup.cards)
    size = int(setup.options.get("cards") or len(deck) // count)
    plays = [(e.seat, e.args[0]) for e in events if e.verb == "play"]
    turned = next((e.args[0] for e in events if e.verb == "trump"), None)
    passes = {e.seat: e.args[0] if e.args else None for e in events if e.verb == "pass"}
    way = setup.options.get("pass", "hold")
    places = {"left": 1, "right": -1, "across": 2}.get(way if size >= 3 else "hold", 0)
    if places and not plays and len(passes) < count:
        return None
    needed = {seat: {card for by, card in plays if by == seat} for seat in range(count)}
    for seat, cards in passes.items():
        needed[(seat + places) % count] |= set(cards or ())
    if turned is not None and setup.game == "whist":
        needed[count - 1].add(turned)
    whole = {}
    for seat in range(count):
        hand = own_hand(view, seat)
        if hand is None or (places and None in (passes[seat], passes[(seat - places) % count])):
            continue
        gone, come = (passes[seat], passes[(seat - places) % count]) if places else ((), ())
        whole[seat] = hand - set(gone) | set(come)
        needed[seat] = set(whole[seat])
    pool = [card for card in deck if not any(card in cards for cards in needed.values())]
    if turned is not None and setup.game == "oh-hell":
        pool.remove(turned)
    sizes = [size - len(needed[seat]) for seat in range(count)]
    if ways(len(pool), sizes) > MOST // 4:
        return None
    found = []
    for parts in shares(pool, sizes):
        hands = [frozenset(part | needed[seat]) for seat, part in enumerate(parts)]
        if all(keeps_the_rules(setup.game, seat, hand, plays, count)
               for seat, hand in enumerate(hands)):  # fmt: skip
            world = {s: hand - {card for _, card in plays} for s, hand in enumerate(hands)}
            world["undealt"] = frozenset(pool) - frozenset().union(*hands)
            found.append((world, Fraction(1)))
    return found


def keeps_the_rules(game, seat, hand, plays, count):
    """Whether a seat with that hand could have played as it did."""
    left = set(hand)
    for at, (by, card) in enumerate(plays):
        if by != seat:
            continue
        trick = [played for _, played in plays[at - at % count : at]]
        before = [played for _, played in plays[:at]]
        if card not in may_play(game, left, trick, before, first=at < count):
            return False
        left.remove(card)
    return True


def may_play(game, hand, trick, before, *, first):
    """The cards of a hand that the rules allow."""
    cards = {card for card in hand if trick and card.suit == trick[0].suit} or hand
    counting = {card for card in cards if card.suit == "H" or card.code == "QS"}
    if game == "hearts" and first and trick:
        cards = cards - counting or cards
    broken = {"hearts": lambda card: card.suit == "H" or card.code == "QS",
              "spades": lambda card: card.suit == "S"}.get(game)  # fmt: skip
    if not trick and broken is not None and not any(map(broken, before)):
        suit = {"hearts": "H", "spades": "S"}[game]
        cards = {card for card in cards if card.suit != suit} or cards
    return cards
