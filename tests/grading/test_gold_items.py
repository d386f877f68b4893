"""What an answer is called: the same wherever it is shown, and when it is looked up."""

import csv
import io
from functools import partial

import pytest

from concord.grading import assignments, gold_items, grading_sets, workspace
from concord.grading.gold_items import GOLD, TRAINING_ITEMS
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.reports.panel import panel as panel_reading
from concord.sampling import split_assignment, splits
from concord.store import grade_table, graders
from concord.store.database import open_store
from concord.store.permissions import GRADER, Who
from tests.support.grading_room import known, press


def rows_of(rubric, *answers, score="2", reason="agreed"):
    names = [criterion.name for criterion in rubric[1].criteria]
    return [
        {"item_id": one, "criterion": name, "score": score, "reason": reason}
        for one in answers
        for name in names
    ]


def opened(tmp_path, rows):
    file = tmp_path / "known.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return open_table(file)


def test_a_file_says_which_answers_are_gold(store, set_with_examples, rubric, tmp_path):
    rows = rows_of(rubric, "001-birch") + rows_of(rubric, "000-atlas", score="")
    read = gold_items.read(store, set_with_examples, opened(tmp_path, rows))
    GOLD.add(store, set_with_examples, read, "Lea")
    expected = known(store, set_with_examples, rubric, ["001-birch"])
    assert read == GOLD.chosen(store, set_with_examples) == expected
    rows = rows_of(rubric, "001-birch", score="3", reason="anew")
    again = gold_items.read(store, set_with_examples, opened(tmp_path, rows))
    GOLD.add(store, set_with_examples, again, "Lea")
    assert {(one.score, one.reason) for one in GOLD.chosen(store, set_with_examples)} == {
        (3, "anew")
    }


def test_what_cannot_be_taken_is_named_at_once(store, set_with_examples, rubric, tmp_path):
    TRAINING_ITEMS.add(
        store, set_with_examples, known(store, set_with_examples, rubric, ["000-birch"]), "Lea"
    )
    off, misspelt, third = rows_of(rubric, "001-birch")
    bad = [off | {"score": "9"}, misspelt | {"criterion": "speed"}, third]
    with pytest.raises(Problem) as problem:
        gold_items.read(store, set_with_examples, opened(tmp_path, rows_of(rubric, "none") + bad))
    assert len(str(problem.value).splitlines()) == 4  # what is refused, and three kinds
    counted = rows_of(rubric, "003-atlas")  # to a question that is in the figures
    lacking, chosen = rows_of(rubric, "001-atlas")[:2], rows_of(rubric, "000-birch")
    rows = [*counted, *lacking, *chosen, *rows_of(rubric, "000-atlas")]
    read = gold_items.read(store, set_with_examples, opened(tmp_path, rows))
    with pytest.raises(Problem) as problem:
        GOLD.add(store, set_with_examples, read, "Lea")
    named = [name for name in ("003-atlas", "001-atlas", "000-birch") if name in str(problem.value)]
    assert len(named) == 3 == len(str(problem.value).splitlines())
    assert GOLD.chosen(store, set_with_examples) == []


def test_a_grid_adds_changes_and_removes(store, set_with_examples, rubric):
    own = known(store, set_with_examples, rubric, ["000-atlas", "001-atlas"])
    first, second = own[:3], own[3:]
    save = partial(gold_items.save, store, set_with_examples, GOLD)
    ids = first[0].item_id, second[0].item_id
    assert save(dict(zip(ids, (first, second), strict=True)), "Lea") == (2, 0)
    assert save(dict(zip(ids, (first, second), strict=True)), "Lea") == (0, 0)
    changed = [one._replace(reason="anew") for one in first]
    assert save(dict(zip(ids, (changed, []), strict=True)), "Lea") == (1, 1)
    assert GOLD.chosen(store, set_with_examples) == changed
    with pytest.raises(Problem):  # a score is missing
        save({ids[1]: second[:1]}, "Lea")


def test_a_file_to_fill_in_holds_all_it_takes_to_score_answers(store, set_with_examples, rubric):
    made = gold_items.template(store, set_with_examples, GOLD, 1)
    rows = list(csv.DictReader(io.StringIO(made)))
    assert len(rows) == 3
    level = rubric[1].criteria[0].levels[0]
    assert f"{level.score}: {level.meaning.strip()}" in rows[0]["meanings"]
    assert rows[0]["contexts"] and set(rows[0]) == set(gold_items.COLUMNS)


def versions(rubric):
    return list(rubric.versions().values())


def comment(store, made, person, rubric, place, text, press_id="c1"):
    key = workspace.Key(press_id, place.id, "", "comment", note=text)
    return workspace.save(store, made, person, rubric, [key])


def places(store, made, person, rubric):
    return workspace.window(store, made, person, rubric, None)


def test_training_comes_first_and_is_in_no_count(store, set_with_examples, rubric, ana, agree):
    agree(["000-atlas", "001-birch"])
    window = places(store, set_with_examples, ana, rubric[1])
    assert [place.training for place in window.places[:3]] == [True, True, False]
    assert (window.done, window.total) == (0, 30)
    press(store, set_with_examples, ana, rubric, window.places[0], 3)
    assert places(store, set_with_examples, ana, rubric[1]).done == 0


def test_what_was_agreed_is_told_once_every_criterion_is_on_disk(
    store, set_with_examples, rubric, ana, agree
):
    agree(["000-atlas"], 1, "half")
    [first, *_] = places(store, set_with_examples, ana, rubric[1]).places
    press(store, set_with_examples, ana, rubric, first, 3, count=len(versions(rubric[1])) - 1)
    assert places(store, set_with_examples, ana, rubric[1]).places[0].revealed is None
    press(store, set_with_examples, ana, rubric, first, 3)
    revealed = places(store, set_with_examples, ana, rubric[1]).places[0].revealed
    assert set(revealed.agreed) == set(versions(rubric[1]))
    assert {(one.score, one.reason) for one in revealed.agreed.values()} == {(1, "half")}


def test_comments_are_saved_once_and_shown_to_everyone_who_has_graded(
    store, set_with_examples, rubric, ana, agree
):
    bo = graders.ensure(store, "person", "Bo")
    agree(["000-atlas"])
    for person in (ana, bo):
        [first, *rest] = places(store, set_with_examples, person, rubric[1]).places
        press(store, set_with_examples, person, rubric, first, 3)
        for _ in range(2):
            said = comment(
                store, set_with_examples, person, rubric[1], first, f"by {person}", f"c{person}"
            )
            assert said.on_disk == [f"c{person}"]
        assert comment(store, set_with_examples, person, rubric[1], rest[0], "no").on_disk == []
    [first, *_] = places(store, set_with_examples, ana, rubric[1]).places
    told = [(one.said_by, one.text) for one in first.revealed.comments]
    assert told == [("Ana", f"by {ana}"), ("Bo", f"by {bo}")]


def test_training_and_gold_are_in_no_figure_and_their_scores_in_no_consensus(
    store, sheet, set_with_examples, rubric, ana, agree, mix_in
):
    agree(["000-atlas"])
    mix_in(["001-birch"])
    mine = {gold_items.named(store, set_with_examples, one) for one in ("000-atlas", "001-birch")}
    laid = assignments.queue(store, set_with_examples, ana, versions(rubric[1]), 1000)
    for place in laid:
        press(store, set_with_examples, ana, rubric, place, 3)
    assert mine < {place.item_id for place in laid}
    panel = panel_reading.read(store, sheet, rubric[1])
    open_to_figures = panel.items[panel.items["closed"] == ""]
    assert len(open_to_figures) == 30
    assert mine.isdisjoint(open_to_figures["item_id"])
    names = {version: name for name, version in rubric[1].versions().items()}
    assert grade_table.adjudicated(store, sheet.id, names).empty


def test_a_question_with_a_known_answer_stays_among_the_examples(
    store, sheet, set_with_examples, mix_in
):
    mix_in(["001-birch"])
    with pytest.raises(Problem, match="001"):
        split_assignment.assign(
            store, splits.questions_named(store, sheet, ["001"]), "evaluation", ""
        )
    split_assignment.assign(store, splits.questions_named(store, sheet, ["000"]), "evaluation", "")


def test_only_whole_examples_on_the_scale_can_be_known(store, set_with_examples, rubric, agree):
    wanted = known(store, set_with_examples, rubric, ["000-atlas"])
    with pytest.raises(Problem, match="005-atlas"):
        agree(["005-atlas"])
    with pytest.raises(Problem, match="000-atlas"):
        gold_items.mix_in(store, set_with_examples, wanted[:1], "Lea")
    with pytest.raises(Problem, match="9 for answer"):
        gold_items.agree(store, set_with_examples, [one._replace(score=9) for one in wanted], "Lea")
    gold_items.agree(store, set_with_examples, wanted, "Lea")
    with pytest.raises(Problem, match="pool"):
        gold_items.mix_in(store, set_with_examples, wanted, "Lea")
    assert {
        row.name for row in gold_items.offered(store, set_with_examples, gold_items.GOLD.other)
    } == {*("000-birch", "000-cobalt", "001-atlas", "001-birch", "001-cobalt")}


def test_gold_is_spread_over_the_blocks_to_come_and_each_person_meets_all(
    store, set_with_examples, rubric, ana, mix_in
):
    answers = ["000-atlas", "000-birch", "001-atlas", "001-birch"]
    mix_in(answers)
    mine = {one.item_id for one in known(store, set_with_examples, rubric, answers)}
    for person in (ana, graders.ensure(store, "person", "Bo")):
        asked = person, versions(rubric[1])
        laid = assignments.queue(store, set_with_examples, *asked, 1)
        assert assignments.progress(store, set_with_examples, *asked, laid).total == 34
        laid = assignments.queue(store, set_with_examples, *asked, 1000)
        held = [place.block for place in laid if place.item_id in mine]
        assert len(held) == 4 and max(map(held.count, held)) == 1
        assert assignments.progress(store, set_with_examples, *asked, laid).total == 34


def test_gold_changes_neither_the_order_of_the_rest_nor_what_is_assigned_already(
    store, sheet, set_with_examples, rubric, ana
):
    made = grading_sets.create(store, sheet.id, rubric[0], "Repeats", None, 1, 6, 0.3)
    asked = made, ana, versions(rubric[1])
    answers = known(store, made, rubric, ["000-atlas", "000-birch", "001-atlas", "001-birch"])
    gold = {one.item_id for one in answers}
    plain = [(one.item_id, one.repeat) for one in assignments.queue(store, *asked, 1000)]
    store.connection.execute("delete from assignments")
    begun = assignments.queue(store, *asked, 1)
    gold_items.mix_in(store, made, answers, "Lea")
    laid = assignments.queue(store, *asked, 1000)
    assert laid[: len(begun)] == begun and laid == assignments.queue(store, *asked, 1000)
    assert gold < {place.item_id for place in laid}
    assert [(one.item_id, one.repeat) for one in laid if one.item_id not in gold] == plain


def test_gold_that_is_taken_out_is_mixed_into_no_more_queues(store, set_with_examples, rubric, ana):
    answers = known(store, set_with_examples, rubric, ["000-atlas", "001-atlas"])
    gold_items.mix_in(store, set_with_examples, answers, "Lea")
    gold_items.take_out(store, set_with_examples, answers[0].item_id, "Lea")
    assert gold_items.not_yet_queued(store, set_with_examples.id, ana) == [answers[-1].item_id]


def test_a_graders_connection_learns_neither_known_scores_nor_which_answer_is_gold(
    store, set_with_examples, rubric, ana, agree, mix_in
):
    agree(["000-atlas"])
    mix_in(["001-birch"])
    with store.write():
        store.insert(
            "set_graders",
            set_id=set_with_examples.id,
            grader_id=ana,
            joins=1,
            given_by="Lea",
            created_at="",
        )
    with open_store(store.path, Who("Ana", GRADER, ana)) as own:
        told = own.rows("select score, why from gold_answers")
        assert {tuple(row) for row in told} == {(None, None)}
        laid = assignments.queue(own, set_with_examples, ana, versions(rubric[1]), 1000)
        assert own.rows("select * from gold_answers") == []
        assert own.rows("select score from adjudications") == []
        assert len(laid) == 32
        press(own, set_with_examples, ana, rubric, laid[0], 3)
        assert len(own.rows("select score from adjudications")) == len(versions(rubric[1]))
        assert comment(own, set_with_examples, ana, rubric[1], laid[0], "why so?").on_disk == ["c1"]
        [first, *_] = workspace.window(own, set_with_examples, ana, rubric[1], laid[0].id).places
        assert [one.text for one in first.revealed.comments] == ["why so?"]


def test_gold_and_training_are_never_proposed_the_same_answers(store, set_with_examples, mix_in):
    def names(purpose):
        rows = gold_items.template(store, set_with_examples, purpose, 99).splitlines()[1:]
        return {row.split(",")[0] for row in rows if row[:2] == "00"}

    gold, training = names(GOLD), names(gold_items.TRAINING_ITEMS)
    assert len(gold) == len(training) == 3 and not gold & training
    mix_in([min(gold)])
    assert names(GOLD) == gold - {min(gold)} and names(gold_items.TRAINING_ITEMS) == training
