"""Sentences that remember their templates are plain text to everything else."""

import copy
import json
import pickle

from companion.errors import IllegalError
from companion.phrases import Phrase, about, phrase


def test_a_phrase_is_its_english_words():
    text = phrase("{name} has {count} {{cards}}: {share:.2f}", name="Ann", count=3, share=0.5)
    assert text == "Ann has 3 {cards}: 0.50"
    assert hash(text) == hash("Ann has 3 {cards}: 0.50")
    assert json.dumps([text]) == '["Ann has 3 {cards}: 0.50"]'
    assert f"{text}!" == "Ann has 3 {cards}: 0.50!"


def test_it_knows_its_template_and_what_stands_in_it():
    inner = phrase("the {rank} of {suit}", rank="Ace", suit="Suns")
    text = phrase("{name} shows {card}.", name="Ann", card=inner)
    for kept in (text, pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert isinstance(kept, Phrase)
        assert kept == "Ann shows the Ace of Suns."
        assert kept.template == "{name} shows {card}."
        assert kept.fields["card"].fields == {"rank": "Ace", "suit": "Suns"}


def test_errors_keep_it():
    error = IllegalError(phrase("{name} has no card.", name="Ann"))
    assert pickle.loads(pickle.dumps(error)).message.template == "{name} has no card."
    assert str(error) == "Ann has no card."


def test_an_estimate_is_never_certain_and_says_about_once():
    chances = (0, 0.001, 0.07, 0.994, 0.999, 1)
    assert list(map(about, chances)) == [
        "less than 1 %", "less than 1 %", "about 7 %", "about 99 %", "more than 99 %",
        "more than 99 %",
    ]  # fmt: skip
