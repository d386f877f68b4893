"""Short answers, as "Paris": told from grades and from parts of one answer by their names."""

import json

import pytest

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem

CITIES = ["Paris", "Berlin", "Rome", "Madrid", "Lisbon", "Vienna", "Oslo", "Bern", "Prague", "Kyiv"]
MODELS = ("gpt-4", "claude", "llama-3")


def table(**columns):
    """A file of ten questions; each column is made from the number of its row."""
    rows = [
        {"question": f"What is the capital of country {n}?"}
        | {name: made(n) for name, made in columns.items()}
        for n in range(10)
    ]
    return open_table(json.dumps(rows).encode(), "file.json")


def city(n, at=0):
    return CITIES[(n + at) % 10]


def by_model(made):
    return lambda n: {model: made(n, at) for at, model in enumerate(MODELS)}


@pytest.mark.parametrize(
    ("columns", "answer"),
    [
        ({"answers": by_model(city)}, "answers.{answer_model}"),
        ({"answers": by_model(lambda n, at: {"answer": city(n, at), "score": at})},
         "answers.{answer_model}.answer"),
        ({"outputs": lambda n: [{"model": m, "text": city(n, at)} for at, m in enumerate(MODELS)]},
         "outputs.{model}.text"),
        ({f"{m}_answer": lambda n, at=at: city(n, at) for at, m in enumerate(MODELS)},
         "{answer_model}_answer"),
        ({"predictions": by_model(lambda n, at: n * 40 + at)}, "predictions.{answer_model}"),
        ({"candidates": lambda n: {"ours": city(n), "baseline": city(n, 1)}},
         "candidates.{answer_model}"),
    ],
)  # fmt: skip
def test_short_answers_under_each_model_are_unrolled(columns, answer):
    file = table(**columns, gold=city, ctxs=lambda n: [{"title": city(n), "text": f"It is {n}."}])
    proposal = propose(file)
    assert {doubt.field for doubt in proposal.doubts} <= {"grader"}
    assert {f"answer={answer}", "contexts=ctxs", "reference=gold"} <= {*proposal.spoken()}
    read = answer_file.read(file, column_map(file.columns, proposal.spoken(with_grades=False)))
    models = ["baseline", "ours"] if "candidates" in columns else sorted(MODELS)
    assert sorted({one.answer_model for one in read.items}) == models
    assert len(read.items) == 10 * len(models)
    assert read.bad_rows == []
    assert all(one.contexts[0].text for one in read.items)


@pytest.mark.parametrize("name", ["pred", "model_prediction", "final_answer", "outputs.answer"])
def test_a_column_of_short_texts_named_as_answers_is_the_answer_and_not_the_note(name):
    file = table(**{name: city}, note=lambda n: f"A note of several words on {n}.")
    assert f"answer={name}" in propose(file).spoken()


@pytest.mark.parametrize(
    "columns",
    [
        {"answers": lambda n: {"text": [city(n)], "answer_start": [n]}},
        {"outputs": lambda n: {"answer_type": "city", "category": "place"}},
        {"response": lambda n: {"id": str(n), "object": "chat", "model": "gpt-4o"}},
        {"responses": lambda n: {"annotator_1": ("yes", "no")[n % 2], "annotator_2": "no"}},
        {"responses": lambda n: {"ana": ("yes", "no")[n % 2], "ben": "no"}},
        {"answers": by_model(lambda n, at: ("yes", "no")[(n + at) % 2])},
        {"answer_type": lambda n: "city", "answer_language": lambda n: "en"},
        {"predictions": by_model(lambda n, at: (n + at) % 5),
         "body": lambda n: f"Prose that could be the answer to number {n} of all."},
    ],
)  # fmt: skip
def test_parts_of_an_answer_and_grades_are_no_answers_of_models(columns):
    answers = [word for word in propose(table(**columns)).spoken() if word.startswith("answer=")]
    assert answers in ([], ["answer=body"])


@pytest.mark.parametrize("ctxs", [lambda n: [f"some text {n}"], lambda n: f"some short text {n}"])
def test_no_error_suggests_contexts_or_references_as_answers(ctxs):
    file = table(
        **{m: lambda n, at=at: city(n, at) for at, m in enumerate(MODELS)},
        ctxs=ctxs, gold_answers=city, target=city, note=lambda n: f"A note on {n}, of words.",
    )  # fmt: skip
    with pytest.raises(Problem) as refused:
        answer_file.read(file, column_map(file.columns))
    wide = " ".join(f'--map "answer:{m}={m}"' for m in MODELS)
    assert str(refused.value).endswith(f"one answering model: {wide}")
    with pytest.raises(Problem, match=r"gpt-4, claude, llama-3 .answer.: .* .answer:gpt-4=gpt-4."):
        as_proposed(file, ())


def test_a_file_without_any_answer_is_refused_with_the_option_that_names_it():
    with pytest.raises(Problem, match=r"no column is named like an answer.*--map answer=COLUMN"):
        as_proposed(table(topic=lambda n: "capitals"), ())
