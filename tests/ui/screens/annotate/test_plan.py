"""The plan screen without a browser."""

import json

import pytest

from concord.grading import grading_sets
from concord.reports.planning import plan, power
from tests.support import simulated_plans
from tests.support.panels import give
from tests.support.screens import labelled, opened, said, tables

PAGE = "pages/plan.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE, **query)
    assert not app.exception
    return app


def test_a_sheet_nobody_has_graded_is_planned_from_assumptions(monkeypatch, store, judged_forty):
    app = shown(monkeypatch, store, width="10")
    assert app.header[0].value.startswith("From assumptions, about ")
    assert app.header[0].value.endswith(" give 80% power")
    assert "Graded so far: 0 questions." in said(app)
    assert "±10 points for each judge's exact agreement" in said(app)
    assert tables(app)[0]["estimated"].tolist() == ["from assumptions", "by formula"]
    titles = ["Correctness", "Comprehensiveness", "Readability"]
    (criterion,) = (one for one in app.selectbox if one.label == "Criterion")
    assert criterion.options == titles
    assert "assumed" in next(
        one["estimated"].tolist() for one in tables(app) if "seconds per answer" in one
    )


def test_an_assumed_share_cannot_be_none(monkeypatch, store, judged_forty):
    app = shown(monkeypatch, store, share="0", ceiling="0", failing="0")
    kept = {name: app.slider(key=f"plan.{name}") for name in ("share", "ceiling", "failing")}
    assert {name: (one.min, one.value) for name, one in kept.items()} == {
        "share": (5, 80),
        "ceiling": (5, 80),
        "failing": (5, 25),
    }


def likely(app) -> tuple[str, int, int, int]:
    """The aim of the decision, and the questions for 80% power: low, likely and high."""
    assert not app.exception
    (row,) = [one for one in tables(app)[0].to_dict("records") if "power" in one["aim"]]
    return (row["aim"], *(row[end] for end in ("questions from", "likely", "up to")))


def curves(app) -> list[str]:
    (chart,) = [json.loads(one.proto.spec) for one in app.get("plotly_chart")]
    return [line["name"] for line in chart["data"]]


def test_figure_margin_judges_and_annotators_replan_the_decision(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch, 4)
    app = shown(monkeypatch, store)
    aim, low, first, high = likely(app)
    assert aim == "80% power, exact agreement, margin 10 points" and low < first < high
    assert "that alpha and beta graded" in said(app).replace("beta and alpha", "alpha and beta")
    assert app.header[0].value == (
        f"About {first:,} questions ({low:,} to {high:,}) give 80% power"
    )
    assert curves(app) == ["<b>1 candidate</b>", "4 candidates", "9 candidates"]

    app = app.number_input(key="plan.margin").set_value(20.0).run()
    aim, _, wider, _ = likely(app)
    assert aim.endswith("margin 20 points") and wider < first
    app.number_input(key="plan.judges").set_value(4)
    app = labelled(app, "Annotators per answer").select("1").run()
    _, _, several, _ = likely(app)
    assert several > wider
    assert curves(app) == ["1 candidate", "<b>4 candidates</b>", "9 candidates"]

    labelled(app, "Deciding figure").select("qwk")
    app = labelled(app, "Compare").select("annotators").run()
    assert likely(app)[0] == "80% power, quadratic kappa, margin 0.1"
    assert "<b>1 per answer</b>" in curves(app)
    query = dict(app.query_params)
    asked = {name: query[name] for name in ("figure", "compare", "each")}
    assert asked == {"figure": "qwk", "compare": "annotators", "each": "1"}
    assert query["candidates"] == "4"


def test_a_rubric_for_parts_of_answers_is_said_to_be_one(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch)
    app = shown(monkeypatch, store, rubric="claims-in-contexts")
    assert "The rubric “claims-in-contexts” is for parts of answers and cannot be" in said(app)
    assert "There is no rubric “mine”. Name one of: " in said(
        shown(monkeypatch, store, rubric="mine")
    )


def test_a_limit_is_called_a_minimum_only_where_more_is_better(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch)
    for figure, none in (("exact", "0: no minimum."), ("mae", "0: no limit.")):
        app = opened(monkeypatch, store.path, PAGE, figure=figure)
        (field,) = [one for one in app.number_input if str(one.key).startswith("plan.minimum")]
        assert field.help == none


def test_the_number_and_the_next_set_are_shown_before_the_curves(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch)
    asked = []

    def stopped(panel, found, compared):
        asked.append(compared)
        raise RuntimeError("stopped")

    monkeypatch.setattr(plan, "curve", stopped)
    app = opened(monkeypatch, store.path, PAGE)
    assert asked == [1] and len(app.exception) == 1
    assert app.header[0].value.endswith("80% power")
    assert app.radio(key="plan.kind")


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
    assert curves(app)[1] == "<b>Margin 10 points</b>"


@pytest.mark.parametrize(
    ("typed", "margin", "candidates", "failing"),
    [("7.5", 7.5, 3, 40), ("nan", 10.0, 1, 25), ("900", 10.0, 1, 25), ("x", 10.0, 1, 25)],
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


def test_the_sample_is_too_small_a_pilot_for_power_and_has_nothing_left_to_draw(
    monkeypatch, sample_store
):
    app = shown(monkeypatch, sample_store)
    assert app.header[0].value == (
        "From assumptions, about 71 questions (43 to 101) give 80% power"
    )
    assert "because with fewer than 40 questions (those of one document" in said(app)
    assert "The range for the 95% CI comes from resampling" in said(app)
    shown_sizes = tables(app)[0]
    assert "from the grades so far" in shown_sizes["estimated"].tolist()
    assert 71 in shown_sizes["likely"].tolist()
    assert "Every question is already graded" in app.warning[0].value
    app.radio(key="plan.kind").set_value("Oversample suspected failures").run()
    assert "Annotators have already graded 64 of the 64 questions" in app.warning[0].value


def test_an_enriched_set_is_proposed_with_its_chances_then_made(
    monkeypatch, store, judged_forty, few_sheets
):
    app = shown(monkeypatch, store)
    app.number_input(key="plan.questions").set_value(12).run()
    app.radio(key="plan.kind").set_value("Oversample suspected failures").run()
    assert "12 questions with 24 answers" in app.info[0].value
    assert "weighted by their inverse" in app.info[0].value
    app.button(key="plan.make").click().run()
    assert not app.exception
    assert "“Set 1” contains 12 questions" in app.success[0].value
    (made,) = grading_sets.of_sheet(store, judged_forty.id)
    assert grading_sets.strata(store, made.id) == {
        "atlas + birch; not suspected": (6, 30),
        "atlas + birch; suspected": (6, 10),
    }


def test_where_a_set_was_drawn_unequally_the_screens_say_that_figures_are_reweighted(
    monkeypatch, store, judged_forty, rubric, few_sheets
):
    from concord.grading import active_sampling
    from concord.grading.active_sampling import SampleRequest

    active_sampling.create(
        store, judged_forty, rubric[0], "More", SampleRequest(12, 1, range(1, 9), 1 / 3)
    )
    assert any("weighted by their inverse" in info.value for info in shown(monkeypatch, store).info)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert not app.exception
    assert "suspect to have a failing answer are oversampled" in said(app)
    assert "An enriched sample" in said(app) and "random sample" not in said(app)
    give(store, rubric[1], "Ana", dict.fromkeys(range(80), 3))
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "graded 24 of its 24 answers outside its queue" in said(app)
    assert "No annotator has begun" in said(app)
    with store.write():
        store.execute("update grades set blind = 0")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "outside its queue" not in said(app)
    with store.write():
        store.execute("update grades set blind = null")
    agreement = opened(monkeypatch, store.path, "pages/agreement.py")
    assert "Each answer is weighted by the inverse of its probability" in said(agreement)
