"""Fixtures of the tests of units."""

import pytest

from concord.exporting import exported_tables
from concord.model import Cell
from concord.store import additions, graders, grades, items
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.evidence_room import CLAIMS, PAIRS
from tests.support.made_items import made_item


@pytest.fixture
def exported(store, labelled, tmp_path):
    """An export of a sheet with claims, one list edited, and pairs of them with contexts."""
    store.execute("update graders set fingerprint = '' where name = 'rag-metrics'")
    [approved] = units.current(store, items.item_ids(store, labelled.id)[:1], "claim").values()
    units.approve(store, approved.id, store.value("select id from graders where name = 'Ana'"))
    exported_tables.export(store, tmp_path / "out", every=True)
    return tmp_path / "out"


@pytest.fixture
def same_answers(tmp_path):
    """Another database with the same answers, and nothing said of them."""
    with open_store(tmp_path / "again.db") as store:
        made = [made_item(n, m) for n in range(2) for m in ("atlas", "birch", "cobalt")]
        additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
        yield store


@pytest.fixture
def labelled(store, sheet):
    """Ana and a judge on claims of three answers, one edited since, and on pairs with contexts."""
    ana = graders.ensure(store, "person", "Ana")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    ids = items.item_ids(store, sheet.id)[:3]
    [version], [of_pairs] = (rubric.versions().values() for rubric in (CLAIMS, PAIRS))
    said = []
    for rubric in (CLAIMS, PAIRS):
        rubric_versions.register(store, rubric, "preset")
    for item_id in ids:
        made = units.keep(store, item_id, "claim", [Cell("A.", 0), Cell("B.", 1)], judge)
        pairs = [Cell(u.text, chunk, u.id) for u in made.units for chunk in (0, 1)]
        paired = units.keep(store, item_id, "claim_chunk", pairs, None)
        said += [Press(item_id, version, ana, score=3, label="supported", unit_id=made.units[0].id)]
        said += [Press(item_id, version, ana, "cannot_grade", unit_id=made.units[1].id, blind=True)]
        said += [
            Press(item_id, of_pairs, judge, score=n % 2, label=_label(n % 2), unit_id=u.id)
            for n, u in enumerate(paired.units)
        ]
    grades.record(store, said)
    units.edit(store, made, [(None, "New.")], ana)
    return sheet


def _label(score):
    return PAIRS.criteria[0].levels[score].label
