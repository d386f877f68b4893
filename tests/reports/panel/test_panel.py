from fractions import Fraction

import numpy as np
import pytest

from concord.grading.annotators import IS_PENDING, NOT_CHOSEN
from concord.messages import Problem
from concord.reports.agreement.agreement import report
from concord.reports.document import as_json
from concord.reports.panel import panel as panel_reading
from concord.reports.panel.criterion_comparison import (
    CONSENSUS,
    EACH,
    NOT_INCLUDED,
    reference,
)
from concord.reports.panel.panel import (
    COMPOSITE,
    IN_HELD_OUT_TEST,
    LEAKED,
    STATUS_NAMES,
)
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.made_items import made_item
from tests.support.panels import ATLAS, BIRCH, COBALT, give, panel


def status(marks, place):
    code = marks.status[place]
    return STATUS_NAMES[code] if code >= 0 else None


def test_a_score_stands_at_its_item_and_nowhere_else(sheet, give, panel):
    ana = give("Ana", {BIRCH: 3})
    marks = panel().of("correctness", ana)
    assert marks.score[BIRCH] == 3
    assert np.isnan(np.delete(marks.score, BIRCH)).all()
    assert marks.scored.sum() == 1


def test_only_the_last_grade_of_a_chain_counts(sheet, give, panel):
    for score in (0, 1, 2):
        ana = give("Ana", {ATLAS: score})
    assert panel().of("correctness", ana).score[ATLAS] == 2


def test_a_grade_taken_back_is_no_grade(store, sheet, doc_qa, give, panel):
    ana = give("Ana", {ATLAS: 1, BIRCH: 2})
    item = items.item_ids(store, sheet.id)[ATLAS]
    record(store, [Press(item, doc_qa.versions()["correctness"], ana, "withdrawn")])
    assert status(panel().of("correctness", ana), ATLAS) is None


def test_repeats_do_not_enter_the_grades(sheet, give, panel):
    ana = give("Ana", {ATLAS: 1})
    give("Ana", {ATLAS: 3}, repeat=2)
    made = panel()
    assert made.of("correctness", ana).score[ATLAS] == 1
    assert made.repeats["score"].tolist() == [3]


def test_no_grade_is_not_a_zero(sheet, give, panel):
    ana = give("Ana", {ATLAS: None})
    marks = panel().of("correctness", ana)
    assert status(marks, ATLAS) == "cannot_grade"
    assert np.isnan(marks.score[ATLAS])


def test_a_score_off_the_scale_is_left_out_with_its_reason(sheet, give, panel):
    strict = give("strict", {ATLAS: 7, BIRCH: 2}, kind="judge")
    half = give("Ana", {ATLAS: 0.5, BIRCH: 2})
    for grader in (strict, half):
        marks = panel().of("correctness", grader)
        assert status(marks, ATLAS) == "off the scale"
        assert marks.scored.tolist()[:2] == [False, True]


@pytest.mark.parametrize(
    ("kind", "given"), [("judge", {ATLAS: 0.5, BIRCH: 2}), ("metric", {ATLAS: 80, BIRCH: 2})]
)
def test_continuous_grades_are_kept_apart_from_scores(sheet, kind, given, give, panel):
    judge = give("own", given, kind=kind)
    found = panel()
    assert found.is_continuous("correctness", judge)
    assert not found.is_continuous("readability", judge)
    assert found.is_continuous("composite", judge)
    marks = found.of("correctness", judge)
    assert "a continuous number" in status(marks, ATLAS)
    assert not marks.scored.any() and np.isnan(marks.score).all()
    assert found.numbers("correctness", judge).score[[ATLAS, BIRCH]].tolist() == [*given.values()]


def test_grades_carried_from_an_old_wording_count_and_newer_ones_win(store, sheet, doc_qa):
    reworded = doc_qa.model_copy(
        update={
            "criteria": tuple(
                c.model_copy(update={"question": c.question + " Really?"}) for c in doc_qa.criteria
            )
        }
    )
    ana = give(store, doc_qa, "Ana", {ATLAS: 1, BIRCH: 1})
    rubric_versions.register(store, reworded, "app")
    rubric_versions.carry(store, doc_qa, reworded, "correctness", "a clearer question")
    give(store, reworded, "Ana", {BIRCH: 3})
    marks = panel(store, reworded).of("correctness", ana)
    assert marks.score[[ATLAS, BIRCH]].tolist() == [1, 3]


def test_questions_shown_to_judges_and_sealed_ones_are_closed(store, sheet, panel):
    questions = [row["id"] for row in splits.of_sheet(store, sheet.id)]
    split_assignment.assign(store, questions[:1], "few-shot", "for the prompt")
    split_assignment.assign(store, questions[1:3], "held-out", "for the certificate")
    closed = panel().items["closed"]
    assert closed[:3].tolist() == [LEAKED] * 3
    assert closed[3:9].tolist() == [IN_HELD_OUT_TEST] * 6
    assert (closed[9:] == "").all()


def test_questions_of_one_document_share_a_cluster(store, panel):
    made = [
        made_item(1, cluster="doc"),
        made_item(2),
        made_item(3, cluster="doc"),
        made_item(4, cluster="0"),
    ]
    additions.add(store, "clusters", made, "c.csv", "0" * 64, {})
    assert panel().cluster.tolist() == [0, 1, 0, 2]


def test_the_composite_is_exact_and_only_of_whole_sets(sheet, give, panel):
    for criterion, scores in {
        "correctness": {ATLAS: 3, BIRCH: 2, COBALT: 1},
        "comprehensiveness": {ATLAS: 2, BIRCH: 2, COBALT: None},
        "readability": {ATLAS: 3},
    }.items():
        ana = give("Ana", scores, criterion)
    marks = panel().of(COMPOSITE, ana)
    # 3 * 3/5 + 2 * 1/5 + 3 * 1/5 = 14/5
    assert marks.score[ATLAS] == float(Fraction(14, 5))
    assert status(marks, BIRCH) == "a criterion is missing"
    assert status(marks, COBALT) == "cannot_grade"
    assert status(marks, 3) is None


def test_a_composite_is_not_blind_where_one_criterion_is_not(sheet, give, panel):
    for criterion, blind in [("correctness", True), ("comprehensiveness", None)]:
        give("Ana", {ATLAS: 3}, criterion, blind=blind)
    ana = give("Ana", {ATLAS: 3}, "readability", blind=False)
    made = panel()
    assert not made.counted(COMPOSITE, ana)[ATLAS]
    assert made.counted("correctness", ana)[ATLAS]


def test_a_criterion_of_weight_nought_need_not_be_graded(sheet, give, panel):
    ana = give("Ana", {ATLAS: 2})
    made = panel()
    assert not made.of(COMPOSITE, ana).scored.any()
    explored = made.weighing({"correctness": Fraction(1), "readability": Fraction(0)})
    assert explored.of(COMPOSITE, ana).score[ATLAS] == 2
    assert not made.of(COMPOSITE, ana).scored.any()


def test_simulated_annotators_count_until_someone_has_graded(sheet, give, panel):
    give("author", {ATLAS: 2})
    give("sim-a", {ATLAS: 3})
    assert [p.name for p in panel().annotators.values()] == ["author", "sim-a"]
    give("Ana", {BIRCH: 3})
    made = panel()
    assert [p.name for p in made.annotators.values()] == ["author", "Ana"]
    assert list(made.uncounted) == ["sim-a"]


def test_annotators_can_be_chosen_by_name(sheet, give, panel):
    for name in ("Ana", "Ben", "sim-a"):
        give(name, {ATLAS: 2})
    made = panel("Ben", "sim-a")
    assert [p.name for p in made.annotators.values()] == ["Ben", "sim-a"]
    assert made.uncounted == {"Ana": NOT_CHOSEN}
    with pytest.raises(Problem, match="“Cem” has graded nothing here"):
        panel("Cem")


def scores(found):
    return sorted(zip(found.item.tolist(), found.score.tolist(), strict=True))


def adjudicate(store, doc_qa, place, score, **changes):
    item = items.item_ids(store, 1)[place]
    fields = {"triggered_by": "people", "blind": 1, "created_at": "2026-01-01"} | changes
    with store.write():
        version = doc_qa.versions()["correctness"]
        store.insert("adjudications", item_id=item, version=version, score=score, **fields)


def test_each_person_who_scored_an_answer_is_a_row(sheet, give, panel):
    give("Ana", {ATLAS: 3, BIRCH: 2})
    give("Ben", {ATLAS: 1, COBALT: None})
    found = reference(panel(), "correctness", EACH)
    assert scores(found) == [(ATLAS, 1), (ATLAS, 3), (BIRCH, 2)]
    assert found.why[:4].tolist() == ["", "", "annotators gave no score", "no annotator's grade"]


def test_a_grade_given_after_seeing_the_judges_is_left_out_and_says_so(sheet, give, panel):
    give("Ana", {ATLAS: 3}, blind=False)
    give("Ana", {BIRCH: 3}, blind=True)
    give("Ana", {COBALT: 3})  # made elsewhere: not known to be otherwise
    found = reference(panel(), "correctness", EACH)
    assert scores(found) == [(BIRCH, 3), (COBALT, 3)]
    assert found.why[ATLAS] == "not blind"


def test_a_closed_question_has_no_reference_whoever_graded_it(store, sheet, give, panel):
    give("Ana", {ATLAS: 3})
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "held-out", "kept")
    for kind in (EACH, CONSENSUS):
        found = reference(panel(), "correctness", kind)
        assert len(found.item) == 0
        assert found.why[:3].tolist() == [IN_HELD_OUT_TEST] * 3


def test_a_consensus_is_a_strict_majority_or_none(sheet, give, panel):
    give("Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1})
    give("Ben", {ATLAS: 3, BIRCH: 1})
    give("Cem", {ATLAS: 0})
    found = reference(panel(), "correctness", CONSENSUS)
    assert scores(found) == [(ATLAS, 3), (COBALT, 1)]
    assert found.why[BIRCH] == "annotators have no consensus"


def test_a_blind_adjudication_settles_what_annotators_could_not(store, sheet, doc_qa, give, panel):
    give("Ana", {ATLAS: 3, BIRCH: 2})
    give("Ben", {ATLAS: 1, BIRCH: 2})
    adjudicate(store, doc_qa, ATLAS, 2)
    adjudicate(store, doc_qa, BIRCH, 0)
    found = reference(panel(), "correctness", CONSENSUS)
    assert scores(found) == [(ATLAS, 2), (BIRCH, 0)]
    assert scores(reference(panel(), "correctness", EACH))[0] == (ATLAS, 1)


@pytest.mark.parametrize("changes", [{"triggered_by": "judge"}, {"blind": 0}])
def test_an_adjudication_that_could_flatter_a_judge_never_enters(
    store, sheet, doc_qa, changes, give, panel
):
    give("Ana", {ATLAS: 3})
    give("Ben", {ATLAS: 1})
    adjudicate(store, doc_qa, ATLAS, 2, **changes)
    found = reference(panel(), "correctness", CONSENSUS)
    assert len(found.item) == 0


def test_a_sealed_question_stays_closed_to_adjudication(store, sheet, doc_qa, give, panel):
    give("Ana", {ATLAS: 3})
    adjudicate(store, doc_qa, ATLAS, 2)
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "held-out", "kept")
    assert len(reference(panel(), "correctness", CONSENSUS).item) == 0


def test_the_consensus_composite_is_made_of_the_criterias_consensus(sheet, give, panel):
    """No two annotators have the same composite, but two of three agree on every criterion."""
    for name, (correct, comprehensive, readable) in {
        "Ana": (3, 2, 1),
        "Ben": (3, 1, 3),
        "Cem": (0, 2, 3),
    }.items():
        give(name, {ATLAS: correct, BIRCH: correct})
        give(name, {ATLAS: comprehensive}, "comprehensiveness")
        give(name, {ATLAS: readable}, "readability")
    found = reference(panel(), COMPOSITE, CONSENSUS)
    assert found.item.tolist() == [ATLAS]
    np.testing.assert_allclose(found.score, [(3 * 3 + 2 * 1 + 3 * 1) / 5])
    assert found.why[BIRCH] == "annotators did not score every criterion"


def test_another_sheets_grades_stay_out(sheet, made_sheet_between, give, panel):
    ana = give("Ana", {ATLAS: 1})
    made = panel()
    assert len(made.items) == 37
    assert made.of("correctness", ana).scored.sum() == 1


def typed(store, sheet, answers, name="Zoe"):
    """Somebody typed this name and graded the first answers; returns the grader's id."""
    zoe = graders.ensure_annotator(store, name)
    scales.grade(store, sheet, zoe.id, "doc-qa-0-3", dict.fromkeys(range(answers), 0))
    return zoe.id


def read_named(store, sheet, names=None):
    return panel_reading.read(store, sheet, rubric_versions.named(store, "doc-qa-0-3")[1], names)


def include(store, sheet, person):
    graders.decide_annotator(store, sheet.id, person, "included", "Lea")


def rows(store, sheet):
    return as_json(report(read_named(store, sheet)))["rows"]


def test_few_grades_under_a_typed_name_change_no_figure(store, judged_sheet):
    before = rows(store, judged_sheet)
    zoe = typed(store, judged_sheet, 9)
    panel = read_named(store, judged_sheet)
    assert panel.uncounted == {"Zoe": IS_PENDING} and zoe not in panel.annotators
    assert rows(store, judged_sheet) == before
    with pytest.raises(Problem, match=r"“Zoe” is pending.*annotators --include NAME"):
        read_named(store, judged_sheet, ["Zoe"])


@pytest.mark.parametrize("answers", [9, 10])
def test_a_pending_annotator_counts_once_included_or_from_ten_answers_on(
    store, judged_sheet, answers
):
    zoe = typed(store, judged_sheet, answers)
    if answers < graders.ENOUGH:
        include(store, judged_sheet, zoe)
    assert zoe in read_named(store, judged_sheet).annotators


def test_what_only_a_pending_annotator_graded_is_left_out_by_that_reason(store):
    sheet = scales.graded_sheet(store)
    judge = scales.judged(store, sheet, "gpt")
    store.execute("delete from grades where item_id <= 3 and grader_id <> ?", (judge,))
    typed(store, sheet, 3)
    row = next(row for row in rows(store, sheet) if row["criterion"] == "correctness")
    assert row["left_out"] == {NOT_INCLUDED: 3} and row["n"] == scales.ANSWERS - 3
