"""Fixtures of the tests of importing."""

import pytest

from concord.model import Cell
from concord.store import graders, grades, items
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.unit_verdicts import CLAIMS, PAIRS


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
