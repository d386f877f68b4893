"""Corrected scores: valid only where a draw, or what was asked for, makes them so."""

import json

import numpy as np
import pytest

from concord.grading import active_sampling, grading_sets
from concord.messages import Problem, message_of
from concord.reports.cells import written
from concord.reports.document import as_json, sentences
from concord.reports.panel.sampling_weights import drawn
from concord.reports.ranking.corrected import DRAW, MORE_QUESTIONS, RATES, REMEDIES, report
from concord.reports.ranking.corrected_document import document
from concord.store import additions, sheets
from concord.store import items as store_items
from tests.support import drawn_sheet
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel


def of(store, rubric, how=DRAW, *annotators):
    read = panel(store, rubric[1], *annotators)
    return report(read, drawn(store, read), how)


def judged(found, name="lenient"):
    (one,) = [judge for judge in found.judges if judge.judge == name]
    return one


def shown(found, judge=None):
    return " ".join(sentences(document(found, judge)))


def values(one, figure):
    return {model.answer_model: getattr(model, figure).value for model in one.models}


@pytest.mark.parametrize(
    ("how", "title"), [(DRAW, "graded in the sample"), (RATES, "graded by annotators")]
)
def test_the_column_of_grades_says_which_of_them_the_correction_rests_on(store, rubric, how, title):
    drawn_sheet.made(store, rubric)
    table = document(of(store, rubric, how)).tables[0]
    assert table.columns[5].title == title


def test_the_draw_takes_out_a_bias_that_differs_by_answering_model(store, rubric):
    truth = drawn_sheet.made(store, rubric)
    found = of(store, rubric)
    one = judged(found)
    assert (found.what, found.sets) == ("mean composite", ("first",))
    raw, corrected = values(one, "raw"), values(one, "corrected")
    assert raw["cobalt"] - truth["cobalt"] > 0.6 > 3 * abs(corrected["cobalt"] - truth["cobalt"])
    for model in one.models:
        name = model.answer_model
        assert (model.n, model.graded) == (90, 30)
        assert model.corrected.low <= truth[name] <= model.corrected.high
        assert "PPI++ by question" in model.corrected.method
    json.dumps(as_json(found), allow_nan=False)


def test_two_models_are_compared_by_their_paired_difference(store, rubric):
    drawn_sheet.made(store, rubric)
    pairs = judged(of(store, rubric)).pairs
    assert [(pair.above, pair.below) for pair in pairs] == [
        ("atlas", "birch"),
        ("atlas", "cobalt"),
        ("birch", "cobalt"),
    ]
    widest = pairs[1]
    assert widest.certain
    assert widest.raw.value < widest.corrected.value
    assert widest.sentence == f"atlas above cobalt by {written(widest.corrected, 'difference')}."
    unsure = next(pair for pair in pairs if not pair.certain)
    assert unsure.sentence.startswith(f"Cannot tell {unsure.above} from {unsure.below}: ")


def test_who_stops_early_leaves_a_random_part_of_the_draw(store, rubric):
    truth = drawn_sheet.made(store, rubric, questions=120, drawn=60, graded=120)
    for model in judged(of(store, rubric)).models:
        name = model.answer_model
        assert 30 <= model.graded <= 50
        assert model.corrected.low <= truth[name] <= model.corrected.high


def test_too_few_graded_answers_of_a_model_correct_nothing(store, rubric):
    drawn_sheet.made(store, rubric, drawn=20)
    one = judged(of(store, rubric))
    assert set(values(one, "corrected").values()) == {None}
    assert "fewer than 30 answers" in message_of(one.models[0].corrected.why_none)
    assert one.pairs == ()


def test_grades_that_no_set_asked_for_correct_nothing(store, rubric):
    """Ana graded, but only what came from a file: nobody knows how that was chosen."""
    drawn_sheet.made(store, rubric, drawn=0)
    give(store, rubric[1], "Ana", dict.fromkeys(range(270), 1))
    found = of(store, rubric)
    assert "no grading set was sampled" in message_of(found.why_none)
    assert found.judges == ()


def test_a_set_that_nobody_began_corrects_nothing(store, rubric):
    drawn_sheet.made(store, rubric, drawn=30, graded=0)
    assert "no annotator has graded" in message_of(of(store, rubric).why_none)


def test_grades_beside_the_set_do_not_enter_it(store, rubric):
    """Ben graded only the worst answers, from a file; the corrected figures do not move."""
    drawn_sheet.made(store, rubric)
    before = values(judged(of(store, rubric)), "corrected")
    for criterion in drawn_sheet.CRITERIA:
        give(store, rubric[1], "Ben", dict.fromkeys(range(0, 270, 3), 0), criterion)
    assert values(judged(of(store, rubric)), "corrected") == before


def in_a_file(store, rubric, places, criteria=drawn_sheet.CRITERIA):
    """Ben's grades of some places, true ones, that no queue asked for."""
    truth = drawn_sheet.truth_of(90)
    for criterion in criteria:
        give(store, rubric[1], "Ben", {n: int(truth[n]) for n in places}, criterion)


def set_places(store):
    """The places in the sheet of the one set's answers, block by block."""
    rows = store.rows("select item_id, block from grading_set_items order by block")
    place = {item: n for n, item in enumerate(panel_ids(store))}
    blocks = {}
    for row in rows:
        blocks.setdefault(row["block"], []).append(place[row["item_id"]])
    return list(blocks.values())


def panel_ids(store):
    return store_items.item_ids(store, sheets.all_sheets(store)[0].id)


@pytest.mark.parametrize("more", [False, True])
def test_a_set_graded_in_a_file_counts_like_one_graded_on_the_screen(store, rubric, more):
    """Also where the file holds the whole sheet: of the draw it leaves nothing out."""
    truth = drawn_sheet.made(store, rubric, drawn=30, graded=0)
    places = range(270) if more else [n for block in set_places(store) for n in block]
    in_a_file(store, rubric, places)
    found = of(store, rubric)
    assert (found.why_none, found.excluded_grades) == (None, ())
    for model in judged(found).models:
        name = model.answer_model
        assert model.graded == 30
        assert model.corrected.low <= truth[name] <= model.corrected.high


def test_of_a_file_that_stops_in_a_block_the_blocks_before_count(store, rubric):
    drawn_sheet.made(store, rubric, drawn=45, graded=0)
    first, second, third, *_ = set_places(store)
    in_a_file(store, rubric, [*first, *second[:-2], *third])
    found = of(store, rubric)
    assert sum(model.graded for model in judged(found).models) == len(first)
    (said,) = found.excluded_grades
    assert said.startswith(f"{len(second) - 2 + len(third)} answers of “first” that Ben graded")
    assert "2 answers of the next block are still to be graded" in said
    in_a_file(store, rubric, second[-2:])
    whole = sum(model.graded for model in judged(of(store, rubric)).models)
    assert whole == len(first) + len(second) + len(third)


def test_a_file_that_chose_among_a_sets_answers_counts_for_nothing_and_says_why(store, rubric):
    drawn_sheet.made(store, rubric, drawn=30, graded=0)
    first, *_ = set_places(store)
    in_a_file(store, rubric, first[3:])
    found = of(store, rubric)
    said = shown(found)
    assert "no annotator has graded an answer since" in said
    assert (
        f"{len(first) - 3} answers of “first” that Ben graded did not come from its queue" in said
    )
    in_a_file(store, rubric, first[:3], drawn_sheet.CRITERIA[:1])
    assert (
        of(store, rubric).excluded_grades == found.excluded_grades
    )  # the other criteria are still to come


def test_where_nearly_all_was_graded_before_the_draw_that_is_the_reason(store, rubric):
    """The judge scored three models; it is the draw that speaks for none."""
    drawn_sheet.made(store, rubric, drawn=0)
    in_a_file(store, rubric, range(1, 270))
    drawn_sheet.asked(store, rubric, 45, graded=2)
    found = of(store, rubric)
    said = shown(found, "lenient")
    assert judged(found).remedy == MORE_QUESTIONS
    assert "269 of the 270 that the judge scored" in said
    assert "Import more questions" in said and "of one answering model only" not in said
    store.execute(
        "delete from grades where item_id = (select min(id) from items) and grader_id in"
        " (select id from graders where name = 'lenient')"
    )
    said = shown(of(store, rubric), "lenient")
    assert "these are all that the judge scored" in said and "0 left" not in said


def test_where_all_was_graded_before_the_draw_more_questions_are_asked_for(store, rubric):
    drawn_sheet.made(store, rubric, drawn=0)
    in_a_file(store, rubric, range(270))
    drawn_sheet.asked(store, rubric, 45, graded=0)
    found = of(store, rubric)
    assert found.remedy == MORE_QUESTIONS
    assert "annotators had graded all 270 answers before" in shown(found)
    assert "Import more questions" in shown(found)


def test_answers_graded_before_a_draw_are_not_spoken_for_by_it(store, rubric):
    """A draw passes over questions that were graded already: 30 of cobalt's 90 answers here."""
    drawn_sheet.made(store, rubric, drawn=0)
    before = {n: 1 for n in range(2, 90, 3)}
    for criterion in drawn_sheet.CRITERIA:
        give(store, rubric[1], "Ben", before, criterion)
    drawn_sheet.asked(store, rubric, 45)
    found = of(store, rubric)
    assert found.excluded == 30
    models = {model.answer_model: model for model in judged(found).models}
    assert [models[name].n for name in drawn_sheet.MODELS] == [90, 90, 60]
    assert models["cobalt"].graded < models["atlas"].graded == 45


def test_a_draw_that_favours_suspected_failures_is_weighed_back(store, rubric):
    """Answers that the judge calls a 1 are drawn more often; unweighted they would pull it down."""
    truth = drawn_sheet.made(store, rubric, questions=200, drawn=0)
    sheet = sheets.all_sheets(store)[0]
    made = panel(store, rubric[1])
    (judge,) = made.judges
    ids, said = made.items["id"].to_numpy(), made.of("correctness", judge).score
    suspected = ids[(said == 1) & (made.items["answer_model"] == "atlas")].tolist()
    of_set = active_sampling.create(
        store, sheet, rubric[0], "suspects", active_sampling.SampleRequest(80, 3, suspected, 0.5)
    )
    scores = drawn_sheet.truth_of(200)
    drawn_sheet.grade(store, rubric, of_set, truth=scores)
    found = judged(of(store, rubric))
    atlas = next(model for model in found.models if model.answer_model == "atlas")
    read = panel(store, rubric[1])
    own = drawn(store, read)
    graded = ~np.isnan(own.means(read)) & (read.items["answer_model"] == "atlas").to_numpy()
    assert own.means(read)[graded].mean() < truth["atlas"] - 0.2
    assert np.ptp(own.weight[graded]) > 0.5
    assert atlas.corrected.low <= truth["atlas"] <= atlas.corrected.high


def test_two_sets_are_taken_together(store, sheet, rubric):
    """An answer in either of two draws counts by the chance to be in one of them."""
    for name, seed in (("one", 1), ("two", 2)):
        grading_sets.create(store, sheet.id, rubric[0], name, 6, seed)
    found = drawn(store, panel(store, rubric[1]))
    assert found.sets == ("one", "two")


def test_the_baseline_is_not_corrected_by_the_grades_it_learnt_from(sample_store):
    from concord.store.rubrics import rubric_versions

    found = of(sample_store, rubric_versions.named(sample_store, "doc-qa-0-3"), RATES)
    assert "trained on the annotators' grades" in message_of(judged(found, "baseline").why_none)


def test_error_rates_are_used_only_where_asked_for_and_say_shares(store, rubric):
    truth = drawn_sheet.made(store, rubric, questions=150, drawn=75, fooled=(0.3, 0.3, 0.3))
    found = of(store, rubric, RATES)
    one = judged(found)
    assert found.what == "share of answers that pass correctness"
    assert values(one, "corrected")["birch"] < values(one, "raw")["birch"]
    assert one.pairs[0].sentence.endswith(" points.")
    for model in one.models:
        passing = (truth[model.answer_model] - 1) / 2  # a 3 passes, a 1 fails
        assert model.corrected.low <= passing <= model.corrected.high
        assert model.own.low <= passing <= model.own.high
    tables = {table.name: table for table in document(found).tables}
    assert tables["corrected"].columns[-1].title == "annotators' own"


def test_error_rates_that_differ_between_models_correct_nothing_and_the_own_shares_stand(
    store, rubric
):
    """The judge passes half of cobalt's failing answers, a fifth of the others'."""
    drawn_sheet.made(store, rubric, questions=150, drawn=75)
    one = judged(of(store, rubric, RATES))
    assert "error rates differ between answering models (p " in message_of(one.why_none)
    assert {m.corrected.value for m in one.models} == {None} and one.pairs == ()
    assert all(m.raw.value is not None and m.own.low for m in one.models)


def test_where_concord_drew_the_sample_the_draw_is_offered_first(store, rubric):
    drawn_sheet.made(store, rubric, questions=150, drawn=75, fooled=(0.3, 0.3, 0.3))
    found = of(store, rubric, RATES)
    assert found.better == DRAW and of(store, rubric).better is None
    assert "use the correction by random sample (PPI++) first" in shown(found)


def test_a_share_held_at_an_end_is_not_compared_by_a_formula_that_goes_beyond(store, rubric):
    """Right in 9 of 10, the judge passes 14 of 15 of atlas: (.933 + .9 - 1) / .8 is 104 percent."""
    items = [made_item(n, m) for n in range(90) for m in drawn_sheet.MODELS]
    additions.add(store, "held", items, "held.csv", "0" * 64, {})
    annotators = {3 * n + m: 0 if n % 3 == 0 else 3 for n in range(90) for m in (1, 2)}
    judge = {p: 3 - said if p // 3 % 10 == 5 else said for p, said in annotators.items()}
    judge |= {3 * n: 0 if n % 15 == 0 else 3 for n in range(90)}
    give(store, rubric[1], "Ana", annotators)
    give(store, rubric[1], "lenient", judge, kind="judge")
    one = judged(of(store, rubric, RATES))
    assert values(one, "corrected")["atlas"] == 1
    pairs = {(pair.above, pair.below): pair for pair in one.pairs}
    held = [pair for names, pair in pairs.items() if "atlas" in names]
    assert [pair.corrected.value for pair in held] == [None, None]
    assert all("clipped to 0% or 100%" in pair.sentence for pair in held)
    assert not any(pair.certain for pair in held) and held[0].raw.value is not None
    assert sum(pair.corrected.value is not None for pair in pairs.values()) == 1


def test_error_rates_of_fewer_than_ten_questions_give_no_interval(store, doc_qa):
    made = [made_item(n, f"model-{m}") for n in range(8) for m in range(12)]
    additions.add(store, "support tickets", made, "t.csv", "0" * 64, {})
    random = np.random.default_rng(4)
    truth = {n: int(score) for n, score in enumerate(random.choice([0, 3], 96))}
    give(store, doc_qa, "Ana", truth)
    wrong = {n: 3 - score for n, score in truth.items() if random.random() < 0.1}
    judge(store, doc_qa, "lenient", truth | wrong)
    found = of(store, (None, doc_qa), RATES)
    models = judged(found).models
    assert all(model.corrected.value is not None for model in models)
    assert all(model.corrected.low is None for model in models)
    assert "With fewer than 10 questions" in shown(found)


def test_error_rates_need_thirty_answers_of_either_kind(store, rubric):
    drawn_sheet.made(store, rubric, drawn=12)
    assert "fewer than 30 answers" in message_of(judged(of(store, rubric, RATES)).why_none)


@pytest.mark.parametrize(
    ("models", "wrong", "why", "remedy"),
    [
        (("atlas",), 1, "one answering model only", ""),
        (("atlas", "birch"), 4, "too poorly", REMEDIES[DRAW]),
        (("atlas", "birch"), 6, "no better than chance", REMEDIES[DRAW]),
    ],
)
def test_what_more_grades_do_not_mend_is_not_given_them_as_the_remedy(
    store, doc_qa, models, wrong, why, remedy
):
    made = [made_item(n, m) for n in range(100) for m in models]
    additions.add(store, "support tickets", made, "t.csv", "0" * 64, {})
    truth = {n: 3 * (n // 7 % 2) for n in range(len(made))}
    give(store, doc_qa, "Ana", truth)
    judge(store, doc_qa, "lenient", {n: 3 - s if n % 10 < wrong else s for n, s in truth.items()})
    one = judged(of(store, (None, doc_qa), RATES))
    assert why in message_of(one.why_none)
    assert one.remedy == remedy


def test_a_way_that_does_not_exist_is_a_problem(store, sheet, rubric):
    with pytest.raises(Problem, match="draw, rates"):
        of(store, rubric, "magic")
