"""Fixtures of the tests of importing."""

import tracemalloc

import pytest

from concord.importing import answer_file, sheet_import
from concord.rubrics.model import parse
from concord.store import grade_additions, items
from concord.store import spool as spool_module
from concord.store.rubrics import rubric_versions

LEVELS = "".join(f'[[criteria.levels]]\nscore = {n}\nmeaning = "It is {n}."\n' for n in range(3))
OWN = (
    'name = "own"\ntitle = "Own"\nscale = [0, 1, 2]\n[[criteria]]\nname = "tone"\n'
    f'title = "Tone of voice"\nweight = 1\nquestion = "How does it sound?"\n{LEVELS}'
)


@pytest.fixture
def keys(store, sheet):
    return items.item_keys(store, sheet.id)


@pytest.fixture
def take(store, rubric, keys):
    """Compares and stores grades; returns the comparison."""

    def take(*given, under=rubric[1]):
        compared = grade_additions.take(store, [under], given, lambda _: keys, dry_run=True)
        grade_additions.take(store, [under], given, lambda _: keys, replaces=True)
        return compared

    return take


@pytest.fixture
def own_rubric(store):
    rubric = parse(OWN, "own.toml")
    rubric_versions.register(store, rubric, "file")
    return rubric


@pytest.fixture
def peak(store, rubric, tmp_path, monkeypatch):
    """Bytes of memory at most while a file of rows is imported under a rubric; checks the count."""
    monkeypatch.setattr(spool_module, "_IN_MEMORY", 1 << 16)

    def peak(heading, rows, answers, **said) -> int:
        path = tmp_path / f"{answers}.csv"
        path.write_text("\n".join([heading, *rows]), encoding="utf-8")
        tracemalloc.start()
        try:
            read = answer_file.load(path, rubric=rubric[1], **said)
            taken = sheet_import.take_sheet(store, read, path.stem, rubric[1])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            assert taken.items == answers
            path.unlink()

    return peak
