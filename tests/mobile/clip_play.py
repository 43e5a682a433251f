"""Plays any game before the camera: what people say is touched in, what they lay is seen.

Bots decide. A card that comes to lie open is filmed, and the match goes on only once the app has
recorded it from what the eyes said: by itself, or by a touch on its question.
"""

import random
from collections import Counter

from companion.cards import Card, Family, card
from companion.core.events import Event
from companion.core.referee import Referee
from companion.decks import get_deck
from companion.simulate import play_events
from tests.mobile.filmed import FPS
from tests.mobile.play import perform

#: Verbs that are seen rather than said, where they are public.
SEEN = ("place", "right", "wrong", "deal", "turn", "draw", "play", "secret", "reveal", "up", "coin")
#: Verbs that begin another match, for which the cards are gathered.
OVER = ("match", "playoff")
#: Every so many-th single card is one the eyes are not sure of.
DOUBTFUL = 2
#: Film that passes between two looks at the window, and the most that passes for one event.
FRAMES, MOST = 3, 120


class ClipPlay:
    """One session before a film.

    Args:
        stage: the driver of the window.
        film: the film, which the app takes for its camera.
        game: the game.
        setup: its settings.
    """

    def __init__(self, stage, film, game, setup) -> None:
        self.stage, self.film, self.game = stage, film, game
        stage.app.open_table(game, setup, "camera")
        stage.frames(3)
        self.screen = stage.app.screen("table")
        self.shadow = Referee(game, setup)
        self.spots = Spots(self.screen.eyes.zones)
        self.filmed = self.accepted = self.fixed = 0
        self._lying: list[Card] = []

    def run(self, *, seed: int) -> None:
        """Plays to the end of the session."""
        bots = [self.game.bots["sensible"]] * len(self.shadow.setup.players)
        self.pass_time(FPS)
        for event in play_events(self.shadow, bots, random.Random(seed)):
            self.shadow.accept(event)
            if len(self._said(self.screen.table.referee)) < len(self._said(self.shadow)):
                self._clear_before(event)
                if self._is_seen(event):
                    self._film(event)
                elif event.verb not in OVER:
                    perform(self.stage, event)
                self.stage.frames(1)
            said = self._said(self.screen.table.referee)
            assert said == self._said(self.shadow), (event, self.screen.message, said[-2:])
        self.stage.frames(2)
        assert self.screen.over

    # -- one event ---------------------------------------------------------------------------

    def _is_seen(self, event: Event) -> bool:
        if event.verb not in SEEN or event.audience is not None:
            return False
        # A verdict without a card is spoken, except where it is a piece turned up.
        if not event.args:
            return self._verdict_zone(event) is not None
        return self._zone(event) in self.spots.zones

    def _verdict_zone(self, event: Event) -> str | None:
        if event.verb in ("right", "wrong") and not event.args and "missing" in self.spots.zones:
            return "missing"
        return None

    def _film(self, event: Event) -> None:
        """Films it, and answers the app's questions until it is recorded."""
        self.filmed += 1
        wanted = len(self._said(self.shadow))
        self._act(event)
        for _ in range(MOST // FRAMES):
            self.pass_time(FRAMES)
            if self._said(self.screen.table.referee)[wanted - 1 :] == self._said(self.shadow)[-1:]:
                return
            if self.screen.question:
                self._answer(event)
        raise AssertionError(
            f"not recorded: {event}; {self.screen.question!r}, {self.screen.eyes_status!r}"
        )

    def _answer(self, event: Event) -> None:
        """One touch where the question is right, three where another card is meant."""
        question = self.screen.table.question
        asked = question.event
        self.stage.frames(1)
        if self.screen.can_record and asked is not None and _same(asked, event):
            self.stage.reach(self.stage.find("Accept"))
            self.accepted += 1
            return
        if not isinstance(event.args[0] if event.args else None, Card):
            return
        self.stage.reach(self.stage.find("Fix"))
        self.stage.pick_card(event.args[0].code)
        self.fixed += 1

    def _act(self, event: Event) -> None:
        """What people do with the cards."""
        seat = event.seat
        if event.verb == "turn":
            for one in event.args[0]:
                self.film.turn(one, seat=seat)
        elif event.verb == "draw":
            self._draw(event)
        elif event.verb == "deal":
            owner, cards = event.args
            for k, one in enumerate(cards):
                self._lay(one, self._zone(event), owner, None if k else self._doubt(event))
        elif event.verb == "coin":
            coin = event.args[0]
            face = f"{coin.code[0]}?" if self.filmed % 2 else f"?{coin.code[1]}"
            self._lay(card(face, Family.COIN), self._zone(event), seat)
        elif self._verdict_zone(event):
            tile = self.shadow.events[-2].args[0]
            shown = tile if event.verb == "right" else self.shadow.state.peeks[-1].tile
            self._lay(shown, "missing", seat)
        else:
            cards = event.args[0] if isinstance(event.args[0], tuple) else event.args
            for one in cards:
                self._lay(one, self._zone(event), seat, doubt=self._doubt(event))

    def _zone(self, event: Event) -> str:
        """Where a card of an event comes to lie."""
        names = {
            "place": "row",
            "right": "pile",
            "secret": "secret",
            "up": "centre",
            "coin": "coin",
            "turn": f"display:{(event.seat or 0) + 1}",
            "draw": f"display:{(event.seat or 0) + 1}",
            "deal": f"display:{event.args[0] + 1}" if event.verb == "deal" else "",
            "play": f"play:{(event.seat or 0) + 1}",
            "reveal": f"hideout:{(event.seat or 0) + 1}",
        }
        return names[event.verb]

    def _lay(self, one: Card, zone: str, seat: int | None, doubt: Card | None = None) -> None:
        self.film.lay(one, self.spots.next(zone), seat=seat, doubt=doubt)
        self.spots.at[one] = self.spots.last
        self._lying.append(one)

    def _draw(self, event: Event) -> None:
        """New suspects upon those that were turned over."""
        before = self.shadow.nodes[-2].state
        places = [before.displays[event.seat][k].card for k in before.turned(event.seat)]
        for new, old in zip(event.args[0], places, strict=True):
            at = self.spots.at[old]
            self.film.lay(new, at, seat=event.seat)
            self.spots.at[new] = at
            self._lying.append(new)

    def _doubt(self, event: Event) -> Card | None:
        """Another card that the eyes take it for, now and then."""
        if self.filmed % DOUBTFUL or event.verb not in ("place", "right", "play", "deal"):
            return None
        one = event.args[1][0] if event.verb == "deal" else event.args[0]
        known = {c for zone in self.screen.table.zones for c in zone.cards}
        others = get_deck(self.game.info.decks[0]).cards
        return next(c for c in others if c is not one and c not in known and c not in self._lying)

    def _clear_before(self, event: Event) -> None:
        """Cards are gathered for the next match, a coin goes back when its turn is over."""
        over = event.verb in OVER
        if over:
            gone = list(self._lying)
        elif event.verb == "done":
            gone = [one for one in self._lying if one.family is Family.COIN]
        else:
            return
        self.film.take(gone)
        self._lying = [one for one in self._lying if one not in gone]
        self.spots.counts.clear() if over else self.spots.counts.pop("coin", 0)
        if over:
            perform(self.stage, event)
            assert self.screen.table.is_gathering == bool(gone)
        self.pass_time(2 * FPS if over else FPS)
        assert not self.screen.table.is_gathering

    # -- time and records --------------------------------------------------------------------

    def pass_time(self, frames: int) -> None:
        """Lets film pass, and the window take in what the eyes said."""
        mail = self.screen.eyes._mail
        while frames > 0:
            self.film.step(self.screen.eyes, min(frames, FRAMES))
            frames -= FRAMES
            assert self.stage.until(lambda: mail.look is None, 10)

    def _said(self, referee: Referee) -> list[tuple]:
        """The events in their order; suspects turned over one by one count as one event."""
        found: list[tuple] = []
        for event in referee.events:
            said = _plain(event)
            if found and event.verb == "turn" and found[-1][:3] == said[:3]:
                said = (*said[:3], found[-1][3] | said[3])
                found.pop()
            found.append(said)
        return found


class Spots:
    """Free places in the zones of the picture, as people use them: side by side, in lines."""

    def __init__(self, zones) -> None:
        self.zones = zones.polygons
        self.counts: Counter[str] = Counter()
        self.at: dict[Card, tuple[float, float]] = {}
        self.last = (0.0, 0.0)

    def next(self, zone: str) -> tuple[float, float]:
        """The middle of the next card in a zone, as fractions of the picture."""
        polygon = self.zones[zone]
        (x0, y0), (x1, y1) = (
            ((0.0, 0.0), (1.0, 1.0)) if polygon is None else (polygon.min(0), polygon.max(0))
        )
        columns = max(1, int((x1 - x0) / SPACE[0] + 1e-6))
        lines = max(1, int((y1 - y0) / SPACE[1] + 1e-6))
        k = self.counts[zone] % (columns * lines)
        self.counts[zone] += 1
        line, column = divmod(k, columns)
        self.last = (
            float(x0 + (column + 0.5) * (x1 - x0) / columns),
            float(y0 + (line + 0.5) * (y1 - y0) / lines),
        )
        return self.last


#: Room that a card takes, as fractions of the picture's width and height.
SPACE = (0.145, 0.24)


def _plain(event: Event) -> tuple:
    args = (frozenset(arg) if isinstance(arg, tuple) else arg for arg in event.args)
    return (event.verb, event.seat, event.audience, *args)


def _same(one: Event, other: Event) -> bool:
    return _plain(one) == _plain(other)
