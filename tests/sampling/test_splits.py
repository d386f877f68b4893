import pytest

from concord.messages import Problem
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT
from concord.reports.panel import panel
from concord.reports.panel.panel import NOT_HELD_OUT
from concord.rubrics.model import presets
from concord.sampling import holdout, split_assignment, splits
from concord.sampling import question_exposure as moves
from concord.sampling.leak_guard import Origin, families
from concord.sampling.question_exposure import Family, refusal
from concord.store import additions, grades, runs
from concord.store import items as store_items
from tests.support.made_items import made_item, sheet_of


def _ids(store, sheet):
    return {row["own_id"]: row["id"] for row in splits.of_sheet(store, sheet.id)}


def _look(store, sheet, place, grader=None):
    grades.open_item(store, store_items.item_ids(store, sheet.id)[place], grader)


def test_splits_default_to_evaluation_and_the_last_word_counts(store, sheet):
    first = _ids(store, sheet)["000"]
    assert {row["split"] for row in splits.of_sheet(store, sheet.id)} == {"evaluation"}
    split_assignment.assign(store, [first], FEW_SHOT, "try")
    assert splits.leaked(store, sheet.id) == {first}
    split_assignment.assign(store, [first], EVALUATION, "no judge has seen it")
    assert splits.leaked(store, sheet.id) == set()
    with pytest.raises(Problem):
        split_assignment.assign(store, [first], "secret", "")


def test_an_example_closes_its_cluster_and_its_text_in_every_sheet(store, clusters):
    split_assignment.assign(store, [_ids(store, clusters)["0"]], FEW_SHOT, "shown")
    assert splits.leaked(store, clusters.id) == {_ids(store, clusters)[k] for k in "01"}
    later = sheet_of(
        store, "later", ("ＨＯＷ? ", None), ("How?", "c"), ("how?", "a"), ("What?", None)
    )
    # the same text leaks unless both have clusters and those differ
    assert splits.leaked(store, later.id) == {_ids(store, later)[k] for k in "02"}


def test_what_comes_in_with_the_text_of_a_sealed_question_is_closed_too(store, clusters):
    split_assignment.assign(store, [_ids(store, clusters)["3"]], HELD_OUT, "kept")
    later = sheet_of(store, "later", ("Who?", None), ("What?", None))
    assert splits.held_out(store, later.id) == {_ids(store, later)["0"]}


def test_families_are_clusters_and_texts_that_one_without_a_cluster_ties():
    made = [("t", "a"), ("u", "a"), ("t", "b"), ("v", None), ("v", "c"), ("w", "c"), ("x", None)]
    assert families([Origin(*one) for one in made]) == [0, 0, 2, 3, 3, 3, 6]
    assert families([Origin("t", "a"), Origin("t", "b"), Origin("t", None)]) == [0, 0, 0]


def test_part_of_a_cluster_cannot_be_sealed_and_all_of_it_can(store, clusters):
    ids = _ids(store, clusters)
    with pytest.raises(Problem):
        split_assignment.assign(store, [ids["0"]], HELD_OUT, "kept")
    split_assignment.assign(store, [ids["0"], ids["1"]], HELD_OUT, "kept")
    assert splits.held_out(store, clusters.id) == {ids["0"], ids["1"]}


def test_nothing_is_assigned_where_one_of_several_is_refused(store, sheet):
    ids = _ids(store, sheet)
    _look(store, sheet, 0)
    with pytest.raises(Problem):
        split_assignment.assign(store, [ids["000"], ids["001"]], HELD_OUT, "kept")
    assert splits.held_out(store, sheet.id) == set()


@pytest.mark.parametrize("named", [True, False])
def test_what_was_read_beside_a_judge_is_neither_sealed_nor_made_an_example(
    store, sheet, ana, named
):
    first = _ids(store, sheet)["000"]
    _look(store, sheet, 1, ana if named else None)
    for split in (HELD_OUT, FEW_SHOT):
        with pytest.raises(Problem):
            split_assignment.assign(store, [first], split, "")


def test_the_same_text_in_another_sheet_moves_along_or_the_move_is_refused(store, clusters):
    other = sheet_of(store, "other", ("Who?", None), ("What?", None))
    who = _ids(store, clusters)["3"]
    for split in (HELD_OUT, FEW_SHOT):
        with pytest.raises(Problem):
            split_assignment.assign(store, [who], split, "")
    assert sorted(split_assignment.assign(store, [who], HELD_OUT, "", everywhere=True).moved) == [
        who,
        _ids(store, other)["0"],
    ]
    assert splits.held_out(store, other.id) == {_ids(store, other)["0"]}


def test_an_example_of_a_rubric_is_never_sealed(store):
    levels = presets()["doc-qa-0-3"].criteria[0].levels
    text = next(level.examples[0].question for level in levels if level.examples)
    sheet = sheet_of(store, "known", (text, None))
    with pytest.raises(Problem):
        split_assignment.assign(store, [_ids(store, sheet)["0"]], HELD_OUT, "")


def test_a_question_that_judges_were_shown_stays_an_example(store, sheet, rubric, ana):
    first = _ids(store, sheet)["000"]
    split_assignment.assign(store, [first], FEW_SHOT, "shown")
    shown = store_items.item_ids(store, sheet.id)[:1]
    runs.start(store, {}, shown, {}, None, grader_id=ana, sheet_id=sheet.id, rubric_id=rubric[0])
    with pytest.raises(Problem):
        split_assignment.assign(store, [first], EVALUATION, "back")


def test_a_sealed_question_keeps_its_split_until_a_certificate_opens_it(store, sheet):
    first = _ids(store, sheet)["000"]
    split_assignment.assign(store, [first], HELD_OUT, "kept")
    for split in (EVALUATION, FEW_SHOT):
        with pytest.raises(Problem):
            split_assignment.assign(store, [first], split, "to tune")
    holdout.open_held_out(store, sheet, "certificate of gpt")
    split_assignment.assign(store, [first], EVALUATION, "certified")
    with pytest.raises(Problem):
        split_assignment.assign(store, [first], HELD_OUT, "again")


def test_a_move_says_beforehand_what_leaves_the_figures(store, clusters, rubric, ana):
    items = store_items.item_ids(store, clusters.id)
    versions = list(rubric[1].versions().values())
    grades.record(store, [grades.Press(i, v, ana, score=1) for i in items[:3] for v in versions])
    move = split_assignment.weigh(store, [_ids(store, clusters)["0"]], FEW_SHOT)
    assert (move.leaving, move.returning) == ({_ids(store, clusters)[k] for k in "01"}, set())
    assert (move.answers, move.graded, move.judged) == (2, 6, 0)
    assert store.value("select count(*) from question_roles") == 0


def test_each_opening_is_kept_and_what_an_earlier_one_opened_is_told(store, clusters):
    ids = _ids(store, clusters)
    with pytest.raises(Problem):
        holdout.open_held_out(store, clusters, "certificate")
    split_assignment.assign(store, [ids["2"]], HELD_OUT, "kept")
    with pytest.raises(Problem):
        holdout.open_held_out(store, clusters, " ")
    first = holdout.open_held_out(store, clusters, "certificate of gpt", who="Ana")
    assert (first.questions, first.opened_before, first.who) == ({ids["2"]}, set(), "Ana")
    split_assignment.assign(store, [ids["3"]], HELD_OUT, "kept")
    again = holdout.open_held_out(store, clusters, "certificate of llama")
    assert (again.questions, again.opened_before) == ({ids["2"], ids["3"]}, {ids["2"]})
    assert [one.id for one in holdout.openings(store, clusters)] == [first.id, again.id]


def test_an_opening_of_the_same_text_in_another_sheet_counts(store, clusters):
    other = sheet_of(store, "other", ("Who?", None))
    split_assignment.assign(store, [_ids(store, clusters)["3"]], HELD_OUT, "kept", everywhere=True)
    holdout.open_held_out(store, other, "certificate there")
    assert holdout.open_held_out(store, clusters, "here").opened_before == {
        _ids(store, clusters)["3"]
    }


def test_only_a_recorded_opening_reads_the_sealed_questions(store, sheet, rubric):
    ids = _ids(store, sheet)
    split_assignment.assign(store, [ids["000"], ids["001"]], HELD_OUT, "kept")
    closed = panel.read(store, sheet, rubric[1])
    assert closed.open.sum() == 30
    opening = holdout.open_held_out(store, sheet, "certificate of gpt")
    read = panel.read(store, sheet, rubric[1], held_out=opening.questions)
    assert read.open[:6].all() and read.open.sum() == 6
    assert set(read.items["closed"][6:]) == {NOT_HELD_OUT}
    assert panel.read(store, sheet, rubric[1]).open.sum() == 30


def test_deleting_a_person_keeps_that_an_answer_was_opened(store, sheet, ana):
    from concord.store import graders

    _look(store, sheet, 0, ana)
    graders.delete(store, ana)
    with pytest.raises(Problem):
        split_assignment.assign(store, [_ids(store, sheet)["000"]], HELD_OUT, "")


@pytest.mark.parametrize(
    ("models", "named"), [(("atlas",), {"a0-atlas", "a1-atlas"}), (("atlas", "birch"), {None})]
)
def test_ids_of_answers_name_questions_only_where_each_has_one_answer(store, models, named):
    made = [
        made_item(n, m)._replace(own_id=f"a{n}-{m}", question_id=None)
        for n in range(2)
        for m in models
    ]
    sheet = additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    assert {row["own_id"] for row in splits.of_sheet(store, sheet.id)} == named
    if None not in named:
        assert splits.questions_named(store, sheet, ["a1-atlas"])


UNKNOWN = Family()
HERE, THERE = Family(left_behind=("a",)), Family(left_behind=("b",))

TABLE = [
    # from, to, opened itself, family, why it is refused ("" where it may be)
    (EVALUATION, FEW_SHOT, False, UNKNOWN, ""),
    (EVALUATION, FEW_SHOT, False, Family(looked_at=True), moves.LOOKED_AT),
    (EVALUATION, FEW_SHOT, False, Family(looked_at=True, closed=True), ""),
    (EVALUATION, FEW_SHOT, False, Family(held_out=True), moves.AMONG_HELD_OUT),
    (EVALUATION, FEW_SHOT, False, Family(shown=True), ""),
    (EVALUATION, FEW_SHOT, False, HERE, ""),  # the leak guard closes the rest of its cluster
    (EVALUATION, FEW_SHOT, False, THERE, "cluster would stay in “b”"),
    (EVALUATION, HELD_OUT, False, UNKNOWN, ""),
    (EVALUATION, HELD_OUT, False, Family(looked_at=True), moves.LOOKED_AT),
    (EVALUATION, HELD_OUT, False, Family(was_example=True), moves.AN_EXAMPLE),
    (EVALUATION, HELD_OUT, False, Family(shown=True), moves.AN_EXAMPLE),
    (EVALUATION, HELD_OUT, False, Family(held_out=True), ""),  # it joins its sealed family
    (EVALUATION, HELD_OUT, False, Family(opened=True), moves.OPENED),
    (EVALUATION, HELD_OUT, True, Family(opened=True), moves.OPENED),
    (EVALUATION, HELD_OUT, False, HERE, "all of them at once"),
    (EVALUATION, HELD_OUT, False, THERE, "all of them at once"),
    (FEW_SHOT, EVALUATION, False, UNKNOWN, ""),
    (FEW_SHOT, EVALUATION, False, Family(was_example=True, closed=True), ""),
    (FEW_SHOT, EVALUATION, False, Family(shown=True), moves.SHOWN),
    (FEW_SHOT, HELD_OUT, False, Family(was_example=True), moves.AN_EXAMPLE),
    (HELD_OUT, EVALUATION, False, UNKNOWN, moves.LEAVING_HELD_OUT),
    (
        HELD_OUT,
        EVALUATION,
        False,
        Family(opened=True),
        moves.LEAVING_HELD_OUT,
    ),  # another of its text was
    (HELD_OUT, EVALUATION, True, Family(opened=True), ""),
    (HELD_OUT, FEW_SHOT, False, UNKNOWN, moves.LEAVING_HELD_OUT),
    (HELD_OUT, FEW_SHOT, True, Family(opened=True), ""),
    (HELD_OUT, FEW_SHOT, True, Family(opened=True, held_out=True), moves.AMONG_HELD_OUT),
]


@pytest.mark.parametrize(("split", "to", "opened", "family", "why"), TABLE)
def test_a_move_is_made_or_refused_with_its_reason(split, to, opened, family, why):
    said = refusal("a", split, to, opened, family)
    assert (said is None) == (why == "")
    assert why in (said or "")
