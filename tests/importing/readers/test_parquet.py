"""Parquet files of Hugging Face datasets."""

import io
import json

import pyarrow
import pyarrow.parquet
import pytest

from concord.importing.readers.cells import Damaged
from concord.importing.readers.formats import open_table

FEATURES = {
    "question": {"dtype": "string", "_type": "Value"},
    "answer": {"dtype": "string", "_type": "Value"},
    "label": {"names": ["bad", "good"], "_type": "ClassLabel"},
}


def table(labels, metadata):
    """A dataset with these labels, as `Dataset.to_parquet` writes it."""
    count = len(labels)
    columns = {"question": ["When?"] * count, "answer": ["Now."] * count, "label": labels}
    made = pyarrow.table(columns).replace_schema_metadata({"huggingface": metadata})
    held = io.BytesIO()
    pyarrow.parquet.write_table(made, held)
    return open_table(held.getvalue(), "train.parquet")


def test_labels_are_read_by_their_names():
    found = table([1, 0, None, -1], json.dumps({"info": {"features": FEATURES}}))
    assert [record.cells[2] for record in found.records()] == ["good", "bad", None, None]
    assert found.notes == ("Hugging Face dataset: the labels of “label” are read as words.",)


def test_a_label_without_a_name_is_damaged_and_no_number():
    found = table([1, 7], json.dumps({"info": {"features": FEATURES}}))
    (_, damaged) = (record.cells[2] for record in found.records())
    assert isinstance(damaged, Damaged) and "the label 7 has no name" in damaged.problem


@pytest.mark.parametrize(
    "metadata",
    ["", "{", "[]", "{}", '{"info": 3}', '{"info": {"features": {"label": 3}}}',
     '{"info": {"features": {"label": {"_type": "ClassLabel"}}}}', "[" * 100_000],
)  # fmt: skip
def test_other_metadata_leave_the_numbers(metadata):
    found = table([1, 0], metadata)
    assert [record.cells[2] for record in found.records()] == ["1", "0"] and not found.notes
