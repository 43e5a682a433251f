"""What Deduction's coach says: the best question for the coin, and whether to announce or wait.

Whether to announce is a race. Announcing now wins with the chance p of the likeliest tile, and a
player who is wrong is out. Waiting gives each opponent who is still in one turn; it wins if none of
them finishes first, with the chance of the likeliest tile after one more question. Opponents know
less than the viewer, so each is assumed to finish with half the chance that an ordinary next
question gives the viewer.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.games.deduction.engine.facts import DeductionKnowledge
from companion.games.deduction.engine.solve import DeductionChances
from companion.games.deduction.engine.values import QuestionValue, question_values
from companion.games.deduction.rules import coin_faces
from companion.games.deduction.state import FACES, DeductionState, face_name
from companion.notepad.base import Advice
from companion.phrases import about, capitalised, joined, percent, phrase

#: A chance that is 1 up to floating point.
_SURE = 1 - 1e-12


@dataclass(frozen=True, slots=True)
class Stand:
    """Whether to announce.

    Attributes:
        tile: the likeliest missing tile.
        now: the chance that it is the missing one.
        waiting: the estimated chance to announce rightly one round later, nobody having done so
            before; it is not the chance to win the match.
    """

    tile: Card
    now: float
    waiting: float

    @property
    def announce(self) -> bool:
        """Whether announcing now is the better chance."""
        return self.now >= _SURE or self.now > self.waiting


def stand(
    state: DeductionState, viewer: int, solved: DeductionChances, values: list[QuestionValue]
) -> Stand:
    """Weighs announcing now against waiting; there is a world."""
    tile, now = max(solved.missing.items(), key=lambda item: (round(item[1], 12), item[0].code))
    others = [s for s in range(len(state.setup.players)) if s not in state.out and s != viewer]
    best = max((value.best for value in values), default=now)
    finish = sum(value.finish for value in values) / max(1, len(values))
    return Stand(tile, now, (1 - finish / 2) ** len(others) * best if others else 1.0)


def opponents_of(state: DeductionState, viewer: int) -> tuple[str, ...]:
    """Who can be asked: everybody else, also who is out."""
    return tuple(name for seat, name in enumerate(state.setup.players) if seat != viewer)


def next_values(
    state: DeductionState, viewer: int, knowledge: DeductionKnowledge
) -> list[QuestionValue]:
    """The questions of a typical coming coin: the suit and the value with most unseen tiles."""
    unseen = [tile for tile in state.deck if tile not in state.ledger]

    def count(face: Card) -> int:
        return sum(map(face.matches, unseen))

    suits = [face for face in FACES.values() if face.suit is not None]
    values = [face for face in FACES.values() if face.suit is None]
    faces = (max(suits, key=count), max(values, key=count))
    return question_values(knowledge, faces, opponents_of(state, viewer))


def advise(
    state: DeductionState,
    viewer: int | None,
    knowledge: DeductionKnowledge,
    solved: DeductionChances,
) -> Advice | None:
    """The advice; None if what is known contradicts itself."""
    if not solved.worlds:
        return None
    if viewer is None:
        return Advice("A coach advises players, not spectators.")
    if state.table.match_over or viewer in state.out:
        return Advice("There is nothing left to decide in this match.")
    mine = state.table.to_move == viewer
    if mine and state.may_ask:
        assert state.coin is not None
        faces = tuple(FACES[what] for what in coin_faces(state.coin))
        values = question_values(knowledge, faces, opponents_of(state, viewer))
        best = values[0]
    else:
        values = next_values(state, viewer, knowledge)
        best = None
    return _told(stand(state, viewer, solved, values), best)


def _told(found: Stand, best: QuestionValue | None) -> Advice:
    """The advice in words and numbers."""
    numbers = {
        "announce": {
            "tile": found.tile.code,
            "p": found.now,
            "waiting": found.waiting,
            "announce": found.announce,
        }
    }
    text = phrase(
        "Announce {tile}: it is missing with a chance of {now}. Announced one round later, the "
        "likeliest tile would be right, and nobody quicker, with a chance of {waiting}."
        if found.announce
        else "Do not announce yet: {tile} is missing with a chance of {now}. Announced "
        "one round later, the likeliest tile would be right, and nobody quicker, with a chance of "
        "{waiting}.",
        tile=found.tile.code,
        now=percent(found.now),
        waiting=about(found.waiting),
    )
    if best is None:
        action = phrase("announce {tile}", tile=found.tile.code) if found.announce else "done"
        return Advice(text, action, {"question": None} | numbers)
    what, kind = face_name(best.what), "count" if best.count else "have"
    question = {
        "player": best.player,
        "kind": kind,
        "what": what,
        "bits": best.bits,
        "finish": best.finish,
    }
    lead = phrase(
        "{question} No other question tells more about the missing tile.",
        question=capitalised(best.text),
    )
    if best.finish > 0:
        settles = phrase("It settles it with a chance of {finish}.", finish=percent(best.finish))
        lead = joined(" ", (lead, settles))
    text = joined(" ", (lead, text))
    action = f"ask {best.player} {kind} {what}"
    return Advice(text, action, {"question": question} | numbers)
