"""What must hold in every state of a game, told from its rules page alone."""

from itertools import pairwise


def check(state):
    """Checks a state by its game's own function, where there is one."""
    table = state.table
    players = len(state.setup.players)
    assert len(table.scores) == players
    assert table.to_move is None or not table.match_over
    assert set(table.winners) <= set(range(players))
    if table.match_over:
        assert table.reasons
    special = CHECKS.get(state.setup.game)
    if special is not None:
        special(state)


def precognition(state):
    """The changes are those of the row; whose turn it is follows from its length."""
    ranks = [card.rank for card in state.row]
    letters = [
        "?" if None in (a, b) else "U" if b > a else "D" if b < a else "S"
        for a, b in pairwise(ranks)
    ]
    assert state.changes == "".join(letters)
    assert len(state.row) <= 52 // len(state.seats) * len(state.seats)
    if state.row and state.table.to_move is not None:
        first = state.seats.index(state.table.starter)
        assert state.table.to_move == state.seats[(first + len(state.row)) % len(state.seats)]


def gotcha(state):
    """Points are those of the guesses; hands shrink by right guesses only."""
    points = [0] * len(state.setup.players)
    left = [state.kept] * len(state.setup.players)
    for guess in state.guesses:
        assert guess.size == left[guess.of]
        assert guess.by != guess.of
        ends = min(guess.x, guess.size + 1 - guess.x)
        assert ends >= 1
        if not guess.answer:
            continue
        if guess.right:
            left[guess.of] -= 1
            points[guess.by] += 3 + ends
            if guess.called:
                points[guess.by] += 1 if ends > 1 else -1
        elif guess.called:
            points[guess.by] -= ends
    assert tuple(points) == state.points
    assert [state.left(seat) for seat in range(len(left))] == left
    waiting = state.guesses and not state.guesses[-1].answer
    if len(left) == 2 and not state.table.match_over and not waiting:
        assert left.count(0) == (state.finisher is not None)
    if len(left) > 2 and 0 in left:
        assert state.table.match_over


def missing_persons(state):
    """54 cards: two missing persons, two displays, what was drawn, the pile."""
    lying = sum(1 + len(spot.under) for spots in state.displays for spot in spots)
    dealt = sum(map(len, state.displays))
    assert lying == dealt + state.drawn
    assert state.pile == 52 - dealt - state.drawn
    assert state.pile >= 0
    if state.asked is not None:
        assert state.table.to_move == state.asked.seat
    if state.forced and not state.table.match_over:
        assert state.pile == 0


def deduction(state):
    """One question a turn, about the coin; who announced wrongly is out."""
    wrong = {item.by for item in state.announcements if item.verdict and not item.right}
    assert state.out == wrong
    assert sum(item.right for item in state.announcements) <= 1
    if state.table.to_move is not None:
        assert state.table.to_move not in state.out
    asked = [question.n for question in state.questions]
    assert asked == sorted(asked)
    if state.table.match_over and state.table.match_winners:
        (winner,) = state.table.match_winners
        assert winner not in state.out


def suspense(state):
    """The sum ends the match; a match brings at most two points, or one for each fold."""
    numbers = [card.rank or 0 for cards in state.played for card in cards]
    limit = 15 if len(state.played) == 2 else 20
    if state.stage.name == "PLAY" and not state.table.match_over:
        assert sum(numbers) < limit
        assert len(state.active) > 1
    assert not state.folded & state.stayed
    assert all(0 <= state.left(seat) <= state.hand_size for seat in range(len(state.played)))
    top = int(state.setup.options["target"])
    if state.table.winners:
        assert all(state.table.scores[seat] >= top for seat in state.table.winners)
    if not state.table.over:
        assert max(state.table.scores) < top


def tricks(state):
    """A card from each a trick; who takes one leads the next; suit is followed or the seat void."""
    count = len(state.setup.players)
    assert len(state.plays) <= state.size * count
    assert len(state.takers) == len(state.plays) // count
    for number, taker in enumerate(state.takers):
        trick = state.plays[number * count :][:count]
        assert sorted(play.seat for play in trick) == list(range(count))
        led = trick[0].card.suit
        best = next(play for play in trick if play.seat == taker)
        trumps = [play for play in trick if play.card.suit == state.trump]
        assert best.card.suit == (state.trump if trumps else led)
        after = state.plays[(number + 1) * count :]
        assert not after or after[0].seat == taker
    bids = [bid for bid in state.bids if bid is not None]
    assert all(0 <= bid <= state.size for bid in bids)
    if state.setup.game == "oh-hell" and len(bids) == count and state.setup.is_on("hook"):
        assert sum(bids) != state.size
    if state.setup.game in ("spades", "whist"):
        assert state.table.scores[0] == state.table.scores[2]
    if state.table.match_over and len(state.takers) == state.size:
        assert sum(map(state.taken, range(count))) == state.size


CHECKS = {
    "hearts": tricks,
    "spades": tricks,
    "oh-hell": tricks,
    "whist": tricks,
    "precognition": precognition,
    "gotcha": gotcha,
    "missing-persons": missing_persons,
    "deduction": deduction,
    "suspense": suspense,
}
