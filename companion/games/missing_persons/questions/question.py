"""Missing Persons' questions: a question is the set of cards whose true answer is Yes.

Two ways lead to a set: tapping (`tapped`, with suits, colours, ranks and the two arcs between two
ranks) and typing (`grammar.parse_question` beside this file). However it was made, a question has
one canonical text, found from the set alone; reading that text gives the set back. A typed question
also keeps the asker's words, which are shown beside the set and change nothing about it.

Even and odd speak of the rank, Ace 1 to King 13: a queen is even, a jack and a king are odd.
Jokers are in no set: whoever is the joker answers No to every question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce

from companion.cards import RANKS, SUITS, Card, Family, family_cards
from companion.phrases import N_, phrase

#: The 52 cards a question can speak of, suits S H D C, ranks A to K.
CARDS: tuple[Card, ...] = tuple(c for c in family_cards(Family.STANDARD) if not c.is_joker)

#: Sets of ranks by name, as ranks 1 (Ace) to 13 (King).
ROYAL = frozenset({11, 12, 13})
NUMBER_CARD = frozenset(range(1, 11))
EVEN = frozenset(range(2, 14, 2))
ODD = frozenset(range(1, 14, 2))
ALL_RANKS = frozenset(range(1, 14))
#: A royal's sex, which a plain question may not ask for.
MALE = frozenset({11, 13})
FEMALE = frozenset({12})

#: Suit letters by colour.
COLOURS: dict[str, frozenset[str]] = {N_("red"): frozenset("HD"), N_("black"): frozenset("SC")}
#: A card of a suit, in words.
_ONE_OF_SUIT = {"S": N_("a spade"), "H": N_("a heart"), "D": N_("a diamond"), "C": N_("a club")}
ALL_SUITS = frozenset(SUITS)


@dataclass(frozen=True, slots=True)
class Question:
    """A yes/no question about number and suit.

    Attributes:
        cards: the cards for which the true answer is Yes; never a joker.
        words: the asker's words if they are not the canonical ones; not compared.
    """

    cards: frozenset[Card]
    words: str = field(default="", repr=False, compare=False)
    _text: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The canonical wording, e.g. `red and between 5 and 9?`; reads back to the same set."""
        if not self._text:
            self._text.append(phrase("{what}?", what=describe(self.cards)))
        return self._text[0]

    @property
    def asked(self) -> str:
        """The asker's words, or the canonical wording if there are none."""
        return self.words or self.text

    def asked_as(self, words: str) -> Question:
        """The same question in its asker's words, which must read back to it."""
        return Question(self.cards, "" if words.casefold() == self.text.casefold() else words)

    def __str__(self) -> str:
        return self.text

    def answer(self, card: Card) -> bool:
        """The true answer of a player whose missing person is the card."""
        return card in self.cards

    def __invert__(self) -> Question:
        return Question(frozenset(CARDS) - self.cards)

    def __and__(self, other: Question) -> Question:
        return Question(self.cards & other.cards)

    def __or__(self, other: Question) -> Question:
        return Question(self.cards | other.cards)


def tapped(
    *, suits: Iterable[str] = ALL_SUITS, ranks: Iterable[int] = ALL_RANKS, negate: bool = False
) -> Question:
    """The question made by tapping suits and ranks: cards of one of each.

    Args:
        suits: suit letters; none tapped is the same as all.
        ranks: ranks 1–13; none tapped is the same as all.
        negate: ask for all other cards instead.
    """
    wanted_suits = frozenset(suits) or ALL_SUITS
    wanted_ranks = frozenset(ranks) or ALL_RANKS
    cards = frozenset(c for c in CARDS if c.suit in wanted_suits and c.rank in wanted_ranks)
    return ~Question(cards) if negate else Question(cards)


def arc_up(first: int, last: int) -> frozenset[int]:
    """The ranks between two, both included, from the lower to the higher: never round the Ace."""
    return frozenset(range(min(first, last), max(first, last) + 1))


def arc_down_round(first: int, last: int) -> frozenset[int]:
    """The ranks from the lower of two down through Ace and King to the higher, both included.

    >>> sorted(arc_down_round(5, 11))
    [1, 2, 3, 4, 5, 11, 12, 13]
    """
    return frozenset(range(1, min(first, last) + 1)) | frozenset(range(max(first, last), 14))


def why_not_plain(question: Question) -> str | None:
    """Why a question is not allowed under `plain`, None when it is.

    The rule: no single rank, card, joker or royal's sex may be named. So the set and its complement
    in the 52 each hold at least two ranks, the set holds a whole suit or colour or whole ranks
    within one (two ranks of some suit at least), and it does not ask whether a royal is male.
    """
    ranks = {card.rank for card in question.cards}
    if not question.cards:
        return N_("no card answers Yes to it, and a question may not name the joker")
    if len(question.cards) == len(CARDS):
        return N_("every card but a joker answers Yes to it, and a question may not name the joker")
    if len(question.cards) == 1:
        return phrase("it names one card, the {card}", card=next(iter(question.cards)).name)
    if len(ranks) == 1:
        return phrase("it names one rank, {rank}", rank=_rank_word(next(iter(ranks))))
    if ranks <= MALE:
        return N_("it asks for a royal's sex")
    others = [card for card in CARDS if card not in question.cards]
    left_out = {card.rank for card in others}
    if len(others) == 1:
        return phrase("it names one card, the {card}", card=others[0].name)
    if len(left_out) == 1:
        return phrase(
            "it asks for every rank but one, {rank}", rank=_rank_word(next(iter(left_out)))
        )
    by_suit = [sum(card.suit == suit for card in question.cards) for suit in SUITS]
    if max(by_suit) < 2:
        return N_("it names single cards; ask for ranks within one suit or colour")
    return None


def _rank_word(rank: int | None) -> str:
    """A rank with its article: `an ace`, `a 7`, `a jack`."""
    names = {1: N_("an ace"), 8: "an 8", 11: N_("a jack"), 12: N_("a queen"), 13: N_("a king")}
    return names.get(rank or 0) or phrase("a {rank}", rank=rank)


def describe(cards: frozenset[Card]) -> str:
    """The canonical wording of a set of cards, without the question mark.

    The shortest of a few forms: suits and ranks joined by "and", groups of suits joined by "or",
    ranks common to all suits taken out first, or "not" before the same of the complement.
    """
    return _describe(_masks(cards))


def _masks(cards: Iterable[Card]) -> tuple[int, ...]:
    """For each suit S H D C the ranks as bits (bit 0 the Ace)."""
    masks = dict.fromkeys(SUITS, 0)
    for card in cards:
        if card.suit is not None and card.rank is not None:
            masks[card.suit] |= 1 << card.rank - 1
    return tuple(masks.values())


_FULL = (1 << 13) - 1


@lru_cache(maxsize=4096)
def _describe(masks: tuple[int, ...]) -> str:
    """The wording of a set given as rank masks by suit."""
    if not any(masks):
        return N_("a joker")
    if all(mask == _FULL for mask in masks):
        return N_("anything")
    options = list(_unions(masks))
    rest = tuple(_FULL & ~mask for mask in masks)
    options += [_not(_wrapped(text)) for text in _unions(rest)]
    return min(options, key=_length)


def _length(text: str) -> tuple[int, str]:
    """How long a wording feels; a "not" costs more than its letters."""
    return len(text) + 4 * text.count("not "), text


def _unions(masks: tuple[int, ...]) -> Iterator[str]:
    """Wordings as a union of products of suits and ranks."""
    common = masks[0] & masks[1] & masks[2] & masks[3]
    groups: dict[int, list[str]] = {}
    for suit, mask in zip(SUITS, masks, strict=True):
        if mask:
            groups.setdefault(mask, []).append(suit)
    products = [
        _product(suits, mask) for mask, suits in groups.items() if mask != common or not common
    ]
    plain = [_product(suits, mask) for mask, suits in groups.items()]
    yield _joined(plain)
    if common and len(groups) > 1:
        yield _joined([rank_text(common), *products])


def _joined(terms: list[str]) -> str:
    """Terms joined by or; a term with its own or needs no brackets there."""
    return _or(_wrapped(term) if " and " in term and len(terms) > 1 else term for term in terms)


def _or(terms: Iterable[str]) -> str:
    """Alternatives, joined two at a time so that translations need only one sentence."""
    return reduce(lambda one, other: phrase("{one} or {other}", one=one, other=other), terms)


def _and(one: str, other: str) -> str:
    return phrase("{one} and {other}", one=one, other=other)


def _not(what: str) -> str:
    return phrase("not {what}", what=what)


def _wrapped(text: str) -> str:
    """Brackets round a wording that has more than one part."""
    parts = text.count(" and ") + text.count(" or ") - text.startswith("between ")
    return phrase("({what})", what=text) if parts else text


def _product(suits: list[str], mask: int) -> str:
    """Ranks within suits."""
    suit_part = _suits_text(frozenset(suits))
    if mask == _FULL:
        return suit_part
    ranks = rank_text(mask)
    return _and(_wrapped(suit_part), _wrapped(ranks)) if suit_part else ranks


def _suits_text(suits: frozenset[str]) -> str:
    """A colour, suits joined by or, or `not` a suit; empty for all four."""
    for name, members in COLOURS.items():
        if suits == members:
            return name
    if len(suits) == 3:
        return _not(_ONE_OF_SUIT[next(iter(ALL_SUITS - suits))])
    if len(suits) == 4:
        return ""
    return _or(_ONE_OF_SUIT[suit] for suit in SUITS if suit in suits)


def rank_text(mask: int) -> str:
    """The wording of a set of ranks (bit 0 the Ace), neither empty nor all thirteen."""
    found = _rank_texts().get(mask)
    runs = _or(_run_text(low, high) for low, high in _runs(mask))
    if found is None or (" round to " in found and " and " in found and len(runs) <= len(found)):
        return runs  # “between 3 and 5 or between 9 and J”, not what two arcs share
    return found


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of consecutive ranks, as (lowest, highest)."""
    low = None
    for rank in range(1, 15):
        inside = rank <= 13 and mask >> rank - 1 & 1
        if inside and low is None:
            low = rank
        elif not inside and low is not None:
            yield low, rank - 1
            low = None


def _run_text(low: int, high: int) -> str:
    """A run of ranks."""
    if low == high:
        return _rank_word(low)
    return phrase("between {low} and {high}", low=RANKS[low - 1], high=RANKS[high - 1])


def rank_mask(ranks: Iterable[int]) -> int:
    """Ranks 1–13 as bits."""
    return sum(1 << rank - 1 for rank in set(ranks))


@cache
def rank_atoms() -> dict[int, str]:
    """The sets of ranks that have a name of their own or are an arc, with their wordings."""
    atoms = {
        rank_mask(ROYAL): N_("royal"),
        rank_mask(NUMBER_CARD): N_("number card"),
        rank_mask(EVEN): N_("even"),
        rank_mask(ODD): N_("odd"),
    }
    for low in range(1, 14):
        for high in range(low, 14):
            atoms.setdefault(rank_mask(arc_up(low, high)), _run_text(low, high))
            if high - low > 1:
                text = phrase(
                    "{low} down round to {high}", low=RANKS[low - 1], high=RANKS[high - 1]
                )
                atoms.setdefault(rank_mask(arc_down_round(low, high)), text)
    atoms.pop(_FULL)
    return atoms


@cache
def _rank_texts() -> dict[int, str]:
    """Wordings of the sets of ranks made of one or two named sets; the shortest for each."""
    found = dict(rank_atoms())
    named = {mask: text for mask, text in found.items() if "between" not in text}
    pairs: dict[int, tuple[str, str, str, str]] = {}
    for one, one_text in named.items():
        for two, two_text in rank_atoms().items():
            for mask, text, how in (
                (one & two, f"{one_text} and {two_text}", "and"),
                (one | two, f"{one_text} or {two_text}", "or"),
                (one & ~two, f"{one_text} and not {two_text}", "not"),
            ):
                known = pairs.get(mask)
                if known is None or (len(text), text) < (len(known[0]), known[0]):
                    pairs[mask] = text, how, one_text, two_text
    for mask, (_, how, first, second) in pairs.items():
        if mask in (0, _FULL) or mask in found:
            continue
        if how == "or":
            found[mask] = _or((first, second))
        else:
            found[mask] = _and(first, second if how == "and" else _not(second))
    return found


def rank_cost(mask: int) -> int:
    """How plain the words for a set of ranks are: 0 for all, 1 a name or arc, 2 a pair, 6 a list.

    Args:
        mask: the ranks as bits (bit 0 the Ace).
    """
    if mask == _FULL:
        return 0
    if mask in rank_atoms():
        return 1
    return 2 if mask in _rank_texts() else 6
