"""PINs: a wrong one says so, is slowed down, and ending the program does not help."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.registry import get_game
from companion.journal import FileDeviceKeys, PinError, ReadOnlyError, SealedError
from companion.journal.device import LONGEST_WAIT
from companion.journal.sealing import BLOCK, KeyStretching, about, new_key, pad, seal, unpad, unseal
from tests.companion.journal.play import script, sql

SOME = get_game("precognition").deck.cards[:26]


@pytest.fixture
def guarded(place):
    game, setup, _ = script("precognition")
    with place.open() as journal:
        journal.begin(game, setup).set_pin(0, "1234")
    return place


def test_the_right_pin_opens(guarded):
    with guarded.open() as journal:
        session = journal.resume(1)
        assert session.has_pin(0)
        assert not session.has_pin(1)
        assert session.view(session.unlock(0, "1234")).viewer == 0
        assert session.unlock(1, "whatever").seat == 1


def test_wrong_pins_are_slowed_down_more_and_more(guarded):
    waits = []
    for _ in range(16):
        waits.append(guarded.wrong())
        guarded.uptime.now += waits[-1]
    assert waits[:5] == [1, 2, 4, 8, 16]
    assert waits[-1] == LONGEST_WAIT


def test_nothing_is_looked_at_while_waiting(guarded):
    guarded.uptime.now += guarded.wrong()
    wait = guarded.wrong()
    with guarded.open() as journal:
        session = journal.resume(1)
        guarded.uptime.now += wait / 2
        with pytest.raises(PinError, match="Too soon") as caught:
            session.unlock(0, "1234")
        assert caught.value.wait == session.waiting(0) == wait / 2
        guarded.uptime.now += wait / 2
        assert session.waiting(0) == 0
        session.unlock(0, "1234")
    assert guarded.wrong() == 1  # the count began anew


def test_a_try_is_counted_before_it_is_looked_at(guarded, monkeypatch):
    def killed(self, secret):
        raise KeyboardInterrupt

    with guarded.open() as journal:
        session = journal.resume(1)
        with monkeypatch.context() as patch:
            patch.setattr(KeyStretching, "key", killed)
            with pytest.raises(KeyboardInterrupt):
                session.unlock(0, "0000")
    with guarded.open() as journal:
        assert journal.resume(1).waiting(0) == 1


def test_changing_and_removing_a_pin_needs_the_old_one(guarded):
    with guarded.open() as journal:
        session = journal.resume(1)
        session.marks(session.unlock(0, "1234")).put("a", "b")
        with pytest.raises(PinError, match="not Ann's PIN"):
            session.set_pin(0, "5678", "4321")
        guarded.uptime.now += 1
        for bad in ("123", "x" * 65):
            with pytest.raises(PinError, match="4 to 64"):
                session.set_pin(0, bad, "1234")
        session.set_pin(0, "５６７８", "1234")
        assert session.marks(session.unlock(0, "5678")).get("a") == "b"
        session.set_pin(0, "", "5678")
        assert session.marks(session.unlock(0)).get("a") == "b"
        assert not session.has_pin(0)


def test_no_pin_can_be_tried_where_tries_cannot_be_counted(guarded):
    with guarded.open(read_only=True) as journal:
        session = journal.resume(1)
        with pytest.raises(ReadOnlyError, match="cannot be checked"):
            session.unlock(0, "1234")
        assert session.unlock(1).seat == 1
        with pytest.raises(ReadOnlyError):
            session.set_pin(1, "9999")


def test_without_the_device_a_copied_file_gives_nothing_to_try_pins_on(guarded, tmp_path):
    stranger = FileDeviceKeys(tmp_path / "other")
    with guarded.open(device=stranger) as journal:
        assert "not on this device" in journal.notice
        with pytest.raises((ReadOnlyError, SealedError)):
            journal.resume(1).unlock(0, "1234")
        with pytest.raises(SealedError):
            journal.resume(1).unlock(1)


def test_a_seat_given_to_another_player_does_not_open(guarded):
    """Somebody who can write the file cannot see Ann's cards with a PIN of their own."""
    with guarded.open() as journal:
        session = journal.resume(1)
        session.set_pin(1, "5678")
        session.referee.accept("Ann*: hand " + " ".join(c.code for c in SOME))
    hers = "(SELECT player FROM seats WHERE seat = 1)"
    sql(guarded.path, f"UPDATE seats SET player = {hers} WHERE seat = 0")
    with guarded.open() as journal:
        session = journal.resume(1)
        assert "does not open" in session.damage
        with pytest.raises(SealedError, match="changed from outside"):
            session.unlock(0, "5678")
        assert session.referee.log == ()


# -- sealing ---------------------------------------------------------------------------------


@given(st.binary(max_size=600), st.binary(max_size=20))
def test_what_is_sealed_opens_only_where_it_belongs(plain, belongs):
    key = new_key()
    sealed = seal(key, pad(plain), belongs)
    assert unpad(unseal(key, sealed, belongs)) == plain
    assert plain not in sealed or len(plain) < 4
    for changed in ((new_key(), sealed, belongs), (key, sealed, belongs + b"x")):
        with pytest.raises(SealedError):
            unseal(*changed)
    with pytest.raises(SealedError):
        unseal(key, sealed[:-1] + bytes([sealed[-1] ^ 1]), belongs)


@pytest.mark.parametrize("sealed", [None, "text", 7, b"", b"short"])
def test_what_is_no_sealed_value_is_refused(sealed):
    with pytest.raises(SealedError):
        unseal(new_key(), sealed, b"")


def test_lengths_tell_nothing_of_short_secrets():
    assert {len(pad(b"U" * n)) for n in range(200)} == {BLOCK}


def test_about_tells_parts_apart():
    assert about("a", "b") != about("ab")
    assert about("event", 1, 23) != about("event", 12, 3)


def test_device_keys_are_for_their_owner_only(tmp_path):
    keys = FileDeviceKeys(tmp_path / "keys")
    keys.create("a")
    sealed = keys.wrap("a", b"x", b"")
    file = tmp_path / "keys" / "a.key"
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_bytes()) == 32
    keys.create("a")
    assert FileDeviceKeys(tmp_path / "keys").unwrap("a", sealed, b"") == b"x"
    file.write_bytes(b"short")
    assert not FileDeviceKeys(tmp_path / "keys").has("a")
    keys.destroy("a")
    keys.destroy("a")
    assert not file.exists()
    with pytest.raises(SealedError, match="not here"):
        keys.unwrap("a", sealed, b"")
