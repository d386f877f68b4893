"""Fixtures of the tests of agreement."""

import pytest

from concord.model import Cell
from concord.reports.agreement.agreement import rows as report_rows
from concord.reports.panel import panel as panel_reading
from concord.samples.load import NAME, RUBRIC, load_sample
from concord.store import additions, graders, grades, sheets
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.evidence_room import CLAIM_VERSION, CLAIMS, PER_ITEM
from tests.support.made_items import made_item
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge, panel
from tests.support.reports.continuous_grades import ANNOTATOR, OWN

PERSON = (0, 1, 3, 3)


@pytest.fixture
def three_graded(store, sheet, doc_qa):
    """Two annotators and a judge on three answers.

    | answer | Ana | Ben | judge |
    |--------|-----|-----|-------|
    | atlas  |  3  |  3  |   3   |
    | birch  |  2  |  1  |   2   |
    | cobalt |  0  |  -  |   3   |
    """
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 0})
    give(store, doc_qa, "Ben", {ATLAS: 3, BIRCH: 1})
    judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 2, COBALT: 3})
    return panel(store, doc_qa)


@pytest.fixture
def sample_rows(store):
    load_sample(store)
    _, rubric = rubric_versions.named(store, RUBRIC)
    found = report_rows(panel_reading.read(store, sheets.find(store, NAME), rubric))
    return {(row.judge, row.criterion): row for row in found}


@pytest.fixture
def families(store):
    """Thirty-six questions, each answered shortly by a Claude and at length by a GPT."""
    made = [
        made_item(n, model, answer="word " * words)
        for n in range(36)
        for model, words in [("claude-5", 20 + n), ("gpt-6", 160 + 8 * n)]
    ]
    return additions.add(store, "families", made, "f.csv", "0" * 64, {})


@pytest.fixture
def first_three_graded(store, sheet, doc_qa):
    """Atlas: Ana 3, Ben 2, judge 3. Birch: Ana 0, judge 3. Cobalt: Ana 3, judge 3."""
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0, COBALT: 3}, reason="because")
    give(store, doc_qa, "Ben", {ATLAS: 2})
    return judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 3, COBALT: 3}, reason="as I see it")


@pytest.fixture
def continuous_panel(store, sheet, doc_qa):
    """Ana on 36 answers; a judge of whole scores, and one of numbers .5, .25, 0 and -.25 away."""
    give(store, doc_qa, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, doc_qa, "whole", dict(enumerate(ANNOTATOR)))
    judge(store, doc_qa, "own", dict(enumerate(OWN)))
    return panel(store, doc_qa)


def judges_score(number: int) -> int:
    """Right on every first claim of four, wrong on the second, and on the third of every other."""
    return 1 if number % 4 == 0 or number % 8 == 2 else 3


@pytest.fixture
def labelled_by_ana(store, sheet, ana):
    """Two claims for each of the 36 answers, labelled by Ana and by a judge."""
    rubric_versions.register(store, CLAIMS, "preset")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    number = 0
    for (item_id,) in store.rows("select id from items order by id"):
        cells = [Cell(f"Claim {place}.", place) for place in range(2)]
        for unit in units.keep(store, item_id, "claim", cells, judge).units:
            press = Press(
                item_id, CLAIM_VERSION, ana, score=PERSON[number % 4], unit_id=unit.id, blind=True
            )
            said = press._replace(grader_id=judge, score=judges_score(number), blind=None)
            grades.record(store, [press, said])
            number += 1
    return sheet


@pytest.fixture
def differing_on_sixths(store, sheet):
    """Two claims for each answer; an annotator and a judge label them, differing on every sixth."""
    rubric_versions.register(store, CLAIMS, "preset")
    version = CLAIMS.version(CLAIMS.criteria[0])
    person = graders.ensure(store, "person", "ana")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    number = 0
    for (item_id,) in store.rows("select id from items order by id"):
        cells = [Cell(f"Claim {place}.", place) for place in range(PER_ITEM)]
        for unit in units.keep(store, item_id, "claim", cells, judge).units:
            score = (0, 1, 3, 3)[number % 4]
            said = score if number % 6 else 3 - score
            press = Press(item_id, version, person, score=score, unit_id=unit.id, blind=True)
            grades.record(store, [press, press._replace(grader_id=judge, score=said, blind=None)])
            number += 1
    return number
