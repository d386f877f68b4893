"""The annotators who grade: how far they agree, and who is stricter."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from concord.reports import terminal
from concord.reports.document import as_json
from concord.reports.panel.criterion_comparison import EACH, ONE_PERSON, ground
from concord.reports.reliability import annotator_alerts, annotators
from concord.reports.reliability.annotator_alerts import letters
from concord.reports.reliability.annotators import (
    contested_items,
    figures_of_pairs,
    scores_with_reasons,
    strictness_of,
)
from concord.store import graders, items
from concord.store import sheets as stored_sheets
from concord.store.database import open_store
from tests.support.panels import give, panel
from tests.support.screens import opened


def on(store, rubric):
    return ground(panel(store, rubric[1]), "correctness", EACH)


def whole(store, rubric):
    return annotators.report(store, panel(store, rubric[1]))


def printed(report, rubric, graders=False):
    return "\n\n".join(map(terminal.text, annotators.documents(report, rubric, (), graders)))


def correctness(found):
    return next(one for one in found.criteria if one.criterion == "correctness")


def test_five_annotators_on_five_answers_have_no_chance_corrected_figure(store, sheet, rubric):
    every = dict.fromkeys(range(5), 3)
    for name, left_out, apart in (
        *(("Ana", (), {}), ("Ben", (), {}), ("Cem", (2, 3), {})),
        *(("Dov", (), {4: 1}), ("Eve", (1,), {})),
    ):
        scores = {place: score for place, score in every.items() if place not in left_out}
        give(store, rubric[1], name, scores | apart)
    found = correctness(whole(store, rubric)).overall
    assert (found.n, found.exact.value, found.exact.low) == (5, pytest.approx(0.92), None)
    assert found.qwk.value is None and found.qwk.why_none.code == "too_few_pairs"
    assert found.alpha.value is None


def test_each_two_annotators_and_each_against_the_others_by_hand(store, sheet, rubric):
    give(store, rubric[1], "Zoe", {0: 3, 1: 2, 2: 1})
    give(store, rubric[1], "Ana", {0: 2, 1: 2, 3: 0})
    give(store, rubric[1], "Ben", {0: 0, 1: 2})
    found = on(store, rubric)
    rows = {(row.one, row.other): row.agreement for row in figures_of_pairs(found)}
    assert list(rows) == [("Ana", "Ben"), ("Ana", "Zoe"), ("Ben", "Zoe")]
    assert (rows["Ana", "Zoe"].n, rows["Ana", "Zoe"]["exact"].value) == (2, 0.5)
    assert rows["Ana", "Zoe"]["bias"].value == pytest.approx((2 - 3 + 0) / 2)
    strict = {row.annotator: row.agreement["bias"].value for row in strictness_of(found)}
    assert list(strict) == ["Ana", "Ben", "Zoe"]
    # Zoe: 3 beside 2 and 0 is 2 points above on average, 2 beside 2 and 2 is 0.
    assert strict["Zoe"] == pytest.approx((2 + 0) / 2)
    assert strict["Ana"] == pytest.approx((0.5 + 0) / 2)
    assert strict["Ben"] == pytest.approx((-2.5 + 0) / 2)


def test_two_annotators_who_share_no_answer_are_counted_and_not_listed(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: 2})
    give(store, rubric[1], "Ben", {0: 2})
    give(store, rubric[1], "Cy", {1: 2})
    said_of_all = printed(whole(store, rubric), rubric[1])
    assert "Not listed, since they share no answer: 1 pair of annotators." in said_of_all
    assert "Ana, Ben" in said_of_all and "Ben, Cy" not in said_of_all
    nothing = figures_of_pairs(on(store, rubric))[-1].agreement
    assert nothing.n == 0 and nothing["exact"].value is None and nothing["exact"].why_none


def test_the_answers_that_split_annotators_come_widest_first_without_names(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: 2, 2: 1, 3: 0, 4: 1})
    give(store, rubric[1], "Ben", {0: 0, 1: 2, 2: 0, 3: 2, 5: 1})
    give(store, rubric[1], "Cy", {3: 2})
    found = contested_items(store, on(store, rubric))
    assert (found.n, found.differ) == (4, 3)
    assert [row.scores for row in found.items] == [(0, 3), (0, 2, 2), (0, 1)]
    assert found.items[0].item == "000-atlas" and found.items[0].points_apart == 3
    assert "Ana" not in json.dumps(as_json(found))
    assert len(contested_items(store, on(store, rubric), 1).items) == 1
    alone = annotators.contested(replace(found, n=1, differ=1))
    assert alone.headline == "Annotators differ on 1 of 1 answer"


def test_an_answer_that_splits_annotators_is_read_with_their_reasons_and_without_names(
    store, sheet, rubric
):
    give(store, rubric[1], "Ana", {0: 3}, reason="Complete.")
    give(store, rubric[1], "Ben", {0: 0}, reason="Off topic.")
    give(store, rubric[1], "Ben", {0: 1}, repeat=2, reason="Later.")
    give(store, rubric[1], "gpt", {0: 2}, kind="judge", reason="A judge's.")
    (item,) = contested_items(store, on(store, rubric)).items
    found = scores_with_reasons(store, panel(store, rubric[1]), "correctness", item.item_id)
    assert found == [(0, "Off topic."), (3, "Complete.")]


def test_brackets_are_explained_only_where_there_are_some(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: 2})
    give(store, rubric[1], "Ben", {0: 3, 1: 1})
    assert "in brackets" not in printed(whole(store, rubric), rubric[1])
    give(store, rubric[1], "Ana", {place: place % 4 for place in range(2, 36)})
    give(store, rubric[1], "Ben", {place: place % 3 for place in range(2, 36)})
    assert "95% CIs are in brackets." in printed(whole(store, rubric), rubric[1])


def test_one_selected_annotator_is_named_as_the_reason_and_not_the_grading(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: 2})
    give(store, rubric[1], "Ben", {0: 3, 1: 1})
    report = annotators.report(store, panel(store, rubric[1]).choosing(["Ana"]))
    found = correctness(report)
    headline = annotators.overall(found, rubric[1], 0).headline
    assert headline.startswith("Only one annotator is included")
    assert annotators.too_few(found)[0] == "Only one annotator is included"


def test_nobody_to_compare_with_says_so_everywhere(store, sheet, rubric, grade_at):
    grade_at("Ana", {0: 3, 1: 2}, "2026-11-01T09")
    report = whole(store, rubric)
    found = correctness(report)
    assert found.overall.exact.why_none == ONE_PERSON
    assert annotators.overall(found, rubric[1], 0).headline == annotators.ONE
    json.dumps(as_json(report), allow_nan=False)


def test_a_changed_grade_has_its_newest_time_and_all_its_seconds(store, sheet, rubric, grade_at):
    grade_at("Ana", {0: 3}, "2026-11-01T09", seconds=4)
    grade_at("Ana", {0: 2}, "2026-11-02T09", seconds=3)
    grade_at("Ana", {0: 2}, "2026-11-02T09", seconds=1, criterion="readability")
    ana = graders.find(store, "person", "Ana").id
    known = annotator_alerts.read(store, panel(store, rubric[1]))
    assert datetime.fromtimestamp(known.of("correctness", ana)[0], UTC).day == 2
    assert known.took(ana)[0] == 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Ten letters", 11), ("a  b\n\nc", 5), ("数", 30 / 8.5), ("かな", 4), ("서울", 4), ("", 0)],
)
def test_letters_are_weighed_by_how_long_they_take_to_read(text, expected):
    assert letters(text) == pytest.approx(expected)


def test_the_screen_says_the_finding_and_shows_the_answer_of_the_link(sample_db, monkeypatch):
    with open_store(sample_db) as store:
        sample = stored_sheets.all_sheets(store)[0]
        named = items.item_names(store, sample.id)
    item_id = next(i for i, (own, _, _) in named.items() if own == "q13-cobalt")
    app = opened(monkeypatch, sample_db, "pages/annotators.py", item=str(item_id))
    assert app.header[0].value.startswith(
        "Two annotators give the same score for correctness on 80%"
    )
    words = [element.value.replace("\\", "") for element in app.markdown]
    scores = [word for word in words if word.startswith("**")][-3:]
    assert [word[:6] for word in scores] == ["**0** ", "**2** ", "**3** "]
    assert scores[0] == "**0** Simulated grade, not given by an annotator."


def test_the_verb_prints_each_finding_and_cards_for_who_asks(sampled):
    said = sampled("annotators", "--criterion", "correctness", "--most", "2").stdout
    assert "Two annotators give the same score for correctness on 80%" in said
    assert "q13-cobalt  q13       cobalt       0 2 3" in said and "q43-cobalt" not in said
    whole = sampled("annotators", "--graders").stdout
    assert whole.count("Agreement with the other annotators, exact") == 3 and said not in whole
    found = json.loads(sampled("annotators", "--json", "--criterion", "readability").stdout)
    assert [one["criterion"] for one in found["criteria"]] == ["readability"]
    assert [len(one["alerts"]) for one in found["cards"]] == [0, 0, 0]
    assert "no criterion x" in sampled("annotators", "--criterion", "x", code=2).stderr


def test_a_sheet_that_nobody_graded_says_so(store, sheet, rubric):
    report = whole(store, rubric)
    assert report.annotators == ()
    text = printed(report, rubric[1], graders=True)
    assert annotators.ONE in text and annotators.WHAT_TO_DO in text
    json.dumps(as_json(report), allow_nan=False)


def test_two_annotators_of_different_answers_are_told_to_grade_the_same_ones(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 3: 1})
    give(store, rubric[1], "Ben", {1: 3, 4: 1})
    text = printed(whole(store, rubric), rubric[1])
    assert "Let two annotators grade some of the same answers: send both the link to" in text


def test_grades_that_were_not_blind_are_counted_and_said_to_be_excluded(
    monkeypatch, store, db, sheet, rubric
):
    for name in ("Ana", "Bo"):
        give(store, rubric[1], name, {0: 2, 1: 3}, blind=False)
    report = whole(store, rubric)
    assert report.criteria[0].not_blind == 4
    text = printed(report, rubric[1])
    assert "No answer was graded blind by two annotators" in text
    assert "4 grades were not blind, and excluded" in text
    app = opened(monkeypatch, db, "pages/annotators.py")
    shown = " ".join(one.value for one in (*app.header, *app.subheader, *app.markdown))
    assert "4 grades were not blind, and excluded" in shown
    assert "One annotator has graded" not in shown
