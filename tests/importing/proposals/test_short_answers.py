"""Short answers, as "Paris": told from grades and from parts of one answer by their names."""

import json

import pytest

from concord.importing.proposals.accept import as_proposed
from concord.importing.readers.formats import open_table
from concord.messages import Problem


def table(**columns):
    """A file of ten questions; each column is made from the number of its row."""
    rows = [
        {"question": f"What is the capital of country {n}?"}
        | {name: made(n) for name, made in columns.items()}
        for n in range(10)
    ]
    return open_table(json.dumps(rows).encode(), "file.json")


def test_a_file_without_any_answer_is_refused_with_the_option_that_names_it():
    with pytest.raises(Problem):
        as_proposed(table(topic=lambda n: "capitals"), ())
