"""Files as colleagues make them: forms, spreadsheets with titles and totals, columns in German."""

import datetime
import io
from collections import Counter

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.annotations import ANSWERS, QUESTIONS

ROWS = range(len(QUESTIONS))


def taken(table, words=()):
    columns = column_map(table.columns, as_proposed(table, words))
    made = grade_rubric(table, columns, [], {})
    return answer_file.read(table, made.columns, made.fit.rubric, made.words)


def grades(read):
    return {(one.grader, one.criterion, one.score) for one in read.grades}


def workbook(rows):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return open_table(file.getvalue(), "Evaluation.xlsx")


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


def test_a_column_of_reference_numbers_is_the_id_and_no_reference_answer():
    rows = [(f"K-{n}", QUESTIONS[n], ANSWERS[n], n % 4 + 1) for n in ROWS]
    read = taken(workbook([("Ref #", "Question", "Answer", "Rater"), *rows]))
    assert [item.own_id for item in read.items] == [f"K-{n}" for n in ROWS]
    assert not any(item.reference for item in read.items)
