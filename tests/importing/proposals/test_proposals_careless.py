"""Files as colleagues make them: forms, spreadsheets with titles and totals, columns in German."""

import csv
import datetime
import io
from collections import Counter

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.annotations import ANSWERS, QUESTIONS
from tests.support.files import csv_bytes

ROWS = range(len(QUESTIONS))
WORDS = {1: "1 - very bad", 2: "2 - bad", 3: "3 - okay", 4: "4 - good", 5: "5 - very good"}


def taken(table, words=()):
    columns = column_map(table.columns, as_proposed(table, words))
    made = grade_rubric(table, columns, [], {})
    return answer_file.read(table, made.columns, made.fit.rubric, made.words)


def grades(read):
    return {(one.grader, one.criterion, one.score) for one in read.grades}


def form(who, people=("Ana Ruiz", "Ben")):
    rows = [("Timestamp", who, "Question", "Answer of the assistant", "How correct is it?",
             "How complete is it?", "Any comments?")]  # fmt: skip
    for person in people:
        rows += [("9/1", person, QUESTIONS[n], ANSWERS[n], WORDS[n % 5 + 1], WORDS[n % 3 + 1], "")
                 for n in ROWS]  # fmt: skip
    return open_table(csv_bytes(*rows), "form.csv")


@pytest.mark.parametrize("who", ["Your name", "Email Address", "Username", "Ihr Name"])
def test_a_form_names_its_annotators_and_asks_for_its_criteria(who):
    read = taken(form(who))
    assert {one.grader for one in read.grades} == {"Ana Ruiz", "Ben"}
    assert {one.criterion for one in read.grades} == {"how_correct_is_it", "how_complete_is_it"}
    assert (len(read.items), len(read.grades)) == (len(ROWS), 4 * len(ROWS))
    assert {one.score for one in read.grades} == {1, 2, 3, 4, 5}
    assert not read.bad_rows


def test_who_asked_is_no_annotator():
    rows = [("Username", "Question", "Answer", "Correctness")]
    rows += [(f"user {n % 3}", QUESTIONS[n], ANSWERS[n], str(n % 5 + 1)) for n in ROWS]
    found = propose(open_table(csv_bytes(*rows), "log.csv"))
    assert (found.grades, [one.field for one in found.doubts]) == ((), ["grader"])


def workbook(rows):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return open_table(file.getvalue(), "Evaluation.xlsx")


def test_titles_and_totals_of_a_spreadsheet_are_no_answers():
    head = ("#", "Question", "Answer", "Rater 1 (Petra)", "Rater 2 (Tom)", "LLM judge")
    rows = [(n + 1, QUESTIONS[n], ANSWERS[n], n % 4 + 1, 4, n % 4 + 1) for n in ROWS]
    total = (None, "Average:", None, 2.6, 4, 2.8)
    read = taken(workbook([("Evaluation",), (), head, *rows, (), total]))
    assert {one.grader for one in read.grades} == {"rater_1_petra", "rater_2_tom", "llm_judge"}
    assert {one.criterion for one in read.grades} == {"overall"}
    assert (len(read.items), len(read.grades)) == (len(ROWS), 3 * len(ROWS))
    assert not read.bad_rows
    assert read.table.skipped == (
        "The header is row 3; the rows above it are left out.",
        f"Row {len(ROWS) + 5} summarises the others (“Average:”) and is left out.",
    )
    listed = io.StringIO()
    csv.writer(listed).writerows([head, *rows, total])
    read = taken(open_table(listed.getvalue().encode(), "Evaluation.csv"))
    (bad,) = read.bad_rows
    assert bad.problem == "it is a summary of other rows, not a question. Remove the row."
    assert len(read.items) == len(ROWS)


CELLS = {
    "whole": lambda score: score,
    "floats": lambda score: float(score),
    "words": lambda score: ("bad", "ok", "good")[score],
    "booleans": lambda score: score == 1,
}


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2),
    st.lists(st.sampled_from(["rater_1", "rater_2", "expert 2", "judge", "gpt-4o"]),
             min_size=1, max_size=3, unique=True),
    st.sampled_from([*CELLS]),
    st.booleans(),
    st.sampled_from([(), ("Average", 2.5)]),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_a_workbook_is_read_as_written_or_refused_in_a_sentence(
    titles, graders, kind, has_dates, totals, random
):
    head = ("Question", "Answer", *graders, *(["Date"] if has_dates else []))
    rows, written = [], Counter()
    for question, answer in zip(QUESTIONS, ANSWERS, strict=True):
        n, most = len(rows), 2 if kind == "booleans" else 3
        scores = [n % 3 % most if n < 3 else random.randrange(most) for _ in graders]
        blank = random.randrange(len(graders) * 4) if n > 2 else -1
        cells = [None if n == blank else CELLS[kind](score) for n, score in enumerate(scores)]
        written.update((question, s) for n, s in enumerate(scores) if n != blank)
        dates = [datetime.datetime(2026, 5, 1 + len(rows))] if has_dates else []
        rows.append((question, answer, *cells, *dates))
    last = [(totals[0], None, *[totals[1]] * len(graders))] if totals else []
    table = workbook([("Evaluation of May",)] * titles + [head, *rows, *last])
    try:
        read = taken(table)
    except Problem as refused:
        assert str(refused).strip()
        return
    asked = {item.identity: item.question for item in read.items}
    assert Counter(asked.values()) == Counter(QUESTIONS)
    assert Counter((asked[one.item_key], one.score) for one in read.grades) == written
    judges = {one.grader for one in read.grades if one.grader_kind == "judge"}
    assert judges <= {"judge", "gpt-4o"}


def test_a_question_may_be_a_word_of_totals_where_it_has_an_answer():
    rows = [(QUESTIONS[n] if n else "Mean", ANSWERS[n], n % 4, 3) for n in ROWS]
    read = taken(workbook([("Question", "Answer", "rater_1", "rater_2"), *rows]))
    assert len(read.items) == len(ROWS)
    assert not read.bad_rows


def test_names_in_columns_are_asked_for_with_words_that_can_be_copied():
    rows = [("Frage", "Antwort", "Modell", "Note Anna", "Note Jürgen", "GPT-4 Bewertung")]
    rows += [(QUESTIONS[n], ANSWERS[n], "alt", str(n % 5 + 1), str(n % 4 + 1), "3,5") for n in ROWS]
    table = open_table(csv_bytes(*rows), "bewertung.csv")
    with pytest.raises(Problem) as refused:
        as_proposed(table, ())
    graders = [
        "score:annotator:Anna:overall=Note Anna",
        "score:annotator:Jürgen:overall=Note Jürgen",
    ]
    assert " ".join(f'--map "{word}"' for word in graders) in str(refused.value)
    assert '--map "score:annotator:annotator:Anna=Note Anna"' in str(refused.value)
    read = taken(table, graders)
    assert {one.answer_model for one in read.items} == {"alt"}
    assert {(one.grader, one.criterion) for one in read.grades} == {
        ("Anna", "overall"), ("Jürgen", "overall"), ("gpt-4", "overall"),
    }  # fmt: skip


def test_a_column_of_reference_numbers_is_the_id_and_no_reference_answer():
    rows = [(f"K-{n}", QUESTIONS[n], ANSWERS[n], n % 4 + 1) for n in ROWS]
    read = taken(workbook([("Ref #", "Question", "Answer", "Rater"), *rows]))
    assert [item.own_id for item in read.items] == [f"K-{n}" for n in ROWS]
    assert not any(item.reference for item in read.items)
