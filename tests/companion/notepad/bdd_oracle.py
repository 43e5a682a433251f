"""An independent count of Deduction worlds with binary decision diagrams (package `dd`)."""

from __future__ import annotations

from typing import Any

from companion.cards import Card
from companion.games.deduction.engine.facts import (
    FACE_UP,
    MISSING,
    DeductionKnowledge,
    TileCount,
    TileShown,
)
from companion.notepad.facts import CardAt

try:
    from dd.cudd import BDD
except ImportError:  # the compiled diagrams are not packaged for every Python
    from dd.autoref import BDD


class Diagram:
    """All worlds of a knowledge whose viewer's hand and face-up tiles are known."""

    def __init__(self, knowledge: DeductionKnowledge) -> None:
        facts = knowledge.facts
        at = {f.card: f.place for f in facts if isinstance(f, CardAt) and f.holds}
        self.tiles = [tile for tile in knowledge.deck if tile not in at]
        full = {
            name
            for name in (*knowledge.players, FACE_UP)
            if sum(place == name for place in at.values()) == self._size(knowledge, name)
        }
        self.open = [n for n in (*knowledge.players, FACE_UP) if n not in full]
        self.manager: Any = BDD()
        self.known = at
        # One variable for each tile and open place; a tile in none of them is the missing one.
        self.manager.declare(*(self._name(t, n) for t in self.tiles for n in self.open))
        self.root = self.manager.true
        for tile in self.tiles:
            self.root &= self._between([self._name(tile, n) for n in self.open], 0, 1)
        for fact in facts:
            if isinstance(fact, CardAt):
                if not fact.holds and fact.card in self.tiles:
                    self.root &= ~self._at(fact.card, fact.place)
            elif isinstance(fact, TileShown):
                self.root &= self._at(fact.card, fact.player)
            elif isinstance(fact, TileCount):
                self.root &= self._answer(fact)
        for name in self.open:
            have = sum(place == name for place in at.values())
            need = self._size(knowledge, name) - have
            self.root &= self._between([self._name(t, name) for t in self.tiles], need, need)

    @staticmethod
    def _size(knowledge: DeductionKnowledge, name: str) -> int:
        if name == FACE_UP:
            return len(knowledge.deck) - 1 - knowledge.size * len(knowledge.players)
        return knowledge.size

    def _name(self, tile: Card, place: str) -> str:
        return f"t{self.tiles.index(tile)}_{self.open.index(place)}"

    def _at(self, tile: Card, place: str) -> Any:
        """The diagram of "the tile lies there"."""
        if tile in self.known:
            return self.manager.true if self.known[tile] == place else self.manager.false
        if place == MISSING:
            return self._between([self._name(tile, n) for n in self.open], 0, 0)
        if place not in self.open:
            return self.manager.false
        return self.manager.var(self._name(tile, place))

    def _answer(self, fact: TileCount) -> Any:
        matching = [t for t in self.tiles if fact.what.matches(t)]
        have = sum(fact.what.matches(t) and p == fact.player for t, p in self.known.items())
        if fact.player not in self.open:
            fits = fact.low <= have <= fact.high
            return self.manager.true if fits else self.manager.false
        names = [self._name(t, fact.player) for t in matching]
        return self._between(names, fact.low - have, fact.high - have)

    def _between(self, names: list[str], low: int, high: int) -> Any:
        """Between low and high of the variables are true."""
        layer = {
            n: self.manager.true if low <= n <= high else self.manager.false
            for n in range(len(names) + 1)
        }
        for done in range(len(names) - 1, -1, -1):
            variable = self.manager.var(names[done])
            layer = {n: self.manager.ite(variable, layer[n + 1], layer[n]) for n in range(done + 1)}
        return layer[0]

    def count(self, tile: Card | None = None, place: str = MISSING) -> int:
        """The number of worlds, or of those in which a tile lies in a place."""
        root = self.root if tile is None else self.root & self._at(tile, place)
        return round(self.manager.count(root, nvars=len(self.tiles) * len(self.open)))
