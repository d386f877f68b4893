"""Terms: which looks keep the first, what is warned of before they are fixed, their history."""

import json
import time
from typing import NamedTuple

import pytest

from concord.messages import Problem
from concord.reports.cells import shown
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import summary
from concord.reports.decision import choose
from concord.reports.decision.choose import annotators_kept, offered
from concord.reports.decision.document import history
from concord.reports.decision.verdict import Terms
from concord.reports.panel.choice import judge_of
from concord.reports.panel.panel import read
from concord.store import additions, decisions, graders, items, sheets
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import QUESTIONS, TERMS, off

TIGHT = TERMS._replace(planned_questions=60)


class Look(NamedTuple):
    """A look at terms other than the first by these fields, and which of them it does not keep."""

    terms: dict = {}  # noqa: RUF012
    changed: tuple = ()
    only: tuple = ()


class Grade(NamedTuple):
    """An annotator grades; so many answers of the sheet, all of it without a number."""

    who: str
    answers: int = 2 * QUESTIONS
    accepted: bool = True


class Decide(NamedTuple):
    """An annotator is included or excluded, while an alert is open or not."""

    who: str
    state: str = "excluded"
    alert: bool = False


FIRST = (Grade("Ana"), Grade("Ben"), Grade("Cyd"), Look())
SEQUENCES = {
    "the same terms again": (*FIRST, Look()),
    "a narrower margin": (*FIRST, Look({"margin": 0.05})),
    "a wider margin": (*FIRST, Look({"margin": 0.4}, ("margin",))),
    "another figure": (*FIRST, Look({"figure": "within_one"}, ("figure",))),
    "a higher minimum": (*FIRST, Look({"minimum": 0.7})),
    "a lower minimum": (*FIRST, Look({"minimum": 0.5}, ("minimum",))),
    "no minimum": (*FIRST, Look({"minimum": None}, ("minimum",))),
    "no minimum recall": (*FIRST, Look({"failure_recall": None}, ("failure_recall",))),
    "another plan": (*FIRST, Look({"planned_questions": 50}, ("planned",))),
    "a larger maximum distance": (
        Grade("Ana"),
        Look({"figure": "mae", "margin": 0.2, "minimum": 0.5}),
        Look({"figure": "mae", "margin": 0.2, "minimum": 0.4}),
        Look({"figure": "mae", "margin": 0.2, "minimum": 0.9}, ("minimum",)),
    ),
    "one annotator named after the look": (*FIRST, Look(changed=("annotators",), only=("Ana",))),
    "all annotators named after the look": (*FIRST, Look(only=("Ana", "Ben", "Cyd"))),
    "named before any look, and then the same": (
        *FIRST[:-1],
        Look(only=("Ana", "Ben")),
        Look(only=("Ana", "Ben")),
        Look(changed=("annotators",)),
        Decide("Ben", alert=True),
        Look(only=("Ana",)),
    ),
    "excluded after the look, and included again": (
        *FIRST,
        Decide("Cyd"),
        Look(changed=("annotators",)),
        Decide("Cyd", "included"),
        Look(),
    ),
    "excluded for an open alert": (*FIRST, Decide("Cyd", alert=True), Look()),
    "excluded before the look, included after it": (
        *FIRST[:-1],
        Decide("Cyd"),
        Look(),
        Decide("Cyd", "included"),
        Look(changed=("annotators",)),
    ),
    "first grade after the look": (*FIRST, Grade("Dan"), Look()),
    "left out although the first grade is later": (
        *FIRST,
        Grade("Dan"),
        Decide("Dan"),
        Look(changed=("annotators",)),
    ),
    "pending at the look, included after it": (
        *FIRST[:-1],
        Grade("Zoe", 5, accepted=False),
        Look(),
        Decide("Zoe", "included"),
        Look(changed=("annotators",)),
    ),
    "pending after the look": (*FIRST, Grade("Zoe", 5, accepted=False), Look()),
    "an alert accepted changes nothing": (*FIRST, Decide("Cyd", "included", alert=True), Look()),
}


@pytest.mark.parametrize("steps", SEQUENCES.values(), ids=SEQUENCES)
def test_a_look_is_confirmatory_where_it_keeps_the_first_terms(
    store, scores, steps, give, chosen, two_judges
):
    (sheet,) = sheets.all_sheets(store)
    for step in steps:
        time.sleep(0.002)  # moments are in milliseconds
        if isinstance(step, Grade):
            graders.ensure(store, "person", step.who, accepted=step.accepted)
            give(step.who, {p: s for p, s in scores.items() if p < step.answers})
        elif isinstance(step, Decide):
            who = graders.find(store, "person", step.who).id
            graders.decide_annotator(store, sheet.id, who, step.state, "Lea", "so", step.alert)
        else:
            found = chosen(TIGHT._replace(**step.terms), annotators=step.only)
            assert (found.changed_terms, found.confirmatory) == (step.changed, not step.changed)


# People by number: 1 and 2 counted at the first look, 3 had graded by then, 4 and 5 came later.
GRADES = {1: "1", 2: "1", 3: "1", 4: "3", 5: "3"}
SETS = [
    ({1, 2, 4, 5}, set(), True),
    ({1, 2, 3, 4, 5}, set(), False),
    ({1, 2, 4}, set(), False),
    ({1, 2, 4}, {5}, True),
    ({1, 4, 5}, set(), False),
    ({1, 4, 5}, {2}, True),
]


@pytest.mark.parametrize(("counted", "for_alert", "kept"), SETS)
def test_who_came_later_joins_and_nobody_is_chosen(counted, for_alert, kept):
    rest = counted, GRADES, for_alert, {1, 2}, "2"
    assert annotators_kept(None, counted, *rest) is kept
    assert annotators_kept({1, 2}, {1, 2} - for_alert, *rest) is True
    assert annotators_kept({1, 2}, {1, 2, 4}, *rest) is False


@pytest.mark.parametrize(
    ("same", "changed"), [(2 * QUESTIONS, ("margin",)), (60, ("margin",)), (50, ())]
)
def test_the_first_terms_hold_for_a_sheet_half_of_which_is_the_same(
    store, doc_qa, scores, same, changed, give, judge, chosen, two_judges
):
    """Of 120 answers of the other sheet `same` are answers of the first one."""
    give("Ana", scores)
    first = chosen(TIGHT)
    numbers = [n + (0 if n < same / 2 else 1000) for n in range(QUESTIONS)]
    made = [made_item(n, model) for n in numbers for model in ("atlas", "birch")]
    additions.add(store, "copy", made, "copy.csv", "1" * 64, {})
    copy = sheets.find(store, "copy")
    for kind, name, given in (
        ("person", "Ana", scores),
        ("judge", "dear", off(scores, 10)),
        ("judge", "cheap", off(scores, 10, 5)),
    ):
        grader, version = graders.ensure(store, kind, name), doc_qa.versions()["correctness"]
        ids = items.item_ids(store, copy.id)
        record(store, [Press(ids[p], version, grader, score=s) for p, s in given.items()])
    here = read(store, copy, doc_qa)
    dear = judge_of(store, here, "dear")
    wide = choose.fix(store, here, dear, TIGHT._replace(margin=0.4))
    found = choose.look(store, here, wide)
    assert found.changed_terms == changed
    assert (found.first_terms["when"] == first.first_terms["when"]) is bool(changed)
    # The looks are shared, too: a second import buys no new ones.
    assert found.new_look is not bool(changed)


def test_a_certificate_begins_with_the_first_terms_and_certifies_no_others(
    store, scores, give, judge, panel, chosen
):
    for who, every in (("Ana", 9), ("Ben", 7)):
        give(who, off(scores, every))
    judge("dear", off(scores, 10))
    judge("cheap", off(scores, 4))
    first = chosen(TIGHT._replace(margin=0.02))
    assert first.verdict != "good_enough" and first.first_terms["verdict"] == first.verdict
    wide = chosen(TIGHT._replace(margin=0.5))
    assert (wide.verdict, wide.changed_terms) == ("good_enough", ("margin",))
    assert (wide.first_terms["verdict"], wide.first_terms["margin"]) == (first.verdict, 0.02)
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert not body.certified and body.decision.look.margin == 0.02
    keys = [*body.document]
    assert keys.index("first_terms") == 1 and [*body.first_terms] == ["correctness"]
    name, text = summary(body).rows[0]
    assert name == "First terms, correctness" and text.endswith("inconclusive")


def test_choose_in_json_has_the_first_terms_and_continues_them(
    scores, run, give, judge, two_judges
):
    give("Ana", scores)
    give("Ben", off(scores, 7))

    def look(*words):
        found = json.loads(run("choose", "--against", "dear", "--json", *words).stdout)
        return found, found["first_terms"]

    found, first = look("--margin", "0.2", "--minimum", "0.6", "--failure-recall", "0.4")
    assert set(first) == {
        *("figure", "margin", "minimum", "against", "annotators", "planned", "verdict", "when")
    }
    assert found["confirmatory"] and first["annotators"] == "all included"
    assert (first["margin"], first["verdict"]) == (0.2, found["verdict"])
    again, _ = look()  # what is not named is as it was fixed first
    assert again["decision"] == found["decision"]
    judge("late", off(scores, 10, 3))
    wider, first = look("--margin", "0.4")
    assert not wider["confirmatory"] and wider["changed_terms"] == ["margin"]
    assert (wider["minimum"], first["margin"]) == (0.6, 0.2)
    named, _ = look("--annotators", "Ana")
    assert not named["confirmatory"] and named["changed_terms"] == ["annotators"]
    late = {row["judge"]: row["verdict"] for row in wider["judges"]}["late"]
    certified = json.loads(run("certificate", "late", "--json").stdout)["certified"]
    assert (late, certified) == ("good_enough", False)


@pytest.mark.parametrize(
    ("annotators", "judged", "proposed"),
    [
        (("Ana", "Ben"), 10, ("exact", 0.1)),  # they agree far above always giving one score
        (("Ana",), 10, ("qwk", 0.45)),  # the ceiling is unknown
        (("Ana",), 2, ("qwk", 0.4)),
    ],
)
def test_the_figure_proposed_follows_from_annotators_and_the_reference_judge(
    store, scores, annotators, judged, proposed, give, judge, panel
):
    for number, who in enumerate(annotators):
        give(who, off(scores, 12, number))
    judge("dear", off(scores, judged))
    judge("cheap", dict.fromkeys(scores, 0))
    made = panel()
    dear = judge_of(store, made, "dear")
    found = choose.default_terms(store, made, dear)
    assert (found.figure, found.margin) == (proposed[0], pytest.approx(proposed[1]))
    assert found.failure_recall == choose.FAILURE_RECALL
    named = choose.default_terms(store, made, dear, figure="within_one")
    assert (named.figure, named.margin) == ("within_one", 0.1)


def test_nothing_graded_proposes_exact_agreement(store, scores, judge, panel):
    judge("dear", scores)
    made = panel()
    assert choose.default_terms(store, made, judge_of(store, made, "dear"))[:2] == (0.1, None)
    assert Terms(0.1).figure == "exact"


def rows(table):
    heads, lines = shown(table)
    return [dict(zip(heads, line, strict=True)) for line in lines]


def test_every_decision_has_its_terms_and_its_looks(store, close_judges):
    made = panel(store, close_judges)
    against = judge_of(store, made, "dear")
    first = choose.fix(store, made, against, Terms(0.15, 0.6, 0.5))
    choose.look(store, made, first)
    other = choose.fix(store, made, against, Terms(0.3, 0.5, 0, figure="mae"))
    choose.look(store, made, other)
    every = decisions.of_sheet(store, made.sheet.id)
    looked = [row["verdict"] for row in rows(history(store, every))]
    assert looked == ["good enough", "good enough, exploratory"]


def graded(store, scores):
    made = [made_item(n) for n in range(len(scores))]
    additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", dict(enumerate(scores)))
    judge(store, rubric, "dear", dict(enumerate(scores)))
    return panel(store, rubric)


@pytest.mark.parametrize(("answers", "is_offered"), [(59, False), (60, True)])
def test_an_ordinal_figure_takes_sixty_answers_however_many_questions(store, answers, is_offered):
    able = offered(graded(store, [n % 4 for n in range(answers)]))
    assert "exact" in able and "mae" in able
    for key in ("qwk", "tau_b"):
        assert (key in able) is is_offered


def test_terms_of_an_ordinal_figure_are_refused_on_a_sheet_without_sixty_answers(store):
    made = graded(store, [n % 4 for n in range(59)])
    terms = TERMS._replace(figure="qwk", margin=0.15)
    with pytest.raises(Problem, match=r"60 .* 59"):
        choose.fix(store, made, judge_of(store, made, "dear"), terms)
    choose.fix(store, made, judge_of(store, made, "dear"), terms._replace(figure="mae"))


def test_no_fewer_questions_are_planned_than_have_sixty_answers(store):
    made = graded(store, [n % 4 for n in range(80)])
    dear, terms = judge_of(store, made, "dear"), TERMS._replace(figure="qwk", margin=0.15)
    with pytest.raises(Problem, match="60"):
        choose.fix(store, made, dear, terms._replace(planned_questions=59))
    assert choose.fix(store, made, dear, terms._replace(planned_questions=60)).figure == "qwk"
    exact = TERMS._replace(planned_questions=20)
    assert choose.fix(store, made, dear, exact).planned_questions == 20
