"""Refutations: what judges call contradicted, confirmed or overturned by annotators one by one."""

import json
from functools import partial

import numpy as np
import pytest

from concord.messages import Problem
from concord.metrics.prompts import verdicts
from concord.model import Cell, Context
from concord.reports.panel import panel_reading
from concord.reports.units import contradicted_claims as units_contradicted_claims
from concord.rubrics.model import Rubric
from concord.sampling import split_assignment
from concord.stats.agreement.failure_recall import refutation_precision
from concord.store import additions, graders, grades
from concord.store.grade_table import adjudicated
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import contradicted_claims, units
from tests.support.made_items import made_item
from tests.support.screens import opened

RUBRIC = verdicts.rubric("claims-in-contexts")
VERSION = RUBRIC.version(RUBRIC.criteria[0])
TEXT = "Seoul is the capital.  About 9.4 million annotators live there."


@pytest.fixture
def judge(store):
    return graders.ensure(store, "metric", "rag-metrics", "f" * 16)


@pytest.fixture
def thirty_seven(store, judge):
    """A sheet of 37 questions with two claims each; a judge refutes the first of each."""
    contexts = (Context("c1", "d1", "Busan lies in the south.", 1), Context("c2", "d1", TEXT, 2))
    made = [made_item(n, contexts=contexts) for n in range(37)]
    sheet = additions.add(store, "facts", made, "facts.csv", "7" * 64, {})
    rubric_versions.register(store, RUBRIC, "preset")
    for (item_id,) in store.rows("select id from items order by id"):
        cells = [Cell("Nobody lives in Seoul.", 0), Cell("Seoul is the capital.", 1)]
        first, second = units.keep(store, item_id, "claim", cells, judge).units
        press = Press(item_id, VERSION, judge, score=0, label="contradicted", unit_id=first.id)
        quote = "About 9.4 million annotators live there."
        supported = press._replace(score=3, label="supported", unit_id=second.id)
        grades.record(store, [press._replace(quote=quote, reason="There are."), supported])
    return sheet


def say(store, found, who, confirm, overturn):
    for place, one in enumerate(found.listed[: confirm + overturn]):
        word = "confirmed" if place < confirm else "overturned"
        contradicted_claims.settle(store, one.grade_id, word, who)


def test_five_of_thirty_seven_overturned_is_a_precision_of_865(store, thirty_seven, ana):
    found = units_contradicted_claims.read(store, thirty_seven, RUBRIC)
    none = units_contradicted_claims.precision(found.listed)
    assert units_contradicted_claims.headline(none) == (
        "None of 37 refutations has been reviewed yet."
    )
    say(store, found, ana, 32, 5)
    figures = units_contradicted_claims.precision(
        units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed
    )
    assert (figures.confirmed, figures.overturned, figures.open) == (32, 5, 0)
    assert units_contradicted_claims.headline(figures) == (
        "32 of 37 refutations confirmed: precision 0.865 [0.720, 0.941]."
    )


def test_a_claim_that_two_judges_refute_is_two_refutations_of_one_claim(
    run, store, thirty_seven, ana
):
    """A second judge refutes the first claim too, and Ana confirmed that for the first judge."""
    first = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0]
    say(store, units_contradicted_claims.read(store, thirty_seven, RUBRIC), ana, 1, 0)
    other = graders.ensure(store, "metric", "other-judge", "e" * 16)
    again = Press(first.item_id, VERSION, other, score=0, label="contradicted")
    grades.record(store, [again._replace(unit_id=first.unit_id)])
    found = units_contradicted_claims.read(store, thirty_seven, RUBRIC)
    figures = units_contradicted_claims.precision(found.listed)
    assert (figures.open, figures.units) == (37, 37)
    assert (
        units_contradicted_claims.headline(figures)
        == "1 of 1 refutation confirmed: precision 1.000."
    )
    often = (
        "All 38 refutations are of 37 claims; a claim counts once for each judge that refutes it."
    )
    assert units_contradicted_claims.counts_often(figures, RUBRIC) == often
    (alone,) = units_contradicted_claims.read(store, thirty_seven, RUBRIC, "other-judge").listed
    narrowed = units_contradicted_claims.read(store, thirty_seven, RUBRIC, "other-judge")
    assert [one.grade_id for one in units_contradicted_claims.elsewhere(narrowed, alone)] == [
        first.grade_id
    ]
    contradicted_claims.settle(store, alone.grade_id, "overturned", ana)
    both = units_contradicted_claims.precision(
        units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed
    )
    assert units_contradicted_claims.headline(both) == (
        "1 of 2 refutations confirmed: precision 0.500."
    )
    contradicted_claims.settle(store, alone.grade_id, "", ana)
    said = run("refuted", "--judge", "other-judge").stdout
    assert "(confirmed for rag-metrics)" in said and often not in said
    assert often in run("refuted").stdout


def test_several_refutations_of_a_question_are_worth_less():
    right = np.array([True] * 30 + [False] * 10)
    alone = refutation_precision(right, np.arange(40))
    together = refutation_precision(right, np.arange(40) // 2)
    assert alone.value == together.value == 0.75
    assert together.low < alone.low
    assert "effective n" in together.method
    few = refutation_precision(right[:9], np.arange(9))
    assert (few.value, few.low) == (1.0, None)
    assert "under 10 questions" in few.why_none
    assert refutation_precision(right[:0], np.arange(0)).value is None


def test_a_word_touches_no_grade_and_enters_no_reference(store, thirty_seven, ana):
    before = [tuple(row) for row in store.rows("select * from grades order by id")]
    say(store, units_contradicted_claims.read(store, thirty_seven, RUBRIC), ana, 2, 1)
    assert [tuple(row) for row in store.rows("select * from grades order by id")] == before
    names = {VERSION: "claim_in_contexts"}
    assert adjudicated(store, thirty_seven.id, names).empty
    panel = panel_reading.read(store, thirty_seven, RUBRIC)
    assert panel.annotators == {}


def test_the_newest_word_holds_and_a_word_can_be_taken_back(store, thirty_seven, ana):
    first = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0].grade_id
    assert contradicted_claims.settle(store, first, "confirmed", ana, "so it is")
    assert not contradicted_claims.settle(store, first, "confirmed", ana, "so it is")
    assert contradicted_claims.settle(store, first, "overturned", ana)
    one = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0]
    assert (one.word, one.note, one.who) == ("overturned", "", "Ana")
    contradicted_claims.settle(store, first, "", ana)
    assert units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0].word == ""
    assert store.value("select count(*) from adjudications") == 3


def test_what_is_no_refutation_cannot_be_settled(store, thirty_seven, ana, judge):
    one = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0]
    with pytest.raises(Problem, match="not a review of a refutation"):
        contradicted_claims.settle(store, one.grade_id, "perhaps", ana)
    with pytest.raises(Problem, match="Only an annotator"):
        contradicted_claims.settle(store, one.grade_id, "confirmed", judge)
    again = Press(one.item_id, VERSION, judge, score=3, label="supported", unit_id=one.unit_id)
    grades.record(store, [again])
    with pytest.raises(Problem, match="another verdict meanwhile"):
        contradicted_claims.settle(store, one.grade_id, "confirmed", ana)


def test_edited_units_and_closed_questions_are_not_in_the_list(store, thirty_seven, ana):
    first, second, *_ = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed
    old = units.current(store, [first.item_id], "claim")[first.item_id]
    units.edit(store, old, [(old.units[1].id, old.units[1].text)], ana)
    split_assignment.assign(store, [second.question_id], "held-out", "for the certificate")
    found = units_contradicted_claims.read(store, thirty_seven, RUBRIC)
    assert (len(found.listed), found.closed) == (35, 1)
    assert not {first.unit_id, second.unit_id} & {one.unit_id for one in found.listed}


def test_the_quote_is_marked_where_it_stands(store, thirty_seven):
    one = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0]
    passages = units_contradicted_claims.passages(store, one, RUBRIC)
    assert [passage.title for passage in passages] == ["Context 1", "Context 2"]
    assert passages[0].quoted == ""
    assert passages[1].before == "Seoul is the capital.  "
    assert passages[1].quoted == "About 9.4 million annotators live there."


@pytest.fixture
def app(store, monkeypatch):
    """The page, on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path, "pages/contradicted.py")


def test_the_screen_goes_through_them_with_two_buttons(app, store, thirty_seven, ana):
    test = app(grader="Ana")
    test.button(key="beside.show").click().run()
    listed = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed
    test.button(key=f"refuted.confirmed.{listed[0].grade_id}").click().run()
    test.button(key=f"refuted.overturned.{listed[1].grade_id}").click().run()
    assert not test.exception
    assert test.header[0].value == ("1 of 2 refutations confirmed: precision 0.500.")
    assert "35 refutations left to review" in test.caption[0].value
    assert [
        one.word for one in units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[:3]
    ] == [*("confirmed", "overturned", "")]
    seen = store.value("select count(*) from openings where grader_id = ?", (ana,))
    assert seen == 3


def test_a_link_opens_one_and_the_steps_lead_to_its_neighbours(app, store, thirty_seven):
    listed = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed
    ids = [str(one.grade_id) for one in listed]
    test = app(at=ids[2])
    test.button(key=f"refutations.next.{ids[2]}").click().run()
    assert test.query_params["at"] == ids[3]
    test.button(key=f"refutations.previous.{ids[3]}").click().run()
    assert test.query_params["at"] == ids[2]
    assert app().button(key=f"refutations.previous.{ids[0]}").disabled
    assert app(at=ids[-1]).button(key=f"refutations.next.{ids[-1]}").disabled


def test_the_judge_s_reason_is_named_as_its_own_words_and_is_no_evidence(app, store, thirty_seven):
    judge = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0].judge
    shown = " ".join(str(html.proto) for html in app().get("html"))
    assert f"<h3>Reason given by {judge}</h3>" in shown


def test_without_a_name_nothing_can_be_said(app, store, thirty_seven):
    test = app()
    first = units_contradicted_claims.read(store, thirty_seven, RUBRIC).listed[0].grade_id
    assert test.button(key=f"refuted.confirmed.{first}").disabled
    assert store.value("select count(*) from openings where grader_id is null") == 1


def test_the_verb_lists_confirms_and_overturns(run, store, thirty_seven):
    found = json.loads(run("refuted", "--json", "--limit", 2).stdout)
    assert (found["total"], found["open"], len(found["refutations"])) == (37, 37, 2)
    first, second = (one["id"] for one in found["refutations"])
    assert found["refutations"][0]["called"] == "000-atlas" in run("refuted").stdout
    run("refuted", "--confirm", first, code=2)
    run("refuted", "--confirm", first, "--overturn", first, "--by", "Zoë", code=2)
    run("refuted", "--confirm", 10**9, "--by", "Zoë", code=2)
    lines = run("refuted", "--confirm", first, "--overturn", second, "--by", "Zoë").stdout
    assert lines.startswith("1 of 2 refutations confirmed: precision 0.500.")
    after = json.loads(run("refuted", "--json", "--limit", 37).stdout)
    assert (after["confirmed"], after["overturned"], after["open"]) == (1, 1, 35)
    assert after["refutations"][-1]["who"] == "Zoë"
    run("refuted", "--take-back", first, "--by", "Zoë")
    assert json.loads(run("refuted", "--json").stdout)["confirmed"] == 0


def test_the_verb_says_what_to_do_where_no_judge_checked_claims(run, store, sheet):
    said = run("refuted", code=2)
    assert "Run a metric judge" in said.output


def test_the_verb_says_that_a_rubric_by_that_name_is_not_there(run, thirty_seven):
    said = run("refuted", "--rubric", "claims-in-context", code=2).output
    assert "No judge refutes anything here under a rubric “claims-in-context”." in said
    assert "Available: claims-in-contexts." in said


def test_verdicts_stay_readable_when_a_release_rewords_their_rubric(
    store, thirty_seven, monkeypatch
):
    body = RUBRIC.model_dump(mode="json")
    body["criteria"][0]["levels"][0]["meaning"] = "As of the next release."
    released = {RUBRIC.name: Rubric.model_validate(body)}
    monkeypatch.setattr(rubric_versions, "of_units", lambda: released)
    assert released[RUBRIC.name].versions() != RUBRIC.versions()
    assert rubric_versions.units_graded(store, thirty_seven.id) == [RUBRIC.name]
    [graded] = units_contradicted_claims.rubrics(store, thirty_seven)
    assert graded == RUBRIC
    assert len(units_contradicted_claims.read(store, thirty_seven, graded).listed) == 37
