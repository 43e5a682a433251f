"""The rules of every game by example: `rules/GAME.txt`, matches with what must be so in between.

Each example begins with `# TITLE | CONDITION, CONDITION`. A condition is a setting (`deal=5`,
`trusted=Ann`, `players=3`, `deck=8`; else two, or the fewest, sit at an open table), or names lines
that stand under `# given NAME` and are played first. Then follow:

    Ann: guess Bo smallest 2 is 5 / Bo: right 5S   lines of notation, which are accepted
    ! Bo: right 6S | of that rank   a line that is refused, and words of the refusal (a pattern)
    !Bo Bo: wrong | says otherwise  one that a hidden fact refuses: Bo alone reads these words
    ~ nonsense                      a line that is kept although it cannot be read or stand
    > Bo: right 5S                  what a trusted referee adds by itself; `> nothing`
    see 9S in pile | Bo: right 9S   what a card seen there may mean; `! WORDS` where it is refused
    [scores] 0 4                    what must be so: see CHECKS and TEXTS
    [found @Bo @Cy] 2 false-answer  the same as Bo and Cy know it; `@all` is everybody's knowledge
    use NAME                        lines of a `# given NAME`, played here

Random play and the golden matches go through what happens in every match; here stands what they do
not reach.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.cards import card, family_cards, parse_cards
from companion.core.guidance.generic import guidance_of
from companion.core.guidance.steps import tell
from companion.core.notation import write_event
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import CompanionError, HiddenError
from companion.notepad.base import open_notepad
from tests.companion.seating import NAMES, seated

FOLDER = Path(__file__).parent / "rules"
SENTENCE = re.compile(
    r"This does not fit what \w+ recorded in secret; \w+ can read why behind their cover\."
)


@dataclass(frozen=True)
class Example:
    title: str
    settings: dict[str, str]
    lines: list[str]

    def __str__(self):
        return self.title


def examples():
    for path in sorted(FOLDER.glob("*.txt")):
        given = {}
        for block in re.split("^# ", path.read_text("utf-8"), flags=re.M)[1:]:
            head, *lines = filter(None, map(str.strip, block.splitlines()))
            title, _, stated = head.partition(" | ")
            conditions = stated.split(", ") if stated else []
            before = [f"use {one}" for one in conditions if "=" not in one]
            settings = dict(one.split("=") for one in conditions if "=" in one)
            example = Example(f"{path.stem}: {title}", {"game": path.stem}, [])
            for line in [*before, *lines]:
                alone = [line] if line.startswith("[") else line.split(" / ")
                used = given.get(line, Example("", {}, alone))
                example.settings.update(used.settings)
                example.lines.extend(used.lines)
            example.settings.update(settings)
            if title.startswith("given "):
                given[title.replace("given", "use")] = example
            else:
                yield example


def table_of(settings):
    """A referee for an example's settings."""
    stated = dict(settings)
    game = get_game(stated.pop("game"))
    players = NAMES[: int(stated.pop("players", max(2, game.info.min_players)))]
    deck, trusted = stated.pop("deck", ""), stated.pop("trusted", "")
    if deck.isdecimal():
        cards = [card for card in family_cards(game.family) if not card.is_joker][: int(deck)]
    else:
        cards = parse_cards(deck.replace(",", " "), game.family)
    trusts = tuple(trusted == "all" or name in trusted.split(",") for name in players)
    return seated(game, players=players, trusted=trusts, deck=tuple(cards) or None, **stated)


class Moment:
    """A table as one of them knows it (the referee where nobody is named)."""

    def __init__(self, referee, viewer):
        self.referee, self.game, self.names = referee, referee.game, referee.setup.players
        self.viewer = None if viewer in ("", "table", "all") else self.names.index(viewer)
        self.state = referee.state if viewer in ("", "table") else referee.knowledge(self.viewer)
        self.table = self.state.table

    @property
    def log(self):
        return self.referee.view(self.viewer).log

    @property
    def notepad(self):
        return open_notepad(self.game, self.referee.view(self.viewer))

    @property
    def told(self):
        guidance = guidance_of(self.game, self.referee.view(self.viewer))
        return tell(guidance, self.referee.setup)

    def players(self, seats):
        return " ".join(self.names[seat] for seat in seats) or "nobody"

    def zone(self, name):
        (zone,) = [zone for zone in self.game.zones(self.state) if zone.name == name]
        return zone

    def hand(self, name):
        return self.state.held[self.names.index(name)]


def written(line):
    """A line of a log, with what became of it."""
    became = " (undone)" if line.undone else f" ! {line.error}" if line.error else ""
    return f"{line.step} {line.text}{became}"


def codes(cards):
    return "unknown" if cards is None else " ".join(card.code for card in cards) or "none"


#: What a check compares with its line, word for word.
CHECKS = {
    "scores": lambda at: " ".join(map(str, at.table.scores)),
    "winners": lambda at: at.players(at.table.winners),
    "match winners": lambda at: at.players(at.table.match_winners),
    "over": lambda at: "game" if at.table.over else "match" if at.table.match_over else "no",
    "turn": lambda at: at.players([] if at.table.to_move is None else [at.table.to_move]),
    "starter": lambda at: at.players([at.table.starter]),
    "actors": lambda at: at.players(at.game.actors(at.state)),
    "found": lambda at: (
        ", ".join(f"{f.event} {f.kind.value}" for f in at.state.findings) or "nothing"
    ),
    "unfit": lambda at: (
        " ".join(str(node.event.n) for node in at.referee.nodes if node.error) or "none"
    ),
    "title of": lambda at, name: at.zone(name).title,
    "zone": lambda at, name: codes(at.zone(name).cards),
    "cards in": lambda at, name: str(len(at.zone(name).cards)),
    "known in": lambda at, name: f"{at.zone(name).known} of {len(at.zone(name).cards)}",
    "hand": lambda at, name: codes(at.hand(name)),
    "standing": lambda at, name: at.game.standing(at.state, at.names.index(name)) or "-",
    "log": lambda at: str(len(at.log)),
    "read": lambda at: " / ".join(map(written, at.log)),
    "worlds": lambda at: str(at.notepad.worlds),
    "conflict": lambda at: " ".join(map(str, at.notepad.conflict().events)),
    "state": lambda at, name: str(getattr(at.state, name)),
}
#: What must stand somewhere in what was said.
TEXTS = {
    "finding": lambda at: at.state.findings[-1].message,
    "findings": lambda at: "\n".join(finding.message for finding in at.state.findings),
    "reason": lambda at: "\n".join(at.table.reasons),
    "note": lambda at: at.state.remarks[-1],
    "line": lambda at: at.log[-1].text,
    "lines": lambda at: "\n".join(line.text for line in at.log),
    "refusal": lambda at: at.log[-1].error,
    "opening": lambda at: at.game.opening(at.state),
    "unchecked": lambda at: (
        "\n".join(one.told(at.state) for one in at.game.unchecked(at.state)) or "nothing"
    ),
    "told": lambda at: "\n".join(at.told),
    "why": lambda at, row, *column: at.notepad.why(row, " ".join(column)).text,
    "conflict words": lambda at: at.notepad.conflict().text,
    "legal": lambda at, name: "\n".join(
        write_event(at.game, at.referee.setup, event)
        for event in at.game.legal(at.state, at.names.index(name))
    ),
}


def check(referee, line):
    what, viewers, expected = re.fullmatch(r"\[(.*?)((?: @\w+)*)\] (.*)", line).groups()
    asked = {**CHECKS, **TEXTS}
    name = next(each for each in sorted(asked, key=len, reverse=True) if what.startswith(each))
    for viewer in viewers.split() or [""]:
        found = asked[name](Moment(referee, viewer[1:]), *what.removeprefix(name).split())
        if name in CHECKS:
            assert found == expected
        else:
            assert expected in found


def refused(referee, owner, line):
    """The line is refused; where an owner is named, that player alone reads why."""
    text, _, words = line.partition(" | ")
    with pytest.raises(CompanionError) as caught:
        referee.accept(text)
    told = caught.value.message
    if owner:
        assert isinstance(caught.value, HiddenError)
        assert SENTENCE.fullmatch(told)
        for viewer in (None, *range(len(referee.setup.players))):
            read = referee.view(viewer).log[-1].error
            if viewer == referee.setup.seat(owner):
                told = read
            else:
                assert read == caught.value.message
    assert re.search(words, told)


def see(referee, line):
    """A card that is seen in a zone becomes these lines, or is refused in these words."""
    seen, _, expected = line.partition(" | ")
    code, zone = seen.split(" in ")
    proposals = referee.proposals(SeenCard(card(code, referee.game.family), zone))
    if expected.startswith("! "):
        assert all(re.search(expected[2:], one.error.message) for one in proposals)
        assert proposals
    else:
        assert all(one.error is None for one in proposals)
        events = [write_event(referee.game, referee.setup, one.event) for one in proposals]
        assert (events or ["nothing"]) == expected.split(", ")


def play(referee, line):
    """One line of an example."""
    if line.startswith("["):
        check(referee, line)
    elif line.startswith("!"):
        refused(referee, *line[1:].split(" ", 1))
    elif line.startswith("see "):
        see(referee, line.removeprefix("see "))
    elif line.startswith("> "):
        said = [
            write_event(referee.game, referee.setup, entry.event) for entry in referee.follow_up()
        ]
        assert (said or ["nothing"]) == line.removeprefix("> ").split(", ")
    elif line.startswith("~ "):
        assert not referee.submit(line.removeprefix("~ ")).applied
    elif not line.startswith(";"):
        referee.accept(line)


@pytest.mark.parametrize("example", list(examples()), ids=str)
def test_rules(example):
    referee = table_of(example.settings)
    for line in example.lines:
        try:
            play(referee, line)
        except (AssertionError, CompanionError, ValueError, pytest.fail.Exception) as error:
            raise AssertionError(f"at “{line}”: {error}") from error
