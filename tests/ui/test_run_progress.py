"""What a run is expected to take, in words."""

import pytest
from streamlit.testing.v1 import AppTest


def _expected(closed):
    from concord.judges.definition.prices import Band
    from concord.judges.running.cost_estimate import Estimate
    from concord.ui import run_progress

    none = Band(0, 0)
    run_progress.expected(Estimate(0, none, none, False, None, None), closed=closed)


@pytest.mark.parametrize(
    ("closed", "captions"),
    [
        (0, []),
        (1, ["1 answer is excluded: judges may have seen its question."]),
        (2, ["2 answers are excluded: judges may have seen their questions."]),
    ],
)
def test_only_what_there_is_to_say_of_an_estimate_is_shown(closed, captions):
    app = AppTest.from_function(_expected, args=(closed,)).run()
    assert not app.exception
    assert [one.value for one in app.caption] == captions
