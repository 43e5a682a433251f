"""What is sent to one phone is the same, byte for byte, when only what it may not know differs.

Two tables go through the same match; at the other one everything that one viewer may not read says
something else. After each event all that the viewer's page can be sent is compared: the page, its
parts, the notepad, and the answers to what the page may try.
"""

import contextlib
import random
import secrets
from dataclasses import replace

import pytest

from companion.core.events import REDO, UNDO, Event
from companion.core.notation import write_event
from companion.core.registry import all_games
from companion.errors import CompanionError, IllegalError
from companion.notepad.base import Supposition, notepad_of
from companion.simulate import play_events
from mobile.seats import notepad_page
from mobile.seats.gate import read_line
from mobile.seats.language import language
from mobile.seats.render import Renderer
from mobile.seats.table import Answer, HostedTable
from tests.companion.hidden import knows, scramble
from tests.companion.table_play import random_setup
from tests.companion.test_probing import any_line, claims_of
from tests.mobile.seats.hosting import journalled, serving

LONGEST = 40
LANGUAGES = (language("en"), language("de"))


class Twin:
    """A table with the HTML that is made of it."""

    def __init__(self, session):
        self.session, self.referee = session, session.referee
        self.table = HostedTable(session, has_phone=lambda seat: True)
        self.renderer = Renderer(
            self.table, words="amber falcon", secure=True, readable=False, lens=True
        )

    def sent_to(self, viewer):
        """All that the viewer's page can be sent now."""
        sent = []
        for spoken in LANGUAGES:
            shown = self.renderer.shown(viewer, spoken)
            sent.append(shown.message())
            template = "table.html" if viewer is None else "seat.html"
            facts = {"may_act": True} if viewer is None else {"name": "Ann", "has_pad": True}
            sent.append(self.renderer.page(template, spoken, shown, **facts))
        return sent

    def pad_of(self, viewer, supposed=()):
        view = self.referee.view(viewer)
        found, _ = notepad_page.pad(self.session.game, view, LANGUAGES[0], supposed)
        facts = {"pad": found, "marks": {}, "is_locked": False, "name": ""}
        return self.renderer.html("pad.html", LANGUAGES[0], **facts)


def pair(folder, game, setup):
    """Two sessions of the same settings."""
    kept = []
    for name in ("one", "other"):
        (folder / name).mkdir(parents=True)
        kept.append(journalled(folder / name, game, [], setup=setup))
    return kept


def changed_for(game, other, event, viewer, rng):
    if knows(game, other.state, event, viewer):
        return event
    try:
        return scramble(game, other.state, event, rng)
    except (AttributeError, IndexError):
        return event


def compare(folder, game, seed):
    """Plays a pair of tables.

    Returns:
        How often what is sent was compared, and how often it differed for a secret's own player.
    """
    rng = random.Random(seed)
    setup = random_setup(game, rng)
    setup = replace(setup, trusted=tuple(rng.random() < 0.5 for _ in setup.players))
    viewer = rng.choice((None, *range(len(setup.players))))
    first, second = pair(folder, game, setup)
    with first as a, second as b:
        one, other = Twin(a), Twin(b)
        bots = [game.bots["random"]] * len(setup.players)
        differed = 0
        for count, event in enumerate(play_events(one.referee, bots, rng)):
            changed = changed_for(game, other.referee, event, viewer, rng)
            entries = one.referee.submit(event), other.referee.submit(changed)
            alike = one.referee.view(viewer) == other.referee.view(viewer)
            if not all(entry.applied for entry in entries) or not alike:
                return count, differed  # a hidden fact decided an answer
            assert one.sent_to(viewer) == other.sent_to(viewer), (seed, count)
            if changed != event:
                differed += one.sent_to(event.seat) != other.sent_to(event.seat)
            if count > LONGEST or one.referee.state.table.match_over:
                break
        if viewer is not None:
            assert one.pad_of(viewer) == other.pad_of(viewer), seed
            for each in some_cells(game, one.referee.view(viewer), rng):
                assert one.pad_of(viewer, [each]) == other.pad_of(viewer, [each]), seed
        return count + probe(game, one, other, viewer, rng), differed


def test_what_nobody_is_told_of_changes_nothing_that_is_sent(tmp_path):
    """A sketch on a player's own board, taken back, and drawn again, at every turn of a match."""
    rng, sketches = random.Random(5), 0
    with journalled(
        tmp_path, "missing-persons", ["Ann", "Bo"], {"questions": "cryptic"}
    ) as session:
        twin, game, referee = Twin(session), session.game, session.referee
        bots = [game.bots["random"]] * 2
        for count, event in enumerate(play_events(referee, bots, rng)):
            referee.submit(event)
            seat = count % 2
            others = [viewer for viewer in (None, 0, 1) if viewer != seat]
            before = [twin.sent_to(viewer) for viewer in others]
            drawn = rng.choice(game.all_cards(session.setup))
            for verb, args in (("sketch", ((drawn,),)), (UNDO, ()), (REDO, ())):
                try:
                    referee.accept(Event(verb, args, seat, frozenset({seat})))
                except CompanionError:
                    break
                sketches += 1
                assert [twin.sent_to(viewer) for viewer in others] == before, (count, verb)
            if count > 3 * LONGEST:
                break
    assert sketches > 60


def test_a_page_counts_the_lines_that_it_shows(tmp_path):
    """After a sketch that nobody is told of, its player's numbers are one ahead of the others'."""
    rng = random.Random(5)
    with journalled(
        tmp_path, "missing-persons", ["Ann", "Bo"], {"questions": "cryptic"}
    ) as session:
        referee, bots = session.referee, [session.game.bots["random"]] * 2
        drawn = session.game.all_cards(session.setup)[0]
        sketch = Event("sketch", ((drawn,),), 0, frozenset({0}))
        after = 0
        for event in play_events(referee, bots, rng):
            referee.submit(event)
            if not after:
                with contextlib.suppress(CompanionError):
                    referee.accept(sketch)
                    after = 1
            after += bool(after)
            if after > 3:
                break
        mine, others = (referee.view(viewer).log[-1] for viewer in (0, 1))
        assert (mine.text, mine.step) == (others.text, others.step + 1)
        last = len(referee.log)
        for seat, line in ((0, mine), (1, others)):
            typed = read_line(referee, seat, f"correct {line.step} {line.text}")
            assert typed.args[0] == last, seat
        secret = next(line.step for line in referee.view(0).log if "sketch" in line.text)
        with pytest.raises(IllegalError, match="no such"):
            read_line(referee, 0, f"table: correct {secret} {mine.text}")


def some_cells(game, view, rng):
    """A few cells of a viewer's notepad, supposed to be so or not."""
    notepad = notepad_of(game, view)
    grids = () if notepad is None else notepad.grids()
    cells = [(row, column) for grid in grids for row in grid.rows for column in grid.columns]
    chosen = rng.sample(cells, min(3, len(cells)))
    return [Supposition(*cell, holds=rng.random() < 0.5) for cell in chosen]


def probe(game, one, other, viewer, rng):
    """What the viewer's page may try is answered alike."""
    tried = 0
    while tried < 6 and not one.referee.state.table.match_over:
        tried += 1
        event = any_line(one.referee, viewer, rng)
        try:
            line = write_event(game, one.session.setup, event)
        except (CompanionError, IndexError):
            continue
        request = {
            "key": secrets.token_hex(8), "do": "type", "line": line[:300], "sure": True,
            "state": len(one.referee.view(viewer).log),
        }  # fmt: skip
        answers = [twin.table.act(viewer, request) for twin in (one, other)]
        if answers[0] != answers[1]:
            # The one exception: whether a public answer stands that is due.
            assert any(one.session.setup.trusted)
            assert {answer.answer for answer in answers} == {Answer.DONE, Answer.REFUSED}
            refused = next(answer for answer in answers if answer.answer is Answer.REFUSED)
            assert refused.told.startswith("This does not fit what")
            assert event.verb in claims_of(game) | {"correct"}, line
            return tried
        if one.referee.state.table.match_over:
            return tried
        assert one.sent_to(viewer) == other.sent_to(viewer), line
    return tried


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_nothing_sent_to_a_page_tells_what_its_player_may_not_know(game, tmp_path):
    found = [compare(tmp_path / str(seed), game, seed) for seed in range(6)]
    assert sum(compared for compared, _ in found) > 20
    assert sum(differed for _, differed in found) > 0


def test_the_bytes_on_the_wire_are_the_same(tmp_path):
    recorded = []
    for name, hand in (("a", "2S 3S 4S 5S 6S"), ("b", "9H 10H JH QH KH")):
        (tmp_path / name).mkdir()
        with (
            journalled(tmp_path / name, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as session,
            serving(session, tmp_path / name) as table,
        ):
            ann, bo = table.phone("Ann"), table.phone("Bo")
            sent = []
            with bo.client.stream("GET", "/seat/2/events") as events:
                lines = events.iter_lines()
                entered = [f"Ann*: hand {hand}", "guess Bo smallest 1 is 2", "Bo: wrong"]
                for number, line in enumerate(entered):
                    sent += until_blank(lines)
                    phone = ann if number < 2 else bo
                    answer = phone.act("type", state=number, line=line).json()
                    assert answer["answer"] == "done", answer
                    if phone is bo:
                        sent.append(answer)
                sent += until_blank(lines)
            sent.append(bo.post("/pad", {}).content)
            recorded.append(sent)
    assert recorded[0] == recorded[1]
    assert len(recorded[0]) == 10


def until_blank(lines):
    """The lines of one event."""
    found = []
    for line in lines:
        if not line:
            return found
        found.append(line)
    return found
