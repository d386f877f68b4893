"""What a sheet lacks as long as simulated grades keep it from being certified."""

import pytest

from concord.reports.certificate import certifiable
from tests.support.panels import give, judge, panel


@pytest.mark.parametrize(
    ("people", "judges", "lacks"),
    [
        (["Ana"], ["cheap"], None),
        (["Ana"], ["cheap", "sim-judge"], None),
        (["Ana", "sim-ben"], ["cheap", "sim-judge"], "annotators"),
        (["Ana"], ["sim-judge"], "judge"),
        (["sim-ben"], ["sim-judge"], "everything"),
        (["sim-ben"], [], None),
    ],
)
def test_nothing_simulated_is_certified(store, close_judges, people, judges, lacks):
    store.execute("delete from grades")
    for name in people:
        give(store, close_judges, name, {0: 1, 1: 2})
    for name in judges:
        judge(store, close_judges, name, {0: 1, 1: 2})
    found = certifiable.impossible(panel(store, close_judges, *people))
    assert (found and found.lacks) == lacks
