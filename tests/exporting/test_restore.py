"""An export is restored as a store, also one of an earlier version."""

import pyarrow.parquet
import pytest

from concord.exporting import exported_tables
from concord.exporting.restore import restored
from concord.model import EXTRA_FIELDS


@pytest.mark.parametrize("lacking", [(), sorted(EXTRA_FIELDS)])
def test_a_field_that_was_added_later_may_be_missing_from_an_export(
    sheet, store, tmp_path, lacking
):
    exported_tables.export(store, tmp_path / "out")
    path = tmp_path / "out" / "items.parquet"
    table = pyarrow.parquet.read_table(path)
    assert set(table.column_names) >= EXTRA_FIELDS
    pyarrow.parquet.write_table(table.drop_columns(list(lacking)), path)
    with restored(tmp_path / "out") as found:
        assert found.value("select count(*) from items") == sheet.items
