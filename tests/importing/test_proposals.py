"""Proposals: what names and five rules decide, and that everything else is listed.

Every grade column that is proposed is read: each of its scores is taken or counted as left out, in
files of grade columns of any names. More files: CONCORD_FUZZED_FILES=20000 pytest FILE
"""

import io
import json
import os
import random
from collections import Counter
from collections.abc import Callable

import pandas
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map, opened
from concord.importing.grade_scales import grade_rubrics
from concord.importing.proposals import decided, propose
from concord.importing.readers import cells
from concord.importing.readers.formats import open_table
from concord.importing.scores import criterion, score
from concord.messages import Problem
from tests.support.files import ANSWERS, OBJECTS, QUESTIONS

SOME = range(12)


def table(**columns):
    """A file whose columns hold what a function gives for each row, or one value in all."""
    rows = [{c: f(n) if callable(f) else f for c, f in columns.items()} for n in SOME]
    return open_table(json.dumps(rows).encode(), "s.json")


def asked(**more):
    return table(question=QUESTIONS.__getitem__, **more)


def undecided(found):
    return {one.column: one.word for one in found.undecided}


@pytest.mark.parametrize(
    ("column", "make", "word"),
    [
        ("ticket", lambda n: f"T-{n}", "item_id=ticket"),
        ("Nr", lambda n: n + 1, "item_id=Nr"),
        ("reply text", ANSWERS.__getitem__, "answer=reply text"),
        ("found", lambda n: [ANSWERS[n], ANSWERS[-n]], "contexts=found"),
        ("human", lambda n: n % 3, "score:annotator:human:overall=human"),
        ("rater 2 fluency", lambda n: n % 3, "score:annotator:rater 2:fluency=rater 2 fluency"),
        ("gpt-4o score", lambda n: n % 3, "score:judge:gpt 4o:overall=gpt-4o score"),
        ("faithfulness", lambda n: n % 2, "score:metric:faithfulness:faithfulness=faithfulness"),
    ],
)
def test_a_rule_decides_where_one_column_fits(column, make, word):
    more = {} if word.startswith("answer") else {"answer": ANSWERS.__getitem__}
    found = propose(asked(**more, **{column: make}))
    assert ((*found.words, *found.grades), found.undecided) == ((word,), ())


def test_names_that_tell_the_answers_of_each_question_apart_are_answering_models():
    def of(answer):
        return propose(
            table(question=lambda n: QUESTIONS[n // 2], answer=answer, by=lambda n: "ab"[n % 2])
        )

    assert of(ANSWERS.__getitem__).words == ("answer_model=by",)
    # Where the answer is repeated, they are those who graded it.
    assert of(lambda n: ANSWERS[n // 2]).words == ()


def test_slots_named_model_are_no_answering_models():
    def slot(shift):
        return {
            f"model{shift}": lambda n: {
                "model_name": f"system {(n + shift) % 5}",
                "response": ANSWERS[n - shift],
            }
        }

    found = propose(asked(**slot(1), **slot(2)))
    assert (found.words, found.grades) == ((), ())
    assert undecided(found)["model1.response"] == "answer=model1.response"
    assert undecided(found)["model2.model_name"] == "answer_model=model2.model_name"


@pytest.mark.parametrize("column", ["model_output", "answer"])
def test_a_few_recurring_names_are_never_the_answer(column):
    found = propose(asked(**{column: "gpt-4"}))
    assert undecided(found) == {column: f"answer={column}"}
    with pytest.raises(Problem) as refused:
        decided(asked(**{column: "gpt-4"}), ())
    assert refused.value.code == "no_column"
    assert decided(asked(**{column: "gpt-4"}), (f"answer={column}",))[0] == (f"answer={column}",)


def test_a_path_that_holds_reference_is_no_answer_and_no_reference():
    found = propose(asked(reference=lambda n: [{"output": {"text": ANSWERS[n]}}]))
    assert not [word for word in found.words if not word.endswith("=")]
    assert "reference.0.output.text" in undecided(found)


def test_a_column_of_people_is_listed_beside_that_of_a_judge():
    more = {"Bewertung Mensch": lambda n: n % 3, "gpt4_score": lambda n: (n + 1) % 3}
    file = asked(answer=ANSWERS.__getitem__, **more)
    found = propose(file)
    assert found.grades == ("score:judge:gpt4:overall=gpt4_score",)
    word = "score:annotator:NAME:CRITERION=Bewertung Mensch"
    assert undecided(found) == {"Bewertung Mensch": word}
    with pytest.raises(Problem) as refused:
        decided(file, (), with_grades=True)
    assert refused.value.code == "undecided" and word in str(refused.value)


def test_names_of_people_and_of_criteria_are_not_told_apart():
    found = propose(asked(answer=ANSWERS.__getitem__, expert_anna=lambda n: n % 3))
    assert found.grades == ()
    assert undecided(found) == {"expert_anna": "score:annotator:NAME:CRITERION=expert_anna"}


def test_the_remedy_names_the_path_and_values():
    file = asked(output=lambda n: [{"answer": ANSWERS[n], "draft": ANSWERS[-n]}])
    with pytest.raises(Problem) as refused:
        decided(file, ())
    for path in ("output.0.answer", "output.0.draft"):
        assert f'--map "answer={path}"' in str(refused.value)
    assert decided(file, ("answer=output.0.answer",))[0][-1] == "answer=output.0.answer"


def test_a_list_of_several_answers_or_grades_is_never_read_by_its_first_part_alone():
    def parts(n):
        return [{"model": f"m{(n + k) % 5}", "text": ANSWERS[k], "score": k} for k in (0, 1, 2)]

    found = propose(asked(answers=parts))
    assert (found.words, found.grades) == ((), ())
    assert {one.word for one in found.undecided} == {
        "answer_model=answers.{n}.model",
        "answer=answers.{n}.text",
        "score:annotator:{n}:CRITERION=answers.{n}.score",
    }


CELLS = st.one_of(
    st.none(), st.integers(0, 5).map(str), st.sampled_from(["ana", "bob", "Useful", "gpt"]),
    st.text(max_size=30), st.just("What is the matter with it?"), st.floats().map(str),
)  # fmt: skip
NAMES = st.sampled_from(
    ["question", "answer", "gpt_answer", "our_answer", "gt_answer", "annotator_id", "rater", "id",
     "score", "human_score", "dimension", "model", "system", "x", "text", "gpt_score", "our_score"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8, unique=True), st.integers(1, 8), st.data())
def test_any_sheet_gets_a_proposal_that_can_be_read(names, count, data):
    row = st.fixed_dictionaries({name: CELLS for name in names})
    _check(data.draw(st.lists(row, min_size=count, max_size=count)))


@settings(max_examples=150, deadline=None)
@given(OBJECTS)
@example([{"answer": 1}, {"": None, "answer": 0}])
@example([{"": {"": {}, "question": {"answer": False}}}])
@example([{"question": None}, {"question": "Why?"}, {"answer": [{"question": False}, None]}])
@example([{"question": None, "answer": None, "": 0}, {"question": None, "": 1}])
@example([{"question": 0, "model": "What is the matter with it?", "system": None}, {"system": 0}])
def test_any_nested_file_gets_a_proposal_that_can_be_read(rows):
    _check(rows)


def _check(rows):
    """What is proposed can be said, and each column with values is mapped or undecided."""
    try:
        file = open_table(json.dumps(rows).encode(), "s.json")
    except Problem:
        return
    found = propose(file)
    mapped = {*column_map(file.columns, (*found.words, *found.grades)).mapped()}
    assert not mapped & {one.column for one in found.undecided}
    assert json.dumps(found.as_json())


def test_every_column_is_mapped_or_undecided():
    chance = random.Random(1)
    more = {f"c{k}": lambda n, k=k: chance.choice("xyz") * k for k in range(1, 5)}
    found = propose(asked(answer=ANSWERS.__getitem__, **more))
    assert {*undecided(found)} == {*more}


_WORDS = [
    *("score", "Score", "human", "annotator", "rater_1", "tone", "Tone", "overall", "quality"),
    *("Q0", "judge", "gpt-4", "GPT_4", "llm", "rating", "grade", "correctness", "relevance"),
    *("ana", "bob", "mean", "label", "expert", "1", "2", "f1", "bleu", "faithfulness", "é"),
]
_SCORES = ([1, 2, 3, 4, 5], [0, 1], ["yes", "no"], [1, 2, 3, None], [0.2, 0.75, 0.9], [True, False])
FORMATS = ("csv", "json", "xlsx", "parquet")


def graded_file(seed: int) -> tuple[bytes, str]:
    """The bytes and the name of one file; each answer is in it once."""
    chance = random.Random(seed)
    rows = (_flat if chance.random() < 0.6 else _nested)(chance)
    return written(rows, chance.choice(FORMATS))


def written(rows: list[dict], form: str) -> tuple[bytes, str]:
    """Rows as a file; cells of CSV and XLSX hold nested values as JSON."""
    file, frame = io.BytesIO(), pandas.DataFrame(rows)
    if form == "json":
        file.write(json.dumps(rows).encode())
    elif form == "parquet":
        frame.to_parquet(file)
    else:
        frame = frame.map(lambda one: json.dumps(one) if isinstance(one, dict | list) else one)
        (frame.to_csv if form == "csv" else frame.to_excel)(file, index=False)
    return file.getvalue(), f"s.{form}"


def _name(chance: random.Random) -> str:
    words = chance.sample(_WORDS, chance.choice([1, 1, 1, 2, 2, 3]))
    return chance.choice(["_", " ", "-", ": ", "/"]).join(words)


def _scores(chance: random.Random) -> Callable[[], object]:
    values = chance.choice(_SCORES)
    return lambda: chance.choice(values)


def _answer(chance: random.Random) -> str:
    return " ".join(f"word{chance.randrange(500)}" for _ in range(9))


def _flat(chance: random.Random) -> list[dict]:
    score = _scores(chance)
    columns = {_name(chance): _scores(chance) for _ in range(chance.randint(1, 4))}
    if chance.random() < 0.5:
        columns = dict.fromkeys(columns, score)
    rows = [
        {
            "question": f"What about number {n // 2}?",
            "answer": _answer(chance),
            "model": f"m{n % 2}",
        }
        | {column: one() for column, one in columns.items()}
        for n in range(chance.choice([4, 8, 20]))
    ]
    if chance.random() < 0.4:
        rows = [row | {"annotator": chance.choice(["ana", "bob"])} for row in rows]
    return rows


def _nested(chance: random.Random) -> list[dict]:
    shape, score, other = chance.randrange(4), _scores(chance), _scores(chance)
    one, two = _name(chance), _name(chance)

    def graded() -> dict:
        if shape == 0:
            return {"scores": {one: score(), two: score()}, "human": {one: other(), two: other()}}
        if shape == 1:
            return {"ratings": {who: {one: score(), two: score()} for who in ("ana", "bob")}}
        if shape == 2:
            return {"grades": [{"rater": who, one: score()} for who in ("ana", "bob")]}
        return {name: {"score": score(), "reason": _answer(chance)} for name in (one, two)}

    return [
        {"question": f"What about number {n}?", "answer": _answer(chance)} | graded()
        for n in range(chance.choice([4, 8]))
    ]


FILES = int(os.environ.get("CONCORD_FUZZED_FILES", "300"))


def read(data, name):
    """A file as proposed: its table, the proposed rubric and the sheet; a Problem if in doubt."""
    table = open_table(data, name)
    proposal = propose(table)
    columns = column_map(table.columns, (*proposal.words, *proposal.grades))
    found = grade_rubrics(table, columns, [], {}) if columns.scores else None
    return found and (
        opened(table, found.columns),
        found,
        answer_file.read(table, found.columns, found.rubrics, found.words),
    )


def written_scores(table, found, bad=()):
    """The number of scores in each column of scores; words for no grade are none."""
    counts = Counter()
    for record in table.records():
        for column in found.columns.scores if record.row not in bad else ():
            cell = record.cells[table.columns.index(column.column)]
            counts[column.column] += sum(_is_score(one, found, column) for one in _values(cell))
    return counts


def _values(cell):
    """The values of a cell, under each key where it has several."""
    if not isinstance(cell, dict):
        return [cell]
    return [one for inner in cell.values() for one in _values(inner)]


def _is_score(cell, found, column):
    _, rubric = criterion(column.criterion, found.rubrics)
    try:
        return score(cell, rubric.scale, column.kind, found.words) is not None
    except cells.BadCell:
        return True


def check(data, name):
    """True for a file with grades of which each is taken or counted."""
    try:
        done = read(data, name)
    except Problem:
        return False
    if not done:
        return False
    table, found, sheet = done
    given = written_scores(table, found)
    taken = Counter(grade.column for grade in sheet.grades)
    faulty = {bad.column for bad in sheet.bad_rows}
    assert [c for c, n in given.items() if n and not taken[c] and c not in faulty] == []
    repeats, bad = sheet.flags.get("folded_grades", 0), {one.row for one in sheet.bad_rows}
    good = sum(grade.row not in bad for grade in sheet.grades)
    assert good <= written_scores(table, found, bad).total() <= good + repeats
    assert bad or given.total() == good + repeats
    return True


def test_every_score_of_a_proposed_column_is_taken_or_counted():
    done = sum(check(*graded_file(seed)) for seed in range(FILES))
    assert done > FILES / 4
