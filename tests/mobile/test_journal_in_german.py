"""What the journal says to people is said in German too, whole."""

import pytest

from companion.core.registry import get_game
from companion.errors import CompanionError
from companion.journal import FileDeviceKeys, Journal
from mobile.resources import texts
from mobile.services import JOURNAL, AppServices

pytestmark = pytest.mark.usefixtures("german")


def test_pins_are_refused_in_german(tmp_path):
    game = get_game("gotcha")
    with Journal(tmp_path / JOURNAL, device=FileDeviceKeys(tmp_path / "keys")) as journal:
        session = journal.begin(game, game.setup(["One", "Bo"]))
        with pytest.raises(CompanionError) as short:
            session.set_pin(0, "25", "")
        assert texts.told(short.value.message) == "Eine PIN hat 4 bis 64 Zeichen."
        session.set_pin(0, "2580", "")
        with pytest.raises(CompanionError) as wrong:
            session.unlock(0, "1111")
        said = texts.told(wrong.value.message)
        assert said.startswith("Das ist nicht die PIN von One: in "), said
        with pytest.raises(CompanionError) as soon:
            session.unlock(0, "2580")
        assert texts.told(soon.value.message).startswith("Zu früh: Die PIN von One kann in ")


def test_a_journal_that_another_program_holds_is_told_in_german(tmp_path):
    with Journal(tmp_path / JOURNAL, device=FileDeviceKeys(tmp_path / "keys")):
        services = AppServices(tmp_path, None, lambda: None, lambda _name: None)
        assert services.journal.read_only
        assert services.journal_trouble.startswith("Das Journal wird von einem anderen Programm")
        services.journal.close()
