"""What the examples of docs/library.md find in their folder."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from concord import import_answers
from tests.support.commandline import judge_file
from tests.support.endpoint import Endpoint
from tests.support.reports.choices import certificate_file


@pytest.fixture
def graded_answers():
    """Sixty answers to 30 questions, graded by two annotators and a judge who nearly agree."""
    places = range(60)
    return pd.DataFrame(
        {
            "question": [f"When does line {n // 2} run?" for n in places],
            "response": [f"Line {n // 2} runs every {n + 5} minutes." for n in places],
            "system": ["atlas", "birch"] * 30,
            "lea": [n % 4 for n in places],
            "ben": [(n % 4 + (n % 13 == 0)) % 4 for n in places],
            "gpt": [(n % 4 + (n % 9 == 0)) % 4 for n in places],
        }
    )


@pytest.fixture
def priced_judge(tmp_path):
    """The path of the judge `mine` at a local server, whose replies cost something."""
    with Endpoint() as server:
        yield judge_file(tmp_path, server.url, price="{ input = 1, output = 2 }")


@pytest.fixture
def project(tmp_path, graded_answers, priced_judge, store, written):
    """A folder with the answers, the judge's file and the certificate that the examples name."""
    folder = tmp_path / "project"
    (folder / "judges").mkdir(parents=True)
    graded_answers.to_csv(folder / "answers.csv", index=False)
    file = Path(shutil.copy(priced_judge, folder / "judges/my-judge.toml"))
    certificate_file(store, file, folder / "judges/my-judge.certificate.json")
    return folder


@pytest.fixture
def few_answers(store, graded_answers):
    """Four answers to two questions, without grades."""
    mapping = {"question": "question", "answer": "response", "answer_model": "system"}
    import_answers(store, graded_answers.head(4), "few", mapping=mapping)


@pytest.fixture
def two_answers(store):
    """Two answers under their own ids, without grades."""
    answers = pd.DataFrame({"id": ["a", "b"], "question": ["p", "q"], "answer": ["x", "y"]})
    import_answers(store, answers, "pilot")
