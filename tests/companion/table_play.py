"""One table played at random for the state machines, and its twin for one viewer.

`RandomTable` plays a match through the referee: truthful steps from a shuffled world, lies, refused
lines, undo, redo, corrections. Beside it a twin referee gets the same events, except that whatever
its viewer may not know says something else; so whatever the viewer sees of the two must be the
same, byte for byte. Everything is drawn from seeds, so that a failure repeats.
"""

import json
import random
from dataclasses import replace

from companion.core.events import CORRECT, REDO, UNDO, Event, public
from companion.core.guidance.generic import guidance_of
from companion.core.notation import read_event, read_match, write_event, write_match
from companion.core.referee import Referee
from companion.core.syntax import CardPart
from companion.errors import HiddenError
from companion.games.tricks.game import TrickGame
from mobile.kept.page import page
from tests.companion.hidden import knows, readers, scramble
from tests.companion.seating import NAMES

LONGEST_SESSION = 300
OPPOSITE = {"yes": "no", "no": "yes", "right": "wrong", "wrong": "right"}
OPTIONS = {
    "gotcha": {"deal": ("6-2", "5", "9-3", ""), "gotcha_on_ends": ("yes", "no")},
    "missing-persons": {
        "draw": ("all", "one"),
        "questions": ("plain", "any", "cryptic"),
        "jokers": ("yes", "no"),
    },
    "deduction": {"last_one_wins": ("yes", "no"), "shown": ("equal", "random")},
    "suspense": {"fold": ("at_end", "any_turn"), "exclamation": ("fixed", "d20")},
    "hearts": {
        "pass": ("turns", "left", "right", "hold"),
        "moon": ("others", "self"),
        "jack": ("yes", "no"),
        "target": ("0", "30"),
    },
    "spades": {"revoke": ("none", "three"), "target": ("0", "100")},
    "oh-hell": {"cards": ("", "3", "6"), "hook": ("yes", "no"), "miss": ("tricks", "nothing")},
    "whist": {"revoke": ("none", "three"), "target": ("0", "3")},
}


def random_setup(game, rng):
    """Players, trust and options, each at random."""
    most = min(len(NAMES), game.info.max_players)
    players = NAMES[: rng.randint(game.info.min_players, most)]
    trusted = tuple(rng.random() < 0.35 for _ in players)
    chosen = {name: rng.choice(values) for name, values in OPTIONS.get(game.name, {}).items()}
    options = {name: value for name, value in chosen.items() if value}
    return game.setup(players, options, trusted=trusted)


def undone_and_redone(referee):
    """Takes back everything and restores it; the same states come back on the way.

    What was disclosed cannot be taken back; what one player alone knows of, only by that player.
    """
    start, end = referee.state.disclosed_to, referee.state
    initial = referee.game.initial(referee.setup)
    states = [referee.state]
    while (step := referee.undoes()) is not None and min(step.lines) > start:
        referee.undo()
        states.append(referee.state)
    quiet = []
    for seat in range(len(referee.setup.players)) if not start else ():
        while referee.undoes(seat) is not None:
            referee.accept(Event(UNDO, (), seat, frozenset({seat})))
            quiet.append(seat)
    if not start:
        assert referee.state == initial
    for seat in reversed(quiet):
        referee.accept(Event(REDO, (), seat, frozenset({seat})))
    for expected in reversed(states[:-1]):
        referee.redo()
        assert quiet or referee.state == expected
    assert referee.state == end


class RandomTable:
    """A table, its twin, and what has been counted."""

    def __init__(self, game, seed):
        self.game = game
        self.rng = random.Random(seed)
        self.events = self.compared = self.disguised_count = 0
        self.sit_down()

    def sit_down(self):
        """Begins another session."""
        self.setup = random_setup(self.game, self.rng)
        self.desk = Referee(self.game, self.setup)
        self.worlds = {}
        seats = range(len(self.setup.players))
        self.viewer = self.rng.choice((None, *seats))
        self.bots = list(self.game.bots.values())
        self.part_twin()

    def part_twin(self):
        """Makes the twin anew, equal to the table as it stands."""
        self.is_stale = False
        self.twin = fork(self.desk)

    # -- both at once ---------------------------------------------------------------------------

    def submit(self, event):
        """The same event to both, with other secrets to the twin. Returns the table's entry."""
        if self.is_stale and not self.desk.state.table.match_over:
            self.part_twin()
        disclosed, nodes = self.desk.state.disclosed, self.desk.nodes
        entry = self.desk.submit(event)
        self.events += 1
        if self.is_stale:
            return entry
        other = event if entry.event is None else self.disguised(entry.event, disclosed)
        twin = self.twin.submit(other)
        if twin.applied != entry.applied:
            # A secret may be refused for what it says; nothing else may depend on it.
            assert entry.event.audience is not None, (entry, twin)
            assert not knows(self.game, self.desk.state, entry.event, self.viewer), (entry, twin)
            self.is_stale = True
        elif self.desk.state.table.match_over:
            # A result may depend on what was hidden, and discloses some of it.
            self.is_stale = True
        elif entry.applied and corrects_the_past(entry.event, nodes):
            # So may the result of an earlier match, and who plays the next one.
            self.is_stale = results(self.desk) != results(self.twin)
        return entry

    def disguised(self, event, disclosed=frozenset()):
        """The event with other arguments, if the viewer may not know them.

        `disclosed` are the numbers of private events that the end of a match turned up: what they
        say is everybody's, corrected or not.
        A trusted referee's verdicts are public and may depend on the secrets it was trusted with;
        a hand shown to it at the end counts for the result.
        """
        if event.verb == CORRECT:
            n, inner = event.args
            if n in disclosed | self.desk.state.disclosed:
                return event
            return replace(event, args=(n, self.disguised(inner)))
        if knows(self.game, self.desk.state, event, self.viewer) or event.verb == "reveal":
            return event
        known_to = readers(self.game, self.desk.state, event)
        if any(self.setup.trusted[seat] for seat in known_to):
            return event
        other = self.otherwise(self.twin.state, event)
        self.disguised_count += other != event
        return other

    def world(self, state):
        """Who really has which cards in this match; dealt anew if, undone, others play it."""
        dealt = tuple(self.game.hand_size(state, seat) for seat in range(len(self.setup.players)))
        match = state.table.match, dealt
        if match not in self.worlds:
            self.worlds[match] = self.game.deal(state, self.rng)
        return self.worlds[match]

    # -- steps ----------------------------------------------------------------------------------

    def step(self):
        """Whatever comes next at a table where everybody is honest."""
        state = self.desk.state
        table = state.table
        if table.over or len(self.desk.log) > LONGEST_SESSION:
            return self.finish()
        event = self.game.forced(state, self.world(state), self.rng)
        if event is None and table.match_over:
            event = public(None, "match")
        if event is None:
            event = self.choice(state)
        if event is None or not self.submit(event).applied:
            # After lies the world and the record may part: take some of it back.
            self.take_back(self.rng.randint(1, 8))
        return None

    def choice(self, state):
        """What somebody who may act decides, None where nobody can."""
        seats = self.game.actors(state)
        if not seats:
            return None
        seat = self.rng.choice(seats)
        known = self.desk.knowledge(seat)
        actions = list(self.game.legal(known, seat))
        if not actions:
            return None
        if self.rng.random() < 0.5:
            return self.rng.choice(actions)
        return self.rng.choice(self.bots)(known, seat, actions, self.rng)

    def lie(self):
        """A step with another answer or other cards than there are."""
        state = self.desk.state
        if state.table.match_over:
            return self.step()
        event = self.game.forced(state, self.world(state), self.rng) or self.choice(state)
        if event is None:
            return self.step()
        if event.verb in OPPOSITE:
            event = replace(event, verb=OPPOSITE[event.verb], args=())
        elif event.verb == "number":
            event = replace(event, args=(self.rng.randint(0, 7),))
        elif event.args:
            event = self.varied(event)
        # Most lies are taken back: contradictions are dear to explain, and end plain play.
        if self.submit(event).applied and self.rng.random() < 0.7:
            self.take_back(1)
        return None

    def varied(self, event):
        """The event with other arguments of the same kind."""
        return self.otherwise(self.desk.state, event)

    def otherwise(self, state, event):
        """The event with other cards, as it would be read; itself where nothing else fits."""
        try:
            other = scramble(self.game, state, event, self.rng)
        except (AttributeError, IndexError):  # nothing was asked that a shown tile could match
            return event
        line = write_event(self.game, self.setup, other)
        return replace(read_event(self.game, self.setup, line), n=event.n)

    def babble(self):
        """A line that says something else, or nothing: one of this match, mangled."""
        lines = [entry for entry in self.desk.log if entry.event is not None]
        text = "Ann: nonsense"
        if lines:
            event = self.rng.choice(lines).event
            text = write_event(self.game, self.setup, event)
        words = text.split()
        at = self.rng.randrange(len(words))
        if self.rng.random() < 0.6:
            words[at] = self.rng.choice(("??", "Bo:", "3", "KS", "table:", "yes", "Ann*:"))
        self.submit(" ".join(words))

    def take_back(self, count):
        """Undoes some events."""
        for _ in range(min(count, len(self.desk.nodes))):
            self.submit(Event(UNDO))

    def restore(self, count):
        """Redoes some events, as far as any can be."""
        for _ in range(count):
            if not self.submit(Event(REDO)).applied:
                break

    def correct(self):
        """Replaces one event; then, half of the time, puts the old one back."""
        if not self.desk.nodes:
            return
        index = self.rng.randrange(len(self.desk.nodes))
        node = self.desk.nodes[index]
        new = self.alternative(index, node.event)
        before, events = self.desk.state, self.desk.events
        entry = self.submit(correction(node.event, new))
        if not entry.applied:
            return
        unfit = tuple(n.event.n for n in self.desk.nodes[index:] if n.error is not None)
        assert entry.unfit == unfit
        self.check_fold()
        if self.rng.random() < 0.5:
            old = self.desk.nodes[index].event
            assert old.n == node.event.n
            back = self.submit(correction(node.event, node.event))
            if node.error is None:
                if not back.applied:
                    # A later event had ceased to fit for a hidden reason. The first correction
                    # let it fit again; that the second one does not, everybody would see.
                    assert isinstance(back.error, HiddenError)
                    assert self.submit(Event(UNDO)).applied
                assert self.desk.state == before
                assert self.desk.events == events

    def alternative(self, index, event):
        """Another event in the place of one: other cards, or another legal action."""
        before = self.desk.nodes[index - 1].state if index else self.game.initial(self.setup)
        if event.seat is not None and self.rng.random() < 0.5:
            actions = [
                action
                for action in self.game.legal(before, event.seat)
                if action.audience == event.audience
            ]
            if actions:
                return self.rng.choice(actions)
        return self.otherwise(before, event)

    def finish(self):
        """After the end: cards turned up late, something taken back, or another session."""
        chance = self.rng.random()
        seat = self.rng.randrange(len(self.setup.players))
        held = self.desk.state.held[seat]
        if chance < 0.3 and held:
            one = isinstance(self.game.verbs["reveal"].forms[0][0], CardPart)
            self.submit(public(seat, "reveal", held[0] if one else held))
        elif chance < 0.5:
            self.take_back(self.rng.randint(1, 10))
        else:
            self.check_whole()
            self.sit_down()

    # -- what must hold -------------------------------------------------------------------------

    def check_views(self):
        """The viewer sees the same at both tables: view, state for the notepad, page, advice."""
        if self.is_stale:
            return
        one, other = self.desk.view(self.viewer), self.twin.view(self.viewer)
        assert one == other
        assert json.dumps(one.as_dict()) == json.dumps(other.as_dict())
        assert one.table == self.desk.state.table
        guidance = guidance_of(self.game, one)
        assert guidance == guidance_of(self.game, other)
        if guidance.steps:
            assert self.desk.propose(guidance.steps[0].event).error is None, guidance.steps[0]
        seat = self.viewer
        if seat is not None and not one.table.match_over:
            actions = list(self.game.legal(one.state, seat))
            if actions:
                event = self.rng.choice(actions)
                a, b = self.desk.propose(event), self.twin.propose(event)
                assert str(a.error) == str(b.error)
                assert a.findings == b.findings
        self.compared += 1

    def check_page(self):
        """The page that the viewer may export is the same at both tables."""
        if not self.is_stale:
            one, other = self.desk.match_text(), self.twin.match_text()
            assert page(one, self.viewer) == page(other, self.viewer)

    def check_zones(self):
        """No card is made or lost, whoever looks; a card in two places is a finding."""
        state = self.desk.state
        totals = {zone.name: len(zone.cards) for zone in self.game.zones(state)}
        assert len(totals) == len(self.game.zones(state))
        expected = card_total(self.game, state)
        if expected is not None:
            assert sum(totals.values()) == expected
        seats = range(len(self.setup.players))
        for viewer in {self.viewer, self.rng.choice((None, *seats))}:
            known = self.desk.knowledge(viewer)
            zones = self.game.zones(known)
            assert {zone.name: len(zone.cards) for zone in zones} == totals
            cards = [card for zone in zones for card in zone.cards if card.is_known]
            twice = {card for card in cards if cards.count(card) > 1}
            assert not twice or known.findings, (twice, viewer)

    def check_fold(self):
        """The state is the fold of the standing events that fit."""
        state = self.game.initial(self.setup)
        for event in self.desk.events:
            state = self.game.do(state, event)
        assert state == self.desk.state

    def check_whole(self):
        """Written, read and replayed it is the same; undone to the start and redone as well."""
        text = write_match(self.desk.match_text())
        match = read_match(text)
        assert write_match(match) == text
        again = Referee.of(match)
        assert again.state == self.desk.state
        assert list(map(told, again.nodes)) == list(map(told, self.desk.nodes))
        assert [entry.applied for entry in again.log] == [e.applied for e in self.desk.log]
        for viewer in (None, *range(len(self.setup.players))):
            assert again.view(viewer) == self.desk.view(viewer)
        undone_and_redone(again)


def fork(desk):
    """A referee that has recorded the same, and goes on by itself."""
    other = Referee(desk.game, desk.setup)
    mine, timeline = other._timeline, desk._timeline
    mine.log[:], mine.nodes[:] = timeline.log, timeline.nodes
    mine._done, mine._undone = list(timeline._done), list(timeline._undone)
    mine.gone |= timeline.gone
    return other


def corrects_the_past(event, nodes):
    """Whether an event corrects something at or before the end of a match."""
    return event.verb == CORRECT and any(
        node.event.n >= event.args[0] and node.state.table.match_over for node in nodes
    )


def results(desk):
    """The scoreboard after each event that fits and left a match ended."""
    return [
        (node.event.n, node.state.table)
        for node in desk.nodes
        if node.error is None and node.state.table.match_over
    ]


def told(node):
    """What a node says, by value: exceptions are compared by their words."""
    return node.event, node.state, str(node.error)


def correction(old, new):
    """The event that replaces one by another, by its readers."""
    seat = old.seat if old.audience else None
    return Event(CORRECT, (old.n, new), seat, old.audience)


def card_total(game, state):
    """How many cards all zones hold together, None where the game is not known here."""
    totals = {"gotcha": 52, "missing-persons": 54, "deduction": 48, "suspense": 13}
    if isinstance(game, TrickGame):
        return len(game.all_cards(state.setup))
    return state.length if game.name == "precognition" else totals.get(game.name)
