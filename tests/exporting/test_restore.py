"""An export is restored as a store."""

import errno
from unittest.mock import Mock

import pyarrow.parquet
import pytest

from concord.exporting import exported_tables
from concord.exporting.restore import restored
from concord.messages import Problem


def test_an_export_is_restored(sheet, store, tmp_path):
    exported_tables.export(store, tmp_path / "out")
    with restored(tmp_path / "out") as found:
        assert found.value("select count(*) from items") == sheet.items


def test_a_file_that_cannot_be_read_is_said_without_the_words_of_its_reader(
    sheet, store, tmp_path, monkeypatch
):
    folder = tmp_path / "out"
    exported_tables.export(store, folder)
    path = folder / "sheets.parquet"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(Problem) as damaged, restored(folder):
        pass
    said = "The export in {folder} is damaged, or of another version. Export it again."
    assert (str(damaged.value), damaged.value.args[0].template) == (
        said.format(folder=folder),
        said,
    )
    raw = PermissionError(errno.EACCES, "Failed to open local file. Detail: [errno 13]")
    monkeypatch.setattr(pyarrow.parquet, "read_table", Mock(side_effect=raw))
    with pytest.raises(Problem), restored(folder):
        pass
    folder / "grade_history.parquet"
