"""Files of answers with grade columns of any names, for fuzzing, in every format."""

import io
import json
import random
from collections.abc import Callable

import pandas

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
