"""Files of gold and training items: what is read, and how bad rows are named."""

import csv
import io

import pytest

from concord.grading import gold_file, gold_items
from concord.grading.gold_items import GOLD, TRAINING_ITEMS
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.known import known


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
    read = gold_file.read(store, set_with_examples, opened(tmp_path, rows), GOLD)
    assert read.rows == 3 and not read.bad_rows
    GOLD.add(store, set_with_examples, read.taken(), "Lea")
    assert GOLD.chosen(store, set_with_examples) == known(
        store, set_with_examples, rubric, ["001-birch"]
    )
    rows = rows_of(rubric, "001-birch", score="3", reason="anew")
    again = gold_file.read(store, set_with_examples, opened(tmp_path, rows), GOLD)
    GOLD.add(store, set_with_examples, again.taken(), "Lea")
    assert {(one.score, one.reason) for one in GOLD.chosen(store, set_with_examples)} == {
        (3, "anew")
    }


def test_bad_rows_of_every_kind_are_named_at_once_with_their_remedy(
    store, set_with_examples, rubric, tmp_path
):
    TRAINING_ITEMS.add(
        store, set_with_examples, known(store, set_with_examples, rubric, ["000-birch"]), "Lea"
    )
    counted = rows_of(rubric, "003-atlas")  # to a question that is in the figures
    nowhere = rows_of(rubric, "none-such", "none-other")
    lacking = rows_of(rubric, "001-atlas")[:2]
    off, misspelt, third = rows_of(rubric, "001-birch")
    chosen = rows_of(rubric, "000-birch")
    bad = [off | {"score": "9"}, misspelt | {"criterion": "speed"}, third]
    rows = [*counted, *nowhere, *lacking, *bad, *chosen, *rows_of(rubric, "000-atlas")]
    read = gold_file.read(store, set_with_examples, opened(tmp_path, rows), GOLD)
    with pytest.raises(Problem) as problem:
        read.taken()
    text = str(problem.value)
    assert "15 of 20 rows of known.csv cannot be taken, so nothing was imported." in text
    assert "Rows 1-3 (lines 2-4)" in text and "Move the question to the few-shot pool" in text
    assert text.count("Correct item_id") == 1 and "row 7: “none-other”" in text
    assert text.count("must have exactly one agreed score") == 1
    assert "is not on the scale. Use a score of" in text
    assert "“speed” is not a criterion of" in text
    assert (
        text.count("is already a gold or training item of this set") == 1 and "Rows 15-17" in text
    )
    assert GOLD.chosen(store, set_with_examples) == []


def test_a_file_to_fill_in_holds_the_answers_named_with_all_it_takes_to_score_them(
    store, set_with_examples, rubric
):
    made = gold_file.template(store, set_with_examples, GOLD, None, ["001-birch"])
    rows = list(csv.DictReader(io.StringIO(made)))
    assert {row["item_id"] for row in rows} == {"001-birch"} and len(rows) == 3
    level = rubric[1].criteria[0].levels[0]
    assert f"{level.score}: {level.meaning.strip()}" in rows[0]["meanings"]
    assert rows[0]["contexts"] and set(rows[0]) == set(gold_file.COLUMNS)
    both = gold_file.template(store, set_with_examples, GOLD, 2, ["001-birch"])
    named = {row["item_id"] for row in csv.DictReader(io.StringIO(both))}
    assert "001-birch" in named and len(named) == 3
    with pytest.raises(Problem, match="Answer 003-atlas is not in the few-shot pool"):
        gold_file.template(store, set_with_examples, GOLD, None, ["003-atlas"])


def test_an_answer_that_was_taken_out_is_offered_again_for_the_same_purpose_alone(
    store, set_with_examples, rubric
):
    GOLD.add(
        store, set_with_examples, known(store, set_with_examples, rubric, ["001-birch"]), "Lea"
    )
    item_id = gold_items.named(store, set_with_examples, "001-birch")

    def offered(purpose):
        rows = gold_items.offered(store, set_with_examples, purpose)
        return item_id in [row.id for row in rows]

    assert offered(GOLD) and not offered(TRAINING_ITEMS)
    GOLD.take_out(store, set_with_examples, item_id, "Lea")
    assert GOLD.chosen(store, set_with_examples) == []
    assert "001-birch" in gold_file.template(store, set_with_examples, GOLD, None, ["001-birch"])
    assert offered(GOLD) and not offered(TRAINING_ITEMS)


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        (["score"], "known.csv has no column score. Add it."),
        (
            ["criterion", "score"],
            "known.csv has none of the columns criterion, score. Add them.",
        ),
    ],
)
def test_the_columns_that_a_file_lacks_are_named(
    store, set_with_examples, rubric, tmp_path, lacking, words
):
    rows = [{k: v for k, v in row.items() if k not in lacking} for row in rows_of(rubric, "x")]
    with pytest.raises(Problem) as raised:
        gold_file.read(store, set_with_examples, opened(tmp_path, rows), GOLD)
    assert str(raised.value) == words
