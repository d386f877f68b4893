"""Fixtures of the tests of comparison."""

import numpy as np
import pytest

from concord.reports.comparison import two_judges
from concord.reports.panel import variants
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_variants import ANNOTATOR, ONE, OWN

MODELS = ("atlas", "birch")


@pytest.fixture
def compared(store):
    """Compares two judges: compared(questions, models, scores of the second by place)."""

    def compare(questions=12, models=MODELS, wrong=(), target="correctness"):
        made = [made_item(n, m) for n in range(questions) for m in models]
        sheet = additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
        rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
        truth = {place: place % 4 for place in range(len(made))}
        noisy = {place: 3 - s if place in wrong else s for place, s in truth.items()}
        for criterion in rubric.versions():
            give(store, rubric, "Ana", truth, criterion)
            give(store, rubric, "good", truth, criterion, kind="judge")
            give(store, rubric, "bad", noisy, criterion, kind="judge")
        found = variants.read(store, sheet)
        first, second = found.named(["good"])[0], found.named(["bad"])[0]
        length = np.arange(len(made), dtype=float)
        return two_judges.report(first, second, found.annotators(None), target, length)

    return compare


@pytest.fixture
def continuous_variants(store, sheet):
    rubric_versions.register(store, ONE, "file")
    give(store, ONE, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, ONE, "whole", dict(enumerate([*ANNOTATOR[:-1], 2])))
    judge(store, ONE, "own", dict(enumerate(OWN)))
    return panel(store, ONE)
