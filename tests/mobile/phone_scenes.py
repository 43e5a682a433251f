"""The app serves pages for everybody's own phone."""

import threading

import httpx

from companion.core.registry import get_game
from mobile.seats import sentences
from mobile.seats.networks import Kind, Network
from tests.mobile.seats.hosting import Phone


def own_phones(stage) -> None:
    """On, two phones sit down and play, the app shows it, off."""
    game = get_game("gotcha")
    app = stage.app
    app.open_table(game, game.setup(["Ann", "Bo"], {"deal": "5"}), None)
    stage.frames(3)
    screen = app.screen("table")
    stage.more("Own phones")
    stage.tap("Own phones")
    stage.frames(2)
    assert "Serve the pages" in stage.texts()
    own = screen.phones.own
    own.address_now, own.port = (lambda: "127.0.0.1"), 0
    stage.tap("Serve the pages")
    stage.wait(lambda: own.is_on and bool(own.seats()))
    stage.wait(lambda: "Show Ann's code" in stage.texts())
    stage.tap("Show Ann's code")
    stage.frames(3)
    stage.shot("own-phones")
    sheet = next(w for w in app.root_window.children if type(w).__name__ == "PhonesSheet")
    assert sheet.code is not None
    moves(stage, own, sheet)
    ann, bo = sit_down(stage, own, sheet.address, "1"), sit_down(stage, own, "", "2")
    stage.wait(lambda: "Free Ann's seat" in stage.texts())
    done = beside(stage, lambda: ann.act("type", state=0, line="guess Bo smallest 1 is 2").json())
    assert done["answer"] == "done", done
    stage.wait(lambda: "Bo answers Ann" in screen.turn)
    # What is done on the app's own screen reaches the phones.
    with_state = beside(stage, lambda: bo.act("type", state=0, line="wrong").json())
    assert with_state["answer"] == "stale"
    assert with_state["state"] == 1
    leaves_and_comes_back(stage, own, bo)
    stage.tap("Stop serving")
    stage.wait(lambda: not own.is_on)
    stage.tap("Close")


def moves(stage, own, sheet):
    """Another network: the sheet says so, its code follows, and the other one is offered."""
    addresses, old = own._host.state.addresses, sheet.address
    assert sheet.short.startswith("Without a camera: open 127.0.0.1:")
    assert "My phone is on another network" not in stage.texts()
    known = addresses.found
    addresses.found = (*known, Network("eth0", "127.0.0.3", Kind.ETHERNET))
    stage.wait(lambda: "My phone is on another network" in stage.texts())
    stage.reach(stage.find("Ethernet eth0: 127.0.0.3"))
    stage.wait(lambda: "//127.0.0.3:" in sheet.address)
    assert "open 127.0.0.3:" in sheet.short
    stage.shot("own-phones-networks")
    addresses.found = known
    own._host.state.notice = sentences.MOVED, {"address": own._host.state.address}
    stage.wait(lambda: "The network has changed" in sheet.trouble)
    assert "//127.0.0.1:" in sheet.address
    assert sheet.address != old
    assert "My phone is on another network" not in stage.texts()


def leaves_and_comes_back(stage, own, bo):
    """The app goes off the screen and comes back: the same address, the same phones, no code."""
    own.port = int(own.invited("2").url.split(":")[2].split("/")[0])
    stage.app.on_pause()
    stage.wait(lambda: not own.is_on and beside(stage, lambda: is_away(bo)))
    stage.app.on_resume()
    stage.wait(lambda: own.is_on and bool(own.seats()))
    assert "You answer" in beside(stage, bo.get).text
    # Where the network has gone meanwhile it is said, and nothing else fails.
    stage.app.on_pause()
    stage.wait(lambda: not own.is_on)
    address, own.address_now = own.address_now, lambda: "192.0.2.7"
    stage.app.on_resume()
    assert "could not be served again" in stage.app.screen("table").snack
    own.address_now = address
    stage.app.screen("table").phones.start()
    stage.wait(lambda: own.is_on and "Stop serving" in stage.texts())


def is_away(phone):
    """Whether nobody listens at the table's address."""
    try:
        phone.get()
    except httpx.TransportError:
        return True
    return False


def sit_down(stage, own, url, place):
    url = url or own.invited(place).url
    base = url.split("/seat/")[0]
    phone = Phone(base, f"seat/{place}")
    answer = beside(stage, lambda: phone.join(url))
    assert answer["answer"] == "done", answer
    return phone


def beside(stage, work):
    """Does something on another thread while frames go on; gives its result."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    stage.wait(lambda: not thread.is_alive())
    return found[0]
