import plotly.graph_objects as go
import pytest

from concord.ui.widgets import _out_of_range, _standalone, explanation


@pytest.mark.parametrize(
    "term",
    [
        *("exact", "within one", "off by two", "failure recall", "failing", "bias", "mae", "kappa"),
        *("QWK", "ac2", "alpha", "tau-b", "ccc", "composite", "ceiling", "majority-class baseline"),
        *("baseline", "each", "consensus", "left out", "alt-test", "repeats", "blind"),
        *(
            "grading set",
            "model ranking",
            "few-shot pool",
            "evaluation",
            "held-out test",
            "half-width",
            "margin",
            "pilot",
            "enriched",
        ),
        *("rmse", "linear kappa", "ac1", "spearman", "pearson", "icc", "worst case", "length"),
        *(
            "among annotators",
            "strictness",
            "second annotator",
            "consistency over time",
            "speeding",
        ),
        *(
            "other answering models",
            "leniency",
            "central tendency",
            "halo",
            "self-preference",
            "cause",
        ),
        *(
            "variant",
            "distance",
            "same answers",
            "paired difference",
            "spread",
            "test-retest",
        ),
        *("by annotators", "list errors", "extraction"),
        *(
            "metric validity",
            "AUC",
            "unrelated texts",
            "canary",
            "fitted threshold",
            "balanced accuracy",
        ),
    ],
)
def test_every_term_has_one_sentence(term):
    said = explanation(term)
    assert said.endswith((".", ")"))
    assert "\n" not in said and len(said) < 220


def test_a_chart_as_html_fits_a_phone_and_has_a_main_part_under_one_title():
    page = _standalone(go.Figure(), "a <b>", "Two bars.", "ja")
    assert '<html lang="ja">' in page and page.count("<main>") == page.count("</main>") == 1
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert ">a &lt;b&gt;</h1>" in page and page.count("<h1") == 1 and "<p>Two bars.</p>" in page


def test_a_number_out_of_range_is_told_which_end_it_passed():
    assert _out_of_range(59, "60", "") == "59 is below the minimum, 60."
    assert _out_of_range(61, "", "60") == "61 is above the maximum, 60."
    assert _out_of_range(61, "0", "60") == "61 is outside 0 to 60."
