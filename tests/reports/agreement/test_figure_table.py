from concord.reports.agreement.figure_table import figure_table
from concord.stats.statistics import KEYS, NOTHING


def figure(value, why_none=None):
    return {"value": value, "low": None, "high": None, "method": "", "why_none": why_none}


def row(judge, value=0.5, **changes):
    people = {name: figure(0.8) for name in KEYS}
    return {
        "judge": judge,
        **{name: figure(value, None if value is not None else NOTHING) for name in KEYS},
        "within_points": [{"points": 2} | figure(0.9)],
        "worst_case": {name: figure(0.4) for name in ("exact", "within_one", "failure_recall")},
        "clustered_by_answer_model": {"exact": None, "bias": None, "why_none": "it takes ten"},
        "ceiling": {"n": 9, "within_points": [{"points": 2} | figure(1.0)], **people},
        "majority_baseline": {"exact": 0.7, "within_one": 0.9, "bias": 0.25},
        **changes,
    }


def lines(rows):
    return {line.pop("figure"): line for line in figure_table(rows).lines}


def test_judges_annotators_and_the_majority_class_are_columns():
    found = lines([row("gpt"), row("other", 0.25)])
    assert found["exact agreement"] == {
        "gpt": "50%",
        "other": "25%",
        "people": "80%",
        "majority class": "70%",
    }
    assert found["bias"]["majority class"] == "+0.25"
    assert found["kappa"]["majority class"] == ""
    assert found["within 2 points"]["people"] == "100%"
    assert found["exact agreement with failures as errors"]["people"] == ""


def test_people_are_those_of_the_largest_overlap():
    wide = row("wide")
    wide["ceiling"] = wide["ceiling"] | {"n": 90, "exact": figure(0.6)}
    assert lines([row("gpt"), wide])["exact agreement"]["people"] == "60%"


def test_what_nobody_has_is_no_line_and_says_why():
    found, other = figure_table([row("gpt")]), "exact agreement with other answering models"
    assert other not in {line["figure"] for line in found.lines}
    assert found.undefined == [f"{other}, bias with other answering models: it takes ten"]


def test_one_undefined_figure_is_a_dash_and_names_whose():
    found = figure_table([row("gpt"), row("flat", pearson=figure(None, "no variation"))])
    (line,) = [line for line in found.lines if line["figure"] == "Pearson"]
    assert (line["gpt"], line["flat"]) == ("0.50", "—")
    assert "Pearson (flat): no variation" in found.undefined


def test_who_lacks_every_figure_is_named_once():
    alone = row("gpt")
    nobody = {name: figure(None, "one person") for name in KEYS}
    within = [{"points": 2} | figure(None, "one person")]
    alone["ceiling"] = {"n": 0, "within_points": within, **nobody}
    assert "every figure of people: one person" in figure_table([alone]).undefined
