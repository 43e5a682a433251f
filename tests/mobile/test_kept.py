import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.core.notation import MatchText, read_match
from companion.core.referee import Referee
from companion.core.registry import all_games
from companion.core.replay import EVERYTHING
from companion.errors import IllegalError
from mobile.kept.page import page
from mobile.model import wording
from mobile.resources import texts
from tests.companion.hidden import knows, scramble
from tests.mobile.seats.browser import browser, needs_browser

GOLDEN = Path(__file__).parent.parent / "golden"
MATCHES = sorted(GOLDEN.glob("*/*.txt"))
VOID = {"meta", "br", "hr", "img", "link"}
RUNNING = """\
game: precognition
players: Ann, Bo
---
Ann*: hand AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH
Ann*: predict UDUDSSU
Bo*: predict DDD
Ann: place QS
Bo: jump & <b>run</b>
"""


class Checker(HTMLParser):
    """Refuses tags that are not closed in order, and everything that reaches outside."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.text = []

    def handle_starttag(self, tag, attrs):
        assert tag not in {"script", "img", "link", "iframe", "object", "base", "form", "a"}
        names = {name for name, _ in attrs}
        assert not names & {"src", "style", "action"}
        # A drawing is used by its name in the same page; nothing else refers to anything.
        assert all(tag == "use" and to[0] == "#" for name, to in attrs if name == "href")
        assert not any(name.startswith("on") for name in names)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:  # letters of the typeface spell anything
            self.text.append(data)


def text_of(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    assert html.count("url(") == html.count("url(data:font/woff2;base64,") == 2
    assert "@import" not in html
    return " ".join(" ".join(checker.text).split())


def said(match, text):
    return wording.without_codes(match.game, texts.told(text))


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_pages_are_well_formed_and_hold_the_result(path):
    match = read_match(path.read_text("utf-8"))
    desk = Referee.of(match)
    table = desk.state.table
    eyes = EVERYTHING if table.match_over else None
    text = text_of(page(match, eyes))
    for reason in table.reasons:
        assert " ".join(said(match, reason).split()) in text
    for name, points in zip(match.setup.players, table.scores, strict=True):
        assert f"{name} {points}".replace("-", "−") in text, text
    assert " 1 things" not in text
    for finding in desk.state.findings if table.match_over else ():
        assert " ".join(said(match, finding.message).split()) in text
    for seat in range(len(match.setup.players)):
        text_of(page(match, seat))


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_page_of_a_running_match_tells_no_secret(path):
    """The page is the same whatever others' private lines say."""
    whole = read_match(path.read_text("utf-8"))
    open_table = replace(whole.setup, trusted=(False,) * len(whole.setup.players))
    rng = random.Random(7)
    for viewer in (None, *range(len(whole.setup.players))):
        one, other = Referee(whole.game, open_table), Referee(whole.game, open_table)
        lines = [line.event for line in whole.events if line.event is not None]
        for event in lines[: len(lines) * 2 // 3]:
            changed = event
            if not knows(whole.game, one.state, event, viewer) and event.verb not in {
                "reveal",
                "correct",
            }:
                changed = scramble(whole.game, other.state, event, rng)
            pair = one.submit(event), other.submit(changed)
            if pair[0].applied != pair[1].applied or one.state.table.match_over:
                one.undo()
                break
        else:
            assert page(one.match_text(), viewer) == page(other.match_text(), viewer)


def test_before_the_end_there_is_no_page_of_everything():
    match = read_match(RUNNING)
    with pytest.raises(IllegalError, match="not over: before its end"):
        page(match)
    public = text_of(page(match, None))
    assert "UDUDSSU" not in public
    assert "DDD" not in public
    assert "KH" not in public
    assert "Ann has written a prediction." in public
    assert "Ann places Q♠." in public
    own = text_of(page(match, 0))
    assert "UDUDSSU" in own
    assert "DDD" not in own
    assert "KH" in own


def test_texts_are_escaped():
    text = """\
game: missing-persons
players: <i>, Bo&
option questions: cryptic
---
<i>: hide ??
Bo&: hide ??
table: deal <i> KS AD 6C 9C JD KD 3S 4S 10C 8S
table: deal Bo& 2S 10S 6H 4H 10D 5S 8D QH 2C 2D
<i>: ask cryptic "<script>alert(1)</script> & co?"
"""
    match = read_match(text)
    html = page(match, 0)
    assert "<script" not in html
    assert "<i>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co?" in html
    assert "<script>alert(1)</script> & co?" in text_of(html)


def test_the_stretch_is_marked_in_the_row():
    match = read_match((GOLDEN / "precognition" / "printed-example.txt").read_text("utf-8"))
    html = page(match)
    row = html[html.index("<section class=row>") :].split("<p class=stretch>")
    spans = re.findall(r'<svg class="card standard( lit)?".*?<i>(.?)</i>', row[0])
    assert [n for n, (lit, _) in enumerate(spans, 1) if lit] == list(range(4, 12))
    assert "".join(letter for _, letter in spans[4:11]) == "▲▲▼▼▲=▲"
    assert row[1].startswith("Ann: UUDDUSU, cards 4 to 11, length 7</p>")
    assert row[1].count("<svg") == 8


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    running, out = tmp_path / "running.txt", tmp_path / "out.html"
    running.write_text(RUNNING, "utf-8")
    assert main(["export", str(running), str(out)]) == 0
    assert "page shows what everybody may know" in capsys.readouterr().err
    assert "UDUDSSU" not in out.read_text("utf-8")
    assert main(["export", str(running), str(out), "--as", "Ann"]) == 0
    assert "UDUDSSU" in out.read_text("utf-8")
    out.unlink()
    assert main(["export", str(running), str(out), "--everything"]) == 2
    assert "The match is not over" in capsys.readouterr().err
    assert not out.exists()
    assert main(["export", str(MATCHES[0]), str(tmp_path / "no" / "where.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main(["export", str(running), str(out), "--as", "Zoe"]) == 2
    assert main(["export", "missing.txt", str(out)]) == 2


def test_a_match_without_events_has_a_page():
    match = read_match(RUNNING.partition("---\n")[0] + "---\n")
    assert isinstance(match, MatchText)
    assert "Deal 26 cards" not in text_of(page(match, None))
    assert "Precognition" in text_of(page(match, None))


@pytest.mark.browser
@needs_browser()
def test_a_phone_needs_no_sideways_scrolling_and_asks_nobody(tmp_path):
    with browser() as running:
        for path in (next(GOLDEN.glob(f"{game.name}/*.txt")) for game in all_games()):
            kept = tmp_path / f"{path.parent.name}.html"
            kept.write_text(page(read_match(path.read_text("utf-8")), None), "utf-8")
            for width in (320, 390):
                screen = running.new_page(viewport={"width": width, "height": 844})
                asked = []
                screen.on("request", lambda request, asked=asked: asked.append(request.url))
                screen.goto(kept.as_uri())
                assert screen.evaluate("document.documentElement.scrollWidth") <= width
                assert screen.evaluate("document.fonts.check('16px Companion Sans')")
                assert {url.partition(":")[0] for url in asked} <= {"file", "data"}
                assert len([url for url in asked if url.startswith("file")]) == 1
                screen.close()
