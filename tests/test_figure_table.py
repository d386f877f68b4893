from reports.figure_table import figure_table
from stats.further import NAMES as FURTHER
from stats.further import NOTHING

NAMES = ("exact", "within_one", "off_by_two", "caught", "bias", "mae", "kappa", "linear_kappa")
NAMES += ("qwk", "ac2", "alpha", "ccc", "tau_b", *FURTHER)


def figure(value, why_none=None):
    return {"value": value, "low": None, "high": None, "method": "", "why_none": why_none}


def row(judge, value=0.5, **changes):
    people = {name: figure(0.8) for name in NAMES}
    return {
        "judge": judge,
        **{name: figure(value, None if value is not None else NOTHING) for name in NAMES},
        "within_points": [{"points": 2} | figure(0.9)],
        "worst_case": {name: figure(0.4) for name in ("exact", "within_one", "caught")},
        "clustered_by_answer_model": {"exact": None, "bias": None, "why_none": "it takes ten"},
        "ceiling": {"n": 9, "within_points": [{"points": 2} | figure(1.0)], **people},
        "constant_baseline": {"exact": 0.7, "within_one": 0.9, "bias": 0.25},
        **changes,
    }


def lines(rows):
    return {line.pop("figure"): line for line in figure_table(rows).lines}


def test_judges_people_and_the_constant_stand_side_by_side():
    found = lines([row("gpt"), row("other", 0.25)])
    assert found["exact"] == {"gpt": "50%", "other": "25%", "people": "80%", "constant": "70%"}
    assert found["bias"]["constant"] == "+0.25"
    assert found["kappa"]["constant"] == ""
    assert found["within 2 points"]["people"] == "100%"
    assert found["exact with failures as disagreements"]["people"] == ""


def test_people_are_those_of_the_largest_overlap():
    wide = row("wide")
    wide["ceiling"] = wide["ceiling"] | {"n": 90, "exact": figure(0.6)}
    assert lines([row("gpt"), wide])["exact"]["people"] == "60%"


def test_what_nobody_has_is_no_line_and_says_why():
    found = figure_table([row("gpt")])
    assert "exact with other answering models" not in {line["figure"] for line in found.lines}
    assert found.undefined == [
        "exact with other answering models, bias with other answering models: it takes ten"
    ]


def test_one_undefined_figure_is_a_dash_and_names_whose():
    found = figure_table([row("gpt"), row("flat", pearson=figure(None, "no variation"))])
    (line,) = [line for line in found.lines if line["figure"] == "Pearson"]
    assert (line["gpt"], line["flat"]) == ("0.50", "—")
    assert "Pearson (flat): no variation" in found.undefined


def test_who_lacks_every_figure_is_named_once():
    alone = row("gpt")
    nobody = {name: figure(None, "one person") for name in NAMES}
    within = [{"points": 2} | figure(None, "one person")]
    alone["ceiling"] = {"n": 0, "within_points": within, **nobody}
    assert "every figure of people: one person" in figure_table([alone]).undefined
