"""Several answers of one question without a model or an id are numbered, and keep their numbers."""

import json

from concord.store import items, sheets
from tests.support.commandline import invoke


def of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def take(db, header, rows, *how):
    """Import rows under a header."""
    path = db.with_name("s.csv")
    path.write_text("\n".join((header, *rows)))
    return invoke(db, "import", path, "--sheet", "s", *how, "--json")


def ids(store):
    rows = store.rows("select own_id, answer_model, answer from items order by id")
    assert {row["answer_model"] for row in rows} == {None}
    return {row["answer"]: row["own_id"] for row in rows}


PASSAGES = [f"What is {q}?,Passage {p} on {q}.,{(q + p) % 2}" for q in range(112) for p in range(3)]
GRADED = ("--map", "score:annotator:Ana:relevance=feedback", "--number-answers")


def test_passages_of_a_question_with_feedback_come_in(store, db):
    header = "question,answer,feedback"
    assert take(db, header, PASSAGES).exit_code == 2
    (taken,) = of(take(db, header, PASSAGES, *GRADED))["sheets"]
    assert (taken["items"], taken["grades"], taken["bad_rows"]) == (336, 336, 0)
    assert ids(store)["Passage 2 on 7."] == "What is 7?/a3"
    (again,) = of(take(db, header, reversed(PASSAGES), *GRADED))["sheets"]
    assert (again["items"], again["items_unchanged"], again["grades_unchanged"]) == (0, 336, 336)


def test_two_rows_that_collide_do_not_stop_the_file(store, db):
    rows = [f"q{n},What is {n}?,It is {n}." for n in range(382)] + ["q7,What is 7?,Or not."]
    header = "question_id,question,answer"
    (left,) = of(take(db, header, rows, "--partial"))["sheets"]
    assert left["bad_rows"] == 2
    assert sheets.find(store, "s").items == 381
    (taken,) = of(take(db, header, rows, "--number-answers"))["sheets"]
    # What is stored keeps its identity, and only the two rows that were refused are new.
    assert (taken["items"], taken["items_unchanged"], taken["bad_rows"]) == (2, 381, 0)
    assert {id_ for id_ in ids(store).values() if id_} == {"q7/a1", "q7/a2"}
    more = [*rows[:7], "q7,What is 7?,A third.", *rows[7:]]
    (more,) = of(take(db, header, more, "--number-answers"))["sheets"]
    assert (more["items"], ids(store)["A third."]) == (1, "q7/a3")


def test_an_id_of_the_file_is_kept_and_repeats_fold(store, db):
    rows = ["own,Why?,So.", ",Why?,Thus.", ",Why?,Thus.", f",{'Why ' * 40}?,So."]
    (taken,) = of(take(db, "item_id,question,answer", rows, "--number-answers"))["sheets"]
    assert (taken["items"], taken["flags"]["folded"]) == (3, 1)
    first, second, long = (items.item(store, n).item.own_id for n in (1, 2, 3))
    assert (first, second) == ("own", "Why?/a1")
    assert long.endswith("/a1") and len(long) < 70
