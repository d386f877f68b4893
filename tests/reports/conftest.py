"""Fixtures of the tests of reports."""

from functools import partial

import pytest

from tests.support import panels
from tests.support.reports import choices


@pytest.fixture
def give(store, doc_qa):
    """Records an annotator's scores of the only sheet under doc-qa-0-3, as `panels.give`."""
    return partial(panels.give, store, doc_qa)


@pytest.fixture
def judge(store, doc_qa):
    """The same for a judge."""
    return partial(panels.judge, store, doc_qa)


@pytest.fixture
def panel(store, doc_qa):
    """Reads the panel of the only sheet, of the annotators named."""
    return partial(panels.panel, store, doc_qa)


@pytest.fixture
def chosen(store, doc_qa):
    """Fixes a decision on the only sheet and looks at it, as `choices.chosen`."""
    return partial(choices.chosen, store, doc_qa)


@pytest.fixture
def marked(sample_store):
    """The sample, with twelve of its answers said to be synthetic."""
    with sample_store.write():
        sample_store.execute("update items set synthetic = 1 where id <= 12")
    return sample_store
