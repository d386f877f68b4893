"""Who leads by which metric, among answering models."""

from concord.reports.metrics import model_leaders


def row(metric, **means):
    shown = {"low": None, "high": None, "n": 4}
    return {
        "metric": metric,
        "by_model": {name: {"mean": m, **shown} for name, m in means.items()},
    }


def test_the_best_mean_leads_and_equal_ones_count_for_nobody():
    rows = [
        row("faithfulness", atlas=0.9, birch=0.1),
        row("noise_sensitivity_relevant", atlas=0.9, birch=0.1),
        row("faithfulness", atlas=0.1 + 0.2, birch=0.3),
        row("faithfulness", atlas=0.9, birch=0.1, cobalt=0.5),
        row("faithfulness", atlas=0.9),
    ]
    said = "atlas is best by 2 of 4 numbers, birch by 1. Where intervals overlap, that may be"
    assert model_leaders.leaders(rows) == f"{said} chance."
    assert model_leaders.leaders(rows[2:3]) == "No answering model is best by any metric."
    nothing = "No metric has numbers of two answering models, so none can lead."
    assert model_leaders.leaders(rows[4:]) == nothing


def test_a_model_without_a_number_has_a_dash():
    rows = [row("faithfulness", atlas=0.9), row("faithfulness", birch=0.25)]
    assert model_leaders.of_models(rows) == [
        {"atlas": "0.900 (n = 4)", "birch": "—"},
        {"atlas": "—", "birch": "0.250 (n = 4)"},
    ]
