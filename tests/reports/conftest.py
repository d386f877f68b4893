"""Fixtures of the tests of reports."""

import pytest


@pytest.fixture
def marked(sample_store):
    """The sample, with twelve of its answers said to be synthetic."""
    with sample_store.write():
        sample_store.execute("update items set synthetic = 1 where id <= 12")
    return sample_store
