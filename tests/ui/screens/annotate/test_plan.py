"""The plan screen without a browser."""

import pytest

from concord.reports.planning import plan, power
from tests.support import simulated_plans
from tests.support.screens import labelled, opened, tables

PAGE = "pages/plan.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE, **query)
    assert not app.exception
    return app


def likely(app) -> tuple[int, int, int]:
    """The questions for 80% power: low, likely and high."""
    assert not app.exception
    (row,) = [one for one in tables(app)[0].to_dict("records") if "power" in one["aim"]]
    return tuple(row[end] for end in ("questions from", "likely", "up to"))


def test_figure_margin_judges_and_annotators_replan_the_decision(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch, 4)
    app = shown(monkeypatch, store)
    low, first, high = likely(app)
    assert low < first < high
    app = app.number_input(key="plan.margin").set_value(20.0).run()
    wider = likely(app)[1]
    assert wider < first
    app.number_input(key="plan.judges").set_value(4)
    app = labelled(app, "Annotators per answer").select("1").run()
    assert likely(app)[1] > wider
    labelled(app, "Deciding figure").select("qwk")
    app = labelled(app, "Compare").select("annotators").run()
    query = dict(app.query_params)
    asked = {name: query[name] for name in ("figure", "compare", "each")}
    assert asked == {"figure": "qwk", "compare": "annotators", "each": "1"}
    assert query["candidates"] == "4"


def test_each_curve_is_kept_and_another_comparison_leaves_the_number(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch)
    needed, simulated = [], []
    of_needed, of_curve = power.questions_needed, plan.curve
    monkeypatch.setattr(
        power, "questions_needed", lambda *given: needed.append(1) or of_needed(*given)
    )
    monkeypatch.setattr(
        plan, "curve", lambda *given: simulated.append(given[-1]) or of_curve(*given)
    )
    app = shown(monkeypatch, store).run()
    assert (len(needed), simulated) == (1, [1, 4, 9])
    app = labelled(app, "Compare").select("margin").run()
    assert not app.exception
    assert (len(needed), simulated[3:]) == (1, [0.05, 0.1, 0.15, 0.2])


@pytest.mark.parametrize(
    ("typed", "margin", "candidates", "failing"), [("7.5", 7.5, 3, 40), ("nan", 10.0, 1, 0)]
)
def test_a_plan_begins_with_what_the_url_says_where_it_can(
    monkeypatch, store, pilot, typed, margin, candidates, failing
):
    simulated_plans.few_sheets(monkeypatch, 4)
    good = typed == "7.5"
    asked = {
        "margin": typed,
        "candidates": "3" if good else "0",
        "failing": "40" if good else typed,
    }
    app = shown(monkeypatch, store, **asked)
    assert not app.exception
    found = (app.number_input(key="plan.margin").value, app.number_input(key="plan.judges").value)
    assert (*found, app.slider(key="plan.failing").value) == (margin, candidates, failing)
    left = {name: app.query_params.get(name) for name in asked}
    assert (left == asked) if good else not any(left.values())
