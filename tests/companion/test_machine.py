"""State machines: random tables of every game, with all that must hold whatever happens.

The suite runs each for a moment; `make soak` until SOAK_EVENTS events of each game have gone
through the referee.
"""

import os
import time

import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.core.notation import write_match
from companion.core.registry import all_games
from tests.companion import rules_check
from tests.companion.table_play import RandomTable

SEEDS = st.integers(0, 2**32 - 1)
SHORT_EVENTS = 300


class TableMachine(RuleBasedStateMachine):
    """Honest play, lies, nonsense, undo, redo and corrections in any order."""

    game = None
    #: Counted over all runs of a game's machine.
    tables: list[RandomTable]

    @initialize(seed=SEEDS)
    def sit_down(self, seed):
        self.table = RandomTable(self.game, seed)
        self.tables.append(self.table)

    @rule(count=st.integers(1, 24))
    def play(self, count):
        for _ in range(count):
            self.table.step()

    @rule()
    def lie(self):
        self.table.lie()

    @rule(count=st.integers(1, 3))
    def babble(self, count):
        for _ in range(count):
            self.table.babble()

    @rule(count=st.integers(1, 12), again=st.integers(0, 12))
    def undo(self, count, again):
        self.table.take_back(count)
        self.table.restore(again)

    @precondition(lambda self: len(self.table.desk.nodes) > 2)
    @rule()
    def correct(self):
        self.table.correct()

    @invariant()
    def what_the_viewer_sees_tells_no_secret(self):
        if hasattr(self, "table"):
            self.table.check_views()

    @invariant()
    def cards_are_conserved_and_rules_kept(self):
        if hasattr(self, "table"):
            self.table.check_zones()
            rules_check.check(self.table.desk.state)

    def teardown(self):
        if hasattr(self, "table"):
            try:
                self.table.check_page()
                self.table.check_whole()
            except BaseException:
                note(write_match(self.table.desk.match_text()))
                raise


def run_machine(game, least):
    """Runs a game's machine until so many events have gone through; returns what was counted."""
    tables: list[RandomTable] = []
    machine = type(f"{game.name}-machine", (TableMachine,), {"game": game, "tables": tables})
    chosen = settings(
        max_examples=3 if least <= SHORT_EVENTS else 40,
        stateful_step_count=40,
        deadline=None,
        print_blob=True,
        phases=(Phase.generate,),  # a seed is the whole table: nothing to shrink
        derandomize=least <= SHORT_EVENTS,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    started = time.process_time()
    events = 0
    while events < least:
        run_state_machine_as_test(machine, settings=chosen)
        events = sum(table.events for table in tables)
        compared = sum(table.compared for table in tables)
        disguised = sum(table.disguised_count for table in tables)
        seconds = time.process_time() - started
        print(
            f"{game.name}: {events} events, {events / seconds:.0f} a second of processor time, "
            f"{compared} comparisons of views, {disguised} secrets changed",
            flush=True,
        )
    assert compared > events // 50
    assert disguised
    return events


@pytest.mark.soak
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_random_tables(game):
    run_machine(game, int(os.environ.get("SOAK_EVENTS", SHORT_EVENTS)))
