"""A message survives storage and can then still be translated."""

import copy
import json
import pickle
from decimal import Decimal

import numpy as np
import pytest

from concord.commands.frame import with_codes
from concord.language.languages import shown
from concord.messages import Problem, capital, counted, joined, message_of, restored, said, stored
from concord.reports.document import as_json
from concord.stats.core.estimate import reason, undefined


@pytest.mark.parametrize(
    "text",
    [
        said("The budget of {usd:.2f} is spent.", usd=2.5),
        joined(" ", [said("It stopped."), said("{n} more", n=counted(3, "answer"))]),
        counted(1, "answer"),
        said("{usd:.2f} of {n:,}", usd=Decimal("2.5"), n=np.int64(1200)),
        said("Error: {why}", why="“x” {y}"),
        said("{nothing} and {much}", nothing=None, much=10**30),
    ],
)
def test_a_message_with_values_is_stored_with_them(text):
    again = restored(stored(text))
    assert again == text and stored(again) == stored(text)
    assert json.loads(stored(text))["english"] == text
    assert (again.template, again.between, again.plural) == (
        (text.template, text.between, text.plural)
    )


@pytest.mark.parametrize("text", [said("Interrupted."), said("{braces}"), "a name", "", "{x}"])
def test_a_text_without_values_is_stored_as_it_is(text):
    assert stored(text) == text and type(stored(text)) is str and restored(text) == text


def test_a_stored_message_is_translated_with_its_parts(translate):
    translate("ja", {"It ended: {why}": "終了: {why}", "no {what} left": "{what}なし"})
    text = said("It ended: {why}", why=said("no {what} left", what="time"))
    assert shown(restored(stored(text)), "ja") == "終了: timeなし"


def test_an_error_keeps_its_template_and_values(translate):
    translate("ja", {"{file} is empty: {why}": "{file}は空: {why}", "no row": "行なし"})
    error = Problem("{file} is empty: {why}", file="a", why=said("no row"))
    assert shown(str(pickle.loads(pickle.dumps(error))), "ja") == "aは空: 行なし"
    assert str(Problem("{braces} are data")) == "{braces} are data"
    assert Problem(text := said("no row")).args[0] is text


def test_numbers_stay_numbers_in_storage(translate):
    translate("ko", {"{usd:.2f} of {n:,}": "{n:,}/{usd:.2f}"})
    text = said("{usd:.2f} of {n:,}", usd=Decimal("2.5"), n=np.int64(1200))
    assert shown(restored(stored(text)), "ko") == "1,200/2.50"


def test_what_was_stored_as_english_alone_stays_english(translate):
    translate("ja", {"It ended: {why}": "終了: {why}", "Interrupted.": "中断"})
    assert shown(restored("It ended: no time left"), "ja") == "It ended: no time left"
    assert shown(restored("Interrupted."), "ja") == "中断"


def test_a_reason_is_a_message_with_a_code_that_stays_with_what_is_made_of_it(translate):
    why = reason("too_few_answers_for_auc", n=20)
    assert message_of(why) == "under 20 answers there is no AUC"
    translate(
        "ja", {"under {n} {units} there is no AUC": "{n}件未満", "{who}: {why}": "{who}、{why}"}
    )
    text = said("{who}: {why}", who="Ada", why=pickle.loads(pickle.dumps(why)))
    assert shown(text, "ja") == "Ada、20件未満" and text.code == why.code
    assert shown(copy.deepcopy(why), "ja") == "20件未満" and shown(capital(why), "ja") == "20件未満"
    assert restored(stored(why)) == message_of(why) and said("nothing").code is None


def test_json_names_the_code_of_every_reason():
    found = {"rows": [undefined(reason("no_value"))._asdict()], "why_none": None}
    assert with_codes(as_json(found)) == {
        "rows": [
            {"value": None, "low": None, "high": None, "method": ""}
            | {"why_none": "there are no values to resample", "why_code": "no_value"}
        ],
        "why_none": None,
        "why_code": None,
    }


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("answer",), "0 answers"),
        (1, ("answer",), "1 answer"),
        (1204, ("answer",), "1,204 answers"),
        (1, ("reply", "replies"), "1 reply"),
        (2, ("reply", "replies"), "2 replies"),
    ],
)
def test_a_count_takes_its_noun_along(count, words, said):
    assert counted(count, *words) == said
