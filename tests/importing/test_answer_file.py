"""Answer sheets: good items, bad rows by number and column, and nothing changed on the way."""

import json

import pytest

from concord.importing import answer_columns, answer_file, list_cells
from concord.importing.columns import column_map
from concord.importing.readers.formats import open_table
from concord.messages import Problem, for_screen
from concord.model import Context
from concord.rubrics.model import Rubric, presets
from tests.support import effort
from tests.support.files import csv_bytes
from tests.support.rubrics import rubric


def load(*rows, mapped=(), using=None) -> answer_file.AnswerSheet:
    return answer_file.load(csv_bytes(*rows), "s.csv", mapped, using)


def flags(read) -> dict[str, int]:
    return {flag.kind: flag.count for flag in read.flags}


HEADER = ("item_id", "question", "answer", "model")


def test_a_long_sheet_gives_one_item_per_row_with_every_character_kept():
    read = load(
        ("item_id", "question_id", "question", "context", "answer", "model", "reference", "team"),
        ("007", "01", " Why? ", "Because.", "NA", "m1", "So.", "red"),
        ("008", "01", " Why? ", "", "null", "m2", "", ""),
    )
    first, second = read.items
    assert (first.own_id, first.question_id, first.answer) == ("007", "01", "NA")
    assert (first.question, first.answer_model, first.reference) == (" Why? ", "m1", ("So.",))
    assert first.contexts == (Context("", "", "Because.", 1),)
    assert (first.metadata, second.metadata) == ({"team": "red"}, {})
    assert (second.answer, second.contexts, second.reference) == ("null", (), ())
    assert (read.rows, read.bad_rows, read.refusal()) == (2, [], None)
    assert flags(read) == {"no_contexts": 1}


def test_a_wide_sheet_gives_one_item_per_answering_model():
    read = load(
        ("id", "question", "gpt", "claude"),
        ("7", "Why?", "a", ""),
        ("8", "How?", "c", "d"),
        mapped=["answer:GPT-4=gpt", "answer:Claude=claude"],
    )
    assert [(i.question_id, i.own_id, i.answer_model, i.answer) for i in read.items] == [
        ("7", None, "GPT-4", "a"),
        ("7", None, "Claude", ""),
        ("8", None, "GPT-4", "c"),
        ("8", None, "Claude", "d"),
    ]
    assert flags(read)["empty_answer"] == 1


def test_columns_that_may_be_wide_answers_are_suggested_not_taken():
    rows = (("id", "question", "gpt", "claude", "cost"), ("7", "Why?", "a", "b", "1"))
    table = open_table(csv_bytes(*rows), "s.csv")
    assert answer_columns.wide_candidates(table, column_map(table.columns)) == ("gpt", "claude")
    with pytest.raises(Problem, match='--map "answer:gpt=gpt" --map "answer:claude=claude"'):
        load(*rows)


@pytest.mark.parametrize(
    "cell, texts",
    [
        ("One.", ["One."]),
        ("", []),
        ("[]", []),
        ('["One.", "Two [2]."]', ["One.", "Two [2]."]),
        ("['One.', \"It's two.\"]", ["One.", "It's two."]),
        ("['One.' 'Two.'\n 'Three.']", ["One.", "Two.", "Three."]),
        ('["One.", ""]', ["One.", ""]),
        ("[1] See the manual [2]", ["[1] See the manual [2]"]),
        ("[2023]", ["[2023]"]),
        ("{not json}", ["{not json}"]),
        ("['一。', '二。']", ["一。", "二。"]),
    ],
)
def test_contexts_come_as_text_or_as_any_common_list(cell, texts):
    (item,) = load(("question", "answer", "contexts"), ("Q", "A", cell)).items
    assert [context.text for context in item.contexts] == texts


def test_contexts_may_be_objects_with_ids_and_documents():
    given = [
        {"id": "c1", "doc_id": "d1", "text": "One."},
        {"page_content": "Two.", "metadata": {"source": "d2"}},
        "Three.",
    ]
    for cell in (json.dumps(given), repr(given)):
        (item,) = load(("question", "answer", "contexts"), ("Q", "A", cell)).items
        assert item.contexts == (
            Context("c1", "d1", "One.", 1),
            Context("", "d2", "Two.", 2),
            Context("", "", "Three.", 3),
        )
    assert list_cells.contexts([given]) == item.contexts


def test_contexts_may_stand_in_several_columns():
    (item,) = load(("question", "answer", "context_2", "context_1"), ("Q", "A", "b", "a")).items
    assert [(context.rank, context.text) for context in item.contexts] == [(1, "a"), (2, "b")]


def test_text_in_brackets_that_is_no_list_is_flagged():
    read = load(("question", "answer", "contexts"), ("Q", "A", "[1] See [2]"))
    assert flags(read) == {"bracketed": 1}


def test_turns_are_a_list_of_roles_and_contents():
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    read = load(("question", "answer", "turns"), ("Q", "A", json.dumps(turns)), ("R", "A", "Hi"))
    assert read.items[0].turns == tuple(turns)
    assert "list of turns" in read.bad_rows[0].sentence()


@pytest.mark.parametrize(
    "row, column, words",
    [
        (("1", " ", "A", "m"), "question", "there is no question"),
        (("1", "Q", "A\0", "m"), "answer", "NUL character"),
        (("1", "Q", "A"), None, "cells: 3, columns in the header: 4"),
    ],
)
def test_a_bad_row_is_listed_by_number_line_and_column(row, column, words):
    read = load(HEADER, ("0", "two\nlines", "A", "m"), row)
    (bad,) = read.bad_rows
    assert (bad.row, bad.line, bad.column) == (2, 4, column)
    assert words in bad.problem
    assert bad.sentence().startswith("Row 2 (line 4)")
    assert [item.own_id for item in read.items] == ["0"]


def test_half_a_character_and_a_list_for_a_text_are_bad_rows():
    rows = [{"question": "Q", "answer": "\ud800"}, {"question": ["Q"], "answer": "A"}]
    read = answer_file.load(json.dumps(rows).encode(), "s.json")
    assert [(bad.row, bad.column) for bad in read.bad_rows] == [(1, "answer"), (2, "question")]


def test_the_refusal_names_every_bad_row_and_the_way_on():
    read = load(HEADER, ("1", "", "A", "m"), ("2", "Q", "A", "m"), ("3", "", "A", "m"))
    lines = str(read.refusal()).splitlines()
    assert lines[0] == "2 of 3 rows of s.csv are bad, so nothing was imported."
    assert lines[1].startswith("Rows 1, 3 (lines 2, 4), column “question”: there is no question.")
    assert lines[2].startswith("Importing the rest leaves out 2 of 3 answers.")
    assert "--partial" in lines[-1]


def test_an_empty_answer_is_kept_and_flagged():
    read = load(HEADER, ("1", "Q", "", "m"), ("2", "R", "  ", "m"))
    assert [item.answer for item in read.items] == ["", "  "]
    assert flags(read)["empty_answer"] == 2
    assert read.flags[0].rows == (1, 2)


def test_an_answer_cut_off_by_a_spreadsheet_is_flagged():
    assert flags(load(HEADER, ("1", "Q", "x" * 32_767, "m")))["cut_off"] == 1


def test_blank_rows_are_passed_over_and_counted():
    read = load(HEADER, ("", "", " ", ""), ("1", "Q", "A", "m"))
    assert (len(read.items), flags(read)["blank"]) == (1, 1)


def test_rows_read_together_give_what_each_gives_alone(monkeypatch):
    faults = [("", "", "", ""), ("9", "", "A", "m"), ("9", "Q", "A\0", "m"), ("9", "Q", "A")]
    good = [(str(n), f"Q{n // 3}", f"A{n}", f"m{n % 3}") for n in range(150)]
    rows = [row for n, one in enumerate(good) for row in (one, *faults[n % 7 : n % 7 + 1])]
    together = load(HEADER, *rows)
    monkeypatch.setattr(answer_file, "_BATCH", 1)
    alone = load(HEADER, *rows)
    assert [*together.items] == [*alone.items]
    assert len(together.items) == 150
    assert together.bad_rows == alone.bad_rows
    assert together.not_taken == alone.not_taken
    assert (together.rows, flags(together)) == (alone.rows, flags(alone))


def test_the_same_row_twice_is_one_item():
    row = ("1", "Q", "A", "m")
    read = load((*HEADER, "rater"), (*row, "ann"), (*row, "bob"))
    assert (len(read.items), read.folded, read.bad_rows) == (1, 1, [])
    assert read.items[0].metadata == {}


def test_one_item_with_two_answers_is_a_conflict_that_names_both_rows():
    read = load(HEADER, ("1", "Q", "A", "m"), ("2", "Q", "A", "n"), ("1", "Q", "B", "m"))
    assert [item.own_id for item in read.items] == ["2"]
    assert [(bad.row, bad.column) for bad in read.bad_rows] == [(1, "item_id"), (3, "item_id")]
    assert [bad.value for bad in read.bad_rows] == ["1", "1"]
    assert "rows 1, 3 are the same item with a different answer" in str(read.refusal())


def test_without_ids_question_and_answering_model_tell_items_apart():
    rows = (("question", "answer", "model"), ("Q", "A", "m"), ("Q", "B", "n"))
    assert len(load(*rows).items) == 2
    read = load(*rows, ("q ", "C", "m"))
    assert len(read.items) == 1
    assert "answering model" in read.bad_rows[0].problem


def test_the_same_question_about_two_documents_is_two_questions():
    read = load(
        ("question", "answer", "cluster"),
        ("Who was there?", "Ann", "a"),
        ("Who was there?", "Bob", "b"),
    )
    assert len({item.question_key for item in read.items}) == 2
    assert read.bad_rows == []


def test_one_question_id_with_two_texts_is_a_conflict():
    read = load(
        ("question_id", "question", "answer", "model"),
        ("q1", "Why?", "A", "m"),
        ("q2", "Who?", "A", "m"),
        ("q1", "How?", "B", "n"),
    )
    assert [item.question_id for item in read.items] == ["q2"]
    assert ["another text in row 3" in read.bad_rows[0].problem, read.bad_rows[1].row] == [True, 3]


def test_spellings_of_one_question_share_the_first():
    read = load(
        ("question_id", "question", "answer", "model"),
        ("q", "Why?", "A", "m"),
        ("q", "why? ", "B", "n"),
    )
    assert [item.question for item in read.items] == ["Why?", "Why?"]
    assert flags(read)["respelled"] == 1


def test_a_cluster_said_once_holds_for_the_question():
    read = load(
        ("question_id", "question", "answer", "model", "cluster"),
        ("q", "Why?", "A", "m", ""),
        ("q", "Why?", "B", "n", "k"),
    )
    assert [item.cluster for item in read.items] == ["k", "k"]


SCORED = ("item_id", "question", "answer", "ann")
ANN = ["score:person:ann:correctness=ann"]


@pytest.mark.parametrize("cell, score", [("3", 3), ("3.0", 3), (" 0 ", 0), ("３", 3), ("2.", 2)])
def test_whole_scores_on_the_scale_are_taken(cell, score):
    (grade,) = load(SCORED, ("1", "Q", "A", cell), mapped=ANN, using=rubric()).grades
    assert (grade.score, type(grade.score)) == (score, int)
    assert (grade.grader, grade.grader_kind, grade.criterion) == ("ann", "person", "correctness")
    assert (grade.row, grade.column, grade.blind) == (1, "ann", None)


@pytest.mark.parametrize(
    "cell, words",
    [
        ("2.5", "“2.5” is not a whole number"),
        ("2,5", "is not a whole number"),
        ("2.999999999", "is not a whole number"),
        ("4", "4 is not on the scale"),
        ("-1", "not on the scale"),
        ("9" * 5000, "not on the scale"),
        ("good", "is not a number"),
        ("3/3", "is not a number"),
        ("²", "is not a number"),
        ("NaN", "is not a number"),
    ],
)
def test_other_scores_are_refused_and_their_item_is_not(cell, words):
    read = load(SCORED, ("1", "Q", "A", cell), mapped=ANN, using=rubric())
    (bad,) = read.bad_rows
    assert (bad.row, bad.line, bad.column) == (1, 2, "ann")
    assert words in bad.problem
    assert "the scale 0, 1, 2, 3" in bad.problem
    assert (len(read.items), [*read.grades], read.lost) == (1, [], {"ann": 1})


def test_an_empty_score_in_a_sheet_is_no_grade():
    read = load(SCORED, ("1", "Q", "A", ""), mapped=ANN, using=rubric())
    assert ([*read.grades], read.bad_rows) == ([], [])


PROBABLE = ("item_id", "question", "answer", "grader", "score", "p:0", "p:1", "p:2", "p:3")
OF_JUDGE = ["criterion:=correctness", "grader_kind:=judge", "grader=grader"]
SHARES = [f"probabilities=p:{score}" for score in range(4)]


def test_a_score_is_read_from_the_probabilities_of_a_judge():
    rows = [
        ("1", "Q", "A", "j", "", "0", "0.2", "0.8", "0"),
        ("2", "R", "A", "j", "", "", "", "", ""),
        ("3", "S", "A", "j", "", "0", "0", "0", "0"),
    ]
    mapped = [*OF_JUDGE, *SHARES, "score=score", "outside_mass:=1"]
    read = load(PROBABLE, *rows, mapped=mapped, using=rubric())
    assert [(one.score, one.distribution.outside) for one in read.grades] == [(2, 1.0)]
    [bad] = read.bad_rows
    assert (bad.row, bad.column) == (3, "p:0") and "no score can be read" in bad.problem
    with pytest.raises(Problem, match="Probabilities are mapped without a score"):
        load(PROBABLE, *rows, mapped=[*OF_JUDGE, *SHARES, "score="], using=rubric())


def test_the_judge_in_a_column_of_its_own_whose_probabilities_are_mapped_is_named_by_row():
    words = [*SHARES, "score:judge:gpt:correctness=score"]
    with pytest.raises(Problem, match="--map score=score --map grader:=gpt --map grader_kind:=jud"):
        load(PROBABLE, ("1", "Q", "A", *"j20010"), mapped=words, using=rubric())


def test_a_grader_who_loses_grades_is_warned_about():
    rows = [(str(n), f"Q{n}", "A", score) for n, score in enumerate(("3", "2.5", "2", "1.5"))]
    read = load(SCORED, *rows, ("9", "", "A", "3"), mapped=ANN, using=rubric())
    assert read.lost == {"ann": 3}
    (warning,) = read.warnings()
    assert warning.startswith("ann loses 3 of 5 grades. The remaining grades may be biased")
    assert warning in str(read.refusal())


def test_a_grader_who_loses_every_grade_is_named_without_a_remainder():
    words = [*ANN, "score:person:bob:correctness=bob"]
    rows = [("1", "Q", "A", "9", ""), ("2", "Q2", "A", "", "3")]
    read = load((*SCORED, "bob"), *rows, mapped=words, using=rubric())
    assert read.warnings() == (
        "ann loses every grade. Correct the scores, or leave this grader out.",
    )


def test_without_a_valid_row_nothing_is_said_of_the_rest():
    read = load(SCORED, ("1", "", "A", "3"), mapped=ANN, using=rubric())
    first, fault, *remedy = str(read.refusal()).splitlines()
    assert first == "1 of 1 row of s.csv is bad, so nothing was imported."
    assert fault.startswith("Row 1") and remedy == ["Correct the file and import it again."]
    assert read.warnings() == ()


def test_grades_of_conflicting_items_are_lost_with_them():
    read = load(SCORED, ("1", "Q", "A", "3"), ("1", "Q", "B", "3"), mapped=ANN, using=rubric())
    assert ([*read.items], [*read.grades], read.lost) == ([], [], {"ann": 1})


def test_a_grade_in_the_sheet_finds_its_item_without_any_id():
    read = load(
        ("question", "answer", "s"),
        ("Q", "A", "2"),
        mapped=["score:judge:j:correctness=s"],
        using=rubric(),
    )
    assert read.grades[0].item_key == read.items[0].identity


def test_scores_need_a_rubric_that_has_the_criterion_and_a_long_sheet():
    row = ("1", "Q", "A", "3")
    with pytest.raises(Problem, match="--rubric"):
        load(SCORED, row, mapped=ANN)
    with pytest.raises(Problem, match="no criterion “correctness”"):
        load(SCORED, row, mapped=ANN, using=rubric("readability"))
    with pytest.raises(Problem, match="one column per answering model"):
        load(SCORED, row, mapped=[*ANN, "answer:m=answer"], using=rubric())


def many(rows):
    """A file of so many answers."""
    made = [
        (f"q{n // 4}", f"Question {n // 4}?", f"Answer {n} 答え", f"m{n % 4}") for n in range(rows)
    ]
    return csv_bytes(("question_id", "question", "answer", "model"), *made)


def test_a_hundred_thousand_rows_are_read_whole():
    read = answer_file.load(many(100_000), "s.csv")
    assert (len(read.items), read.bad_rows) == (100_000, [])


def test_the_work_of_reading_grows_with_the_rows_and_no_faster():
    files = [many(rows) for rows in (500, 500, 4000)]  # the first fills what is kept for later
    _, small, large = (
        effort.calls(lambda file=file: answer_file.load(file, "s.csv")) for file in files
    )
    assert small > 500 and large < 8.5 * small


def test_numbers_of_a_judge_from_0_to_1_on_a_longer_scale_are_flagged():
    columns = ["score:judge:gpt:correctness=gpt", "score:judge:own:correctness=own"]
    rows = "question,answer,gpt,own\nQ,A,0.5,0.5\nR,B,1,2.5\n"
    read = answer_file.load(rows.encode(), "s.csv", columns, presets()["doc-qa-0-3"])
    (flag,) = [flag for flag in read.flags if flag.kind == "zero_to_one"]
    assert (flag.count, flag.rows) == (2, (1, 2))
    assert (
        "Numbers of gpt lie within 0 to 1, and the scale of doc-qa-0-3 is 0 to 3" in flag.sentence
    )
    remedy = "choose “How are they read?” under “Import grades”"
    assert f"{remedy} (grades --score 0-1=0-3 on the command line)." in flag.sentence
    assert f"{remedy}." in for_screen(flag.sentence)


@pytest.mark.parametrize("best, flagged", [(1, True), (2, False)])
def test_annotators_of_0_to_1_on_a_longer_scale_are_flagged(best, flagged):
    columns = ["score:annotator:Ana:correctness=ana", "score:annotator:Bo:correctness=bo"]
    rows = f"question,answer,ana,bo\nQ,A,0,1\nR,B,1,{best}\n"
    read = answer_file.load(rows.encode(), "s.csv", columns, presets()["doc-qa-0-3"])
    text = "All grades by annotators lie within 0 to 1, and the scale of doc-qa-0-3 is 0 to 3."
    assert any(text in flag.sentence for flag in read.flags) is flagged


def test_criteria_that_are_not_shared_are_named_as_in_the_file():
    rows = [(f"Why {n}?", "So.", "1", "2") for n in range(3)]
    own = rubric("correctness").model_dump()
    two = [{"name": "correctness", "title": "Tone"}, {"name": "criterion_2", "title": "採点"}]
    own["criteria"] = [own["criteria"][0] | one | {"weight": 0.5} for one in two]
    words = ["score:person:ann:correctness=a", "score:judge:gpt:criterion_2=b"]
    read = load(("question", "answer", "a", "b"), *rows, mapped=words, using=Rubric(**own))
    (flag,) = [one for one in read.flags if one.kind == "no_shared_criterion"]
    assert "Annotators graded Tone, judges 採点." in flag.sentence


def test_that_no_answer_has_contexts_is_said_once_and_without_rows():
    rows = [(f"Why {n}?", "So.") for n in range(3)]
    (flag,) = load(("question", "answer"), *rows).flags
    assert (flag.kind, flag.count, flag.rows) == ("no_contexts", 3, ())
    assert flag.sentence == "No answer has contexts."


def test_annotators_and_judges_without_a_common_criterion_are_flagged():
    rows = [(f"Why {n}?", "So.", "1", "2") for n in range(3)]
    apart = ["score:person:ann:correctness=a", "score:judge:gpt:readability=b"]
    alike = ["score:person:ann:correctness=a", "score:judge:gpt:correctness=b"]
    head = ("question", "answer", "a", "b")
    assert "no_shared_criterion" in flags(
        load(head, *rows, mapped=apart, using=presets()["doc-qa-0-3"])
    )
    assert "no_shared_criterion" not in flags(
        load(head, *rows, mapped=alike, using=presets()["doc-qa-0-3"])
    )


def test_the_same_score_in_two_columns_of_one_grader_is_flagged():
    rows = [("question", "answer", "a", "b"), ("Why?", "So.", "1", "1"), ("How?", "So.", "2", "")]
    mapped = ("score:annotator:ana:correctness=a", "score:annotator:ana:correctness=b")
    read = load(*rows, mapped=mapped, using=rubric())
    assert (len(read.grades), read.bad_rows, flags(read)["doubled"]) == (2, [], 1)


def test_a_contradicting_grade_names_its_column():
    rows = [("question", "answer", "a", "b"), ("Why?", "So.", "1", "2"), ("How?", "So.", "2", "")]
    mapped = ("score:annotator:ana:correctness=a", "score:annotator:ana:correctness=b")
    read = load(*rows, mapped=mapped, using=rubric())
    assert [bad.column for bad in read.bad_rows] == ["a", "b"]
