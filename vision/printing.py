"""What `companion scan`, `row`, `hand` and `watch` print: JSON for programs, words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from companion.cards import SYMBOLS, Card
from companion.decks import get_deck
from vision import misreads
from vision.hands import Hand, HandCard
from vision.rows.join import RowReading
from vision.settings import index_heights
from vision.tracking.status import ADVICE
from vision.tracking.watching import TableView
from vision.types import CardRead, Reading, Reason, Sighting, Status


def scan_json(path: Path, reading: Reading) -> dict[str, Any]:
    """One picture's reading as `companion scan --json` prints it."""
    return {
        "image": str(path),
        "size": list(reading.size),
        "deck": reading.deck or None,
        "looks_like": reading.looks_like or None,
        "cards": [_read_json(read, Status.ACCEPTED) for read in reading.cards],
        "row": [card.code for card in reading.row],
        "lines": [[card.code for card in line] for line in reading.lines],
        "doubtful": [
            _read_json(read, Status.DOUBTFUL) | {"alternatives": _chances(read.alternatives)}
            for read in reading.doubtful
        ],
        "refused": [_read_json(read, Status.REFUSED) for read in reading.refused],
        "backs": [[[round(x, 1), round(y, 1)] for x, y in quad] for quad in reading.backs],
        "ms": round(reading.ms, 2),
    }


def scan_text(path: Path, reading: Reading) -> str:
    """One picture's reading in words."""
    count = len(reading.cards)
    head = f"{path}: {count or 'no'} card{'' if count == 1 else 's'}"
    lines = [" ".join(card.code for card in line) for line in reading.lines]
    if len(lines) <= 1:
        text = f"{head}  {lines[0]}" if lines else head
    else:
        text = "\n".join([head, *(f"  {line}" for line in lines)])
    copies = [read.card for read in reading.doubtful if read.reason is Reason.COPIES]
    unsure = [read for read in reading.doubtful if read.reason is not Reason.COPIES]
    if unsure:
        guesses = (f"{read.card.code} {read.confidence:.2f}" for read in unsure)
        text += f"\n  not sure: {', '.join(guesses)}"
    for card, more in Counter(copies).items():
        lie = more + sum(read.card == card for read in reading.cards)
        text += f"\n  {_seen_again(card, lie, reading.deck)}"
    if not reading.cards and not reading.doubtful:
        text += "\n  " + "\n  ".join(_of_nothing(reading))
    if reading.looks_like:
        other = get_deck(reading.looks_like)
        text += f"\n  this looks like another deck ({other.title}): try --deck {other.name}"
    return text


def _seen_again(card: Card, lie: int, deck: str) -> str:
    """That a card lies there more often than its deck has it."""
    have = get_deck(deck).copies if deck else 1
    times = {2: "twice", 3: "three times"}.get(lie, f"{lie} times")
    pack = "one pack has one" if have == 1 else f"this deck has {have}"
    name = card.code if card.suit is None else f"{card.rank_text}{SYMBOLS[card.suit]}"
    return f"{name} seen {times}: {pack}; two packs together are --deck two-packs"


def _of_nothing(reading: Reading) -> Iterator[str]:
    """What was looked for in a picture without a card, and what helps."""
    least, most = index_heights(reading.size)
    yield f"no corner of a card was found: a rank above its suit, {least} to {most} pixels high"
    yield "show a whole corner of each card, sharp, uncovered and without glare"
    if reading.deck:
        title = get_deck(reading.deck).title
        yield f"read as: {title}; try --deck NAME where the cards bear other letters"


def row_json(result: RowReading) -> dict[str, Any]:
    """A row as `companion row --json` prints it."""
    cards = [
        {"card": card.code, "confidence": round(confidence, 4)}
        for card, confidence in zip(result.cards, result.confidences, strict=True)
    ]
    return {"row": cards, "changes": result.changes, "doubtful": list(result.doubtful)}


def row_text(result: RowReading) -> str:
    """A row in words."""
    if not result.cards:
        return "No cards."
    names = [
        card.code + ("?" if k in result.doubtful else "") for k, card in enumerate(result.cards)
    ]
    text = f"Row      {' '.join(names)}\nChanges  {result.changes}"
    if result.doubtful:
        places = ", ".join(str(k + 1) for k in result.doubtful)
        text += f"\nNot sure of card{'' if len(result.doubtful) == 1 else 's'} {places} (marked ?)"
    return text


def hand_json(hand: Hand) -> dict[str, Any]:
    """A hand as `companion hand --json` prints it: sure cards, and doubtful ones apart."""
    return {
        "hand": [_hand_card(one) for one in hand.cards if one.is_sure],
        "doubtful": [
            _hand_card(one) | {"alternatives": _chances(one.alternatives)} for one in hand.doubtful
        ],
        "count": len(hand.cards),
        "expected": hand.expected,
        "deck": hand.deck or None,
    }


def _hand_card(one: HandCard) -> dict[str, Any]:
    return {"card": one.card.code, "confidence": round(one.confidence, 4)}


def hand_text(hand: Hand) -> str:
    """A hand in words."""
    count = len(hand.cards)
    many = f"{count} card{'' if count == 1 else 's'}"
    if hand.expected is not None:
        many = f"{count} of {hand.expected} cards"
    if not count:
        return f"No cards ({many})." if hand.expected is not None else "No cards."
    names = [one.card.code + ("" if one.is_sure else "?") for one in hand.cards]
    lines = [f"Hand  {' '.join(names)}  ({many})"]
    if hand.expected is not None and hand.in_view > hand.expected:
        # Which of them are the hand's is not known: one by one they are no clearer.
        lines.insert(0, f"{hand.in_view} cards are in view: show those of the hand alone.")
        return "\n".join(lines)
    for one in hand.doubtful:
        others = " or ".join(card.code for card, _ in one.alternatives)
        lines.append(f"Not sure of {one.card.code}" + (f": it may be {others}" if others else ""))
    return "\n".join(lines)


def replay_text(misread: misreads.Misread, missed: Sequence[str], wrong: Sequence[str]) -> str:
    """One photo that was read again, in words."""
    if not missed and not wrong:
        return (
            f"{misread.photo.name}: "
            + ("read as when it was kept", "right")[misread.cards is not None]
        )
    parts = [f"missed {' '.join(missed)}"] if missed else []
    parts += [f"wrong {' '.join(wrong)}"] if wrong else []
    since = "" if misread.cards is not None else " (against what was read when it was kept)"
    return f"{misread.photo.name}: {', '.join(parts)}{since}"


def news_json(view: TableView) -> Iterator[dict[str, Any]]:
    """What has become certain with a frame, as `companion watch --json` prints it."""
    for seen in view.news:
        yield {"t": round(view.t, 3), "kind": "sighting"} | sighting_json(seen)


def changes_of_state(view: TableView, told: dict[str, str]) -> Iterator[dict[str, Any]]:
    """States and notices of a frame that were not printed before; ``told`` keeps which were."""
    at = {"t": round(view.t, 3), "kind": "state"}
    for zone, status in view.statuses:
        if told.get(zone) != status:
            told[zone] = status
            yield at | {"zone": zone, "state": str(status), "advice": ADVICE[status]}
    for zone, notice in view.notices:
        key = f"{zone} {notice.kind} {notice.card} {notice.places}"
        if key not in told:
            told[key] = ""
            yield at | {
                "zone": zone, "state": str(notice.kind),
                "card": notice.card.code, "places": list(notice.places),
            }  # fmt: skip


def event_text(event: dict[str, Any]) -> str:
    """A sighting, a state or a proposal in words."""
    head = f"{event['t']:8.2f}  {event['kind']:9}"
    if event["kind"] == "sighting":
        text = f"{head} {event['card']} in {event['zone'] or 'no zone'}, place {event['place'] + 1}"
        return text if event["change"] == "laid" else f"{text}, {event['change']}"
    if event["kind"] == "proposal":
        verdict = event.get("verdict", "")
        reason = f" ({event['error']})" if event.get("error") else ""
        return f"{head} {event.get('event', event.get('card'))}  {verdict}{reason}"
    advice = f"  {event['advice']}" if event.get("advice") else ""
    return f"{head} {event['state']}" + (f": {event['card']}" if "card" in event else "") + advice


def sighting_json(seen: Sighting) -> dict[str, Any]:
    """A sighting's own fields."""
    return {
        "card": seen.card.code,
        "zone": seen.zone,
        "place": seen.place,
        "since": round(seen.since, 3),
        "confidence": round(seen.confidence, 4),
        "change": str(seen.change),
        "alternatives": _chances(seen.alternatives),
    }


def _read_json(read: CardRead, status: Status) -> dict[str, Any]:
    quad = [[round(x, 1), round(y, 1)] for x, y in read.quad]
    return {
        "card": read.card.code,
        "confidence": round(read.confidence, 4),
        "quad": quad,
        "outlined": read.outlined,
        "status": status,
        "reason": read.reason,
    }


def _chances(pairs: Iterable[tuple[Card, float]]) -> list[dict[str, Any]]:
    return [{"card": card.code, "confidence": round(chance, 4)} for card, chance in pairs]
