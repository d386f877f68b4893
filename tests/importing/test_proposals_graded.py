"""Every grade column that is proposed is read: each of its scores is taken or counted as left out.

More files: CONCORD_FUZZED_FILES=20000 pytest tests/importing/test_proposals_graded.py

Files of answers with grade columns of any names, for fuzzing, in every format.
"""

import io
import json
import os
import random
from collections import Counter
from collections.abc import Callable

import pandas

from concord.importing import answer_file
from concord.importing.columns import column_map, opened
from concord.importing.default_rubric import grade_rubrics
from concord.importing.proposals import propose
from concord.importing.readers import cells
from concord.importing.readers.formats import open_table
from concord.importing.scores import criterion, score, words_of
from concord.messages import Problem

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


def written_scores(table, found):
    """The number of scores in each column of scores; words for no grade are none."""
    counts = Counter()
    for record in table.records():
        for column in found.columns.scores:
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
    words = words_of(found.words, (rubric.criterion(column.criterion).title, column.criterion))
    try:
        return score(cell, rubric.scale, column.kind, words) is not None
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
    repeats = sum(flag.count for flag in sheet.flags if flag.kind == "doubled")
    assert given.total() == len(sheet.grades) + sheet.left_out()["grades"] + repeats
    return True


def test_every_score_of_a_proposed_column_is_taken_or_counted():
    done = sum(check(*graded_file(seed)) for seed in range(FILES))
    assert done > FILES / 4
