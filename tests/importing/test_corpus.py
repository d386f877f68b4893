"""Every file of the corpus is imported, or refused, as it was recorded (see `corpus`)."""

import pytest

from tests.importing import corpus


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in corpus.cases()])
def test_a_file_of_the_corpus_comes_out_as_recorded(case, made_empty, tmp_path):
    assert corpus.outcomes(case, made_empty, tmp_path) == case["then"]
