"""Parquet files of Hugging Face datasets."""

import io
import json

import pyarrow
import pyarrow.parquet

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


def test_a_label_without_a_name_is_damaged_and_no_number():
    found = table([1, 7], json.dumps({"info": {"features": FEATURES}}))
    (_, damaged) = (record.cells[2] for record in found.records())
    assert isinstance(damaged, Damaged)
