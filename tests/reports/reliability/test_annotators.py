"""The annotators who grade: how far they agree, who is stricter, what a second one is worth."""

import json
from dataclasses import replace

import numpy as np
import pytest

from concord.messages import Problem, message_of
from concord.reports import terminal
from concord.reports.document import as_json
from concord.reports.panel import grading_times
from concord.reports.panel.criterion_comparison import ONE_PERSON, ground
from concord.reports.panel.grading_times import NO_TIME
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability import annotators, document
from concord.reports.reliability.annotator_overlap import TOO_FEW as TOO_FEW_ANSWERS
from concord.reports.reliability.annotator_overlap import over_time, pairs, strictness
from concord.reports.reliability.contested_items import contested_items, scores_with_reasons
from concord.reports.reliability.panel_reliability import (
    MORE_ANNOTATORS,
    MORE_ANSWERS,
    second_annotator,
)
from concord.reports.reliability.speeding import FLOOR, OWN, flags, letters
from concord.store import graders, items
from concord.store import sheets as stored_sheets
from concord.store.database import open_store
from concord.store.permissions import Who
from concord.ui.screens.annotate.annotators import may_see
from tests.support.panels import give, panel
from tests.support.screens import opened

UTC = grading_times.zone(None)
MORE = "Grade more answers rather than adding a second annotator"


def on(store, rubric):
    return ground(panel(store, rubric[1]), "correctness", EACH)


def whole(store, rubric):
    return annotators.report(store, panel(store, rubric[1]), UTC)


def printed(report, rubric, graders=False):
    return "\n\n".join(map(terminal.text, document.documents(report, rubric, (), graders)))


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
    rows = {(row.one, row.other): row.agreement for row in pairs(found)}
    assert list(rows) == [("Ana", "Ben"), ("Ana", "Zoe"), ("Ben", "Zoe")]
    assert (rows["Ana", "Zoe"].n, rows["Ana", "Zoe"]["exact"].value) == (2, 0.5)
    assert rows["Ana", "Zoe"]["bias"].value == pytest.approx((2 - 3 + 0) / 2)
    strict = {row.annotator: row.agreement["bias"].value for row in strictness(found)}
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
    nothing = pairs(on(store, rubric))[-1].agreement
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
    alone = document.contested(replace(found, n=1, differ=1))
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


def test_an_answer_counts_in_the_period_in_which_its_last_person_graded_it(
    store, sheet, rubric, grade_at
):
    grade_at("Ana", dict.fromkeys(range(6), 2), "2026-11-01T09")
    grade_at("Ben", {0: 2, 1: 2}, "2026-11-01T10")
    grade_at("Ben", {2: 1, 3: 1}, "2026-11-02T10")
    grade_at("Ben", {4: 2, 5: 0}, "2026-11-03T23")
    found = over_time(on(store, rubric), grading_times.read(store, panel(store, rubric[1])), UTC)
    assert [row.overall.exact.value for row in found.thirds] == [1, 0, 0.5]
    assert [row.period for row in found.days] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    assert [row.overall.n for row in found.days] == [2, 2, 2]
    tokyo = grading_times.zone("Asia/Tokyo")
    found = over_time(on(store, rubric), grading_times.read(store, panel(store, rubric[1])), tokyo)
    assert found.days[-1].period == "2026-11-04"


def test_grades_from_a_file_have_no_time_and_are_counted_as_left_out(store, sheet, rubric):
    give(store, rubric[1], "Ana", dict.fromkeys(range(6), 2))
    give(store, rubric[1], "Ben", dict.fromkeys(range(5), 1))
    known = grading_times.read(store, panel(store, rubric[1]))
    found = over_time(on(store, rubric), known, UTC)
    assert (found.thirds, found.left_out, found.why_none) == ((), 5, NO_TIME)
    (row,) = [r for r in whole(store, rubric).quality.rows if r.annotator == "Ana"]
    assert row.first is None and NO_TIME in row.bias_change.why_none


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
    report = annotators.report(store, panel(store, rubric[1]).choosing(["Ana"]), UTC)
    found = correctness(report)
    headline = document.overall(found, rubric[1], 0).headline
    assert headline.startswith("Only one annotator is included")
    assert document.too_few(found)[0] == "Only one annotator is included"


def test_nobody_to_compare_with_says_so_everywhere(store, sheet, rubric, grade_at):
    grade_at("Ana", {0: 3, 1: 2}, "2026-11-01T09")
    report = whole(store, rubric)
    found = correctness(report)
    assert found.overall.exact.why_none == ONE_PERSON
    assert found.over_time.why_none == TOO_FEW_ANSWERS
    assert found.second_annotator.sentence.endswith(
        f"annotator is unknown: {message_of(ONE_PERSON)}"
    )
    assert document.overall(found, rubric[1], 0).headline == document.ONE
    json.dumps(as_json(report), allow_nan=False)


def test_more_answers_are_worth_more_at_equal_hours_also_where_annotators_differ(
    store, sheet, rubric
):
    """Ben is a point stricter, and takes part either way."""
    ana = {place: 1 + place % 3 for place in range(36)}
    give(store, rubric[1], "Ana", ana)
    give(store, rubric[1], "Ben", {place: score - 1 for place, score in ana.items()})
    found = second_annotator(on(store, rubric))
    assert (found.better, found.grades, found.annotators) == (MORE_ANSWERS, 72, 2)
    once, twice = found.plans
    assert (once.answers, once.annotators_per_answer) == (72, 1)
    assert (twice.answers, twice.annotators_per_answer) == (36, 2)
    parts = {name: one.value or 0.0 for name, one in found.components.items()}
    material = 3 * max(0, parts["question"]) + parts["answer"]
    squares = [plan.standard_error**2 for plan in (once, twice)]
    assert squares[1] - squares[0] == pytest.approx(material / 72)
    assert found.sentence == MORE
    designs, components = document.second_annotator(found).tables
    assert [row[1:3] for row in designs.rows] == [(72, 1), (36, 2)]
    assert [row[1] for row in components.rows] == list(found.components.values())


def test_nothing_is_advised_where_all_scores_are_alike(store, sheet, rubric):
    for name in ("Ana", "Ben"):
        give(store, rubric[1], name, dict.fromkeys(range(36), 3))
    found = second_annotator(on(store, rubric))
    assert (found.better, found.plans) == (None, ())
    assert "all scores are equal" in message_of(found.why_none) and "is unknown" in found.sentence


def test_a_second_annotator_is_advised_where_answers_do_not_differ(store, sheet, rubric):
    """Scores differ by chance alone."""
    random = np.random.default_rng(3)
    for name in ("Ana", "Ben", "Cyd"):
        give(store, rubric[1], name, dict(enumerate(map(int, random.integers(1, 3, 36)))))
    found = second_annotator(on(store, rubric))
    assert found.better == MORE_ANNOTATORS
    assert [plan.answers for plan in found.plans] == [108, 54, 36]
    assert found.sentence == "Add a second annotator rather than grading more answers"
    assert "less than 1%" in document.second_annotator(found).notes[0]


def test_a_person_who_grows_stricter_shows_in_the_last_third_and_on_repeats(
    store, sheet, rubric, grade_at
):
    grade_at("Ben", dict.fromkeys(range(36), 2), "2026-11-01T08")
    for hour, places, score in (("09", range(12), 2), ("13", range(12, 24), 2)):
        grade_at("Ana", dict.fromkeys(places, score), f"2026-11-02T{hour}")
    grade_at("Ana", dict.fromkeys(range(24, 36), 1), "2026-11-03T20")
    grade_at("Ana", {0: 2, 1: 2}, "2026-11-02T09", repeat=2)
    grade_at("Ana", {2: 1, 3: 2}, "2026-11-03T20", repeat=2)
    (row,) = [r for r in whole(store, rubric).quality.rows if r.annotator == "Ana"]
    assert (row.first.agreement["bias"].value, row.last.agreement["bias"].value) == (0, -1)
    assert (row.first.agreement.n, row.last.agreement.n, row.last.since) == (12, 12, "2026-11-03")
    assert (row.bias_change.value, row.exact_change.value) == (-1, -1)
    hours = {part.hours: part.agreement["bias"].value for part in row.by_hour}
    assert hours == {"6-12 h": 0, "12-18 h": 0, "18-24 h": -1}
    again = row.repeats
    assert (again.whole.n, again.whole.exact.value) == (4, 0.75)
    assert (again.first.exact.value, again.last.exact.value) == (1, 0.5)


def test_a_changed_grade_has_its_newest_time_and_all_its_seconds(store, sheet, rubric, grade_at):
    grade_at("Ana", {0: 3}, "2026-11-01T09", seconds=4)
    grade_at("Ana", {0: 2}, "2026-11-02T09", seconds=3)
    grade_at("Ana", {0: 2}, "2026-11-02T09", seconds=1, criterion="readability")
    ana = graders.find(store, "person", "Ana").id
    known = grading_times.read(store, panel(store, rubric[1]))
    assert grading_times.local(known.of("correctness", ana)[0], UTC).day == 2
    assert known.took(ana)[0] == 8


def test_what_came_faster_than_it_can_be_read_is_listed_and_stays(store, sheet, rubric, grade_at):
    grade_at("Ana", dict.fromkeys(range(2, 14), 2), "2026-11-01T09", seconds=20)
    grade_at("Ana", {0: 3}, "2026-11-01T09", seconds=0.5)
    grade_at("Ana", {1: 3}, "2026-11-01T09", seconds=2)
    give(store, rubric[1], "Ben", {0: 3})
    found = whole(store, rubric)
    assert [(one.item, one.why) for one in found.quality.flagged] == [
        ("000-atlas", FLOOR),
        ("000-birch", OWN),
    ]
    ana, ben = found.quality.pace
    assert (ana.n, ana.flagged, ana.seconds) == (14, 2, 20)
    assert (ben.n, ben.untimed, ben.seconds) == (0, 1, None)
    assert correctness(found).overall.n == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Ten letters", 11), ("a  b\n\nc", 5), ("数", 30 / 8.5), ("かな", 4), ("서울", 4), ("", 0)],
)
def test_letters_are_weighed_by_how_long_they_take_to_read(text, expected):
    assert letters(text) == pytest.approx(expected)


def test_the_own_median_counts_from_ten_timed_answers_on_and_no_time_is_no_flag():
    slow = [40.0] * 9 + [5.0]
    assert flags([100] * 10, slow) == [""] * 9 + [OWN]
    assert flags([100] * 9, slow[1:]) == [""] * 9
    assert flags([100, 100], [0.0, float("nan")]) == [FLOOR, ""]


@pytest.mark.parametrize(("role", "may"), [(None, True), ("lead", True), ("viewer", False)])
def test_how_each_person_graded_is_for_whoever_leads(role, may):
    assert may_see(role and Who("Lea", role)) is may


def test_an_unknown_time_zone_is_named():
    with pytest.raises(Problem, match="Unknown time zone “Mars”"):
        grading_times.zone("Mars")


def test_the_screen_says_the_finding_and_shows_the_answer_of_the_link(sample_db, monkeypatch):
    with open_store(sample_db) as store:
        sample = stored_sheets.all_sheets(store)[0]
        named = items.item_names(store, sample.id)
    item_id = next(i for i, (own, _, _) in named.items() if own == "q13-cobalt")
    app = opened(monkeypatch, sample_db, "pages/annotators.py", item=str(item_id))
    assert app.header[0].value.startswith(
        "Two annotators give the same score for correctness on 80%"
    )
    assert MORE in [element.value for element in app.subheader]
    words = [element.value.replace("\\", "") for element in app.markdown]
    scores = [word for word in words if word.startswith("**")][-3:]
    assert [word[:6] for word in scores] == ["**0** ", "**2** ", "**3** "]
    assert scores[0] == "**0** Simulated grade, not given by an annotator."


def test_the_verb_prints_each_finding_and_keeps_persons_quality_for_who_asks(sampled):
    said = sampled("annotators", "--criterion", "correctness", "--most", "2").stdout
    assert "Two annotators give the same score for correctness on 80%" in said
    assert "q13-cobalt  q13       cobalt       0 2 3" in said and "q43-cobalt" not in said
    assert document.NOT_SHOWN in said and "Speed" not in said
    assert f"{MORE}\ndesign" in said
    assert "Speed of grading, medians" in sampled("annotators", "--graders").stdout
    found = json.loads(sampled("annotators", "--json", "--criterion", "readability").stdout)
    assert [one["criterion"] for one in found["criteria"]] == ["readability"]
    assert found["quality"]["pace"][0]["annotator"] == "author"
    assert {row["criterion"] for row in found["quality"]["rows"]} == {"readability"}
    assert "no criterion x" in sampled("annotators", "--criterion", "x", code=2).stderr


def test_a_sheet_that_nobody_graded_says_so(store, sheet, rubric):
    report = whole(store, rubric)
    assert report.annotators == () and report.quality.pace == ()
    text = printed(report, rubric[1], graders=True)
    assert text.startswith(document.ONE) and document.WHAT_TO_DO in text
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
    assert text.startswith("No answer was graded blind by two annotators")
    assert "4 grades were not blind, and excluded" in text
    app = opened(monkeypatch, db, "pages/annotators.py")
    shown = " ".join(one.value for one in (*app.header, *app.subheader, *app.markdown))
    assert "4 grades were not blind, and excluded" in shown
    assert "One annotator has graded" not in shown
