"""The screen Choose without a browser: terms first, then the result, locked; looks counted."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from concord.store import additions, decisions, graders, sheets
from concord.store.database import READ_ONLY, open_store
from concord.store.permissions import VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge
from tests.support.screens import forms, labelled, opened, said, sign_in_as, tables

PAGE = "pages/decide.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception
    return app


def title(app: AppTest) -> str:
    return app.header[0].value.replace("\\", "")


def filled(app: AppTest, minimum: float | None = 50.0) -> AppTest:
    app.selectbox(key="choose.against").select("simulated-careful-judge")
    if minimum is not None:
        app.number_input(key="choose.minimum").set_value(minimum)
    return app


def missed(app: AppTest) -> AppTest:
    """Terms that no candidate of the sample meets."""
    return filled(app, 95.0)


def fixing(app: AppTest, button: str = "Fix terms and take an interim look") -> AppTest:
    """Review the terms, then confirm them."""
    return press(press(app, "Review terms"), button)


def press(app: AppTest, label: str) -> AppTest:
    (button,) = [one for one in app.button if one.label == label]
    app = button.click().run()
    assert not app.exception
    return app


def test_the_terms_are_asked_before_anything_is_shown(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    assert title(app) == "Fix the terms of the decision"
    assert "simulated-lenient-judge is" not in said(app)
    assert app.info[0].value.startswith("“sample” cannot be certified, because its judges and")
    assert app.selectbox(key="choose.against").value is None
    assert app.number_input(key="choose.minimum").placeholder == "Required; 0 for none"
    assert "baseline" not in app.selectbox(key="choose.against").options


@pytest.mark.parametrize(
    ("fill", "asked"),
    [
        (
            lambda app: app,
            [
                "Name the reference judge.",
                "Enter the minimum exact agreement, or 0 for none.",
            ],
        ),
        (lambda app: filled(app, None), ["Enter the minimum exact agreement, or 0 for none."]),
    ],
)
def test_what_was_not_named_is_asked_for_and_nothing_is_fixed(monkeypatch, sample_db, fill, asked):
    app = press(fill(shown(monkeypatch, sample_db)), "Review terms")
    assert [one.value for one in app.warning] == asked
    with open_store(sample_db) as store:
        assert decisions.of_sheet(store, sheets.find(store, "sample").id) == []


def test_fixing_shows_the_finding_locked_with_its_price_and_look(monkeypatch, sample_db):
    app = fixing(filled(shown(monkeypatch, sample_db)))
    assert title(app) == "Cannot tell if simulated-decision-judge is good enough on correctness"
    text = said(app).replace("\\", "")
    assert "Its agreement may be below inter-annotator agreement by more than the margin." in text
    assert "Prices are simulated." in text
    conditions, _, judges, failing, replays = tables(app)[:5]
    assert conditions.columns[:4].tolist() == ["condition", "estimate", "95% CI", "limit"]
    assert conditions["result"].tolist().count("inconclusive") == 1
    judges, failing = judges.set_index("judge"), failing.set_index("judge")
    assert judges.loc["USD per 1,000 answers"].tolist() == ["$21.50", "$0.90", "$0.08"]
    assert failing.loc["failure precision"].iloc[1] == "62% [40, 79]"
    assert replays["what differs"][0] == "nothing: as decided"
    folds = {one.label: one.proto.expanded for one in app.expander}
    # None of its rows has a number of labels, only a reason.
    assert folds["Analyses (22)"] is False and "Labels needed for a verdict" in folds
    sections = ["Conditions", "Cost and agreement", "Robustness"]
    assert [one.value for one in app.subheader] == sections
    assert "Interim look 1 of 4." in text and ":material/lock: Terms for correctness, fixed" in text
    assert app.query_params["decision"] == "1"
    assert not app.number_input
    assert judges.loc["verdict"].iloc[0] == "reference judge: inconclusive"
    app = labelled(app, "Judge").select("simulated-careful-judge").run()
    assert "difference from the reference judge, points" not in [*tables(app)[0]["condition"]]
    again = shown(monkeypatch, sample_db)
    assert title(again) == title(app)


def test_terms_can_be_fixed_without_looking(monkeypatch, sample_db):
    app = fixing(filled(shown(monkeypatch, sample_db)), "Fix terms only")
    assert title(app) == "The terms are fixed; no interim look has been taken yet"
    locked = tables(app)[0].set_index("term")["value"]
    assert locked["annotators"] == "all who are included"
    assert locked["number of planned documents"] == "30"
    app = press(app, "Take interim look 1 of 4")
    assert title(app).startswith("Cannot tell if simulated-decision-judge")
    # The verdict is final, so the labels needed are those of a sheet of new questions.
    (link,) = [one for one in app.get("page_link") if one.proto.label.startswith("Plan a sheet")]
    planned = dict(parse_qsl(link.proto.query_string))
    assert float(planned["margin"]) == 10 and float(planned["minimum"]) == 50
    plan = opened(monkeypatch, sample_db, "pages/plan.py", **planned | {"margin": "12.5"})
    assert plan.number_input(key="plan.margin").value == 12.5
    assert plan.number_input(key="plan.minimum").value == 50


def test_a_stray_grade_changes_nothing_and_a_changed_one_spends_no_look(monkeypatch, sample_db):
    first = title(fixing(missed(shown(monkeypatch, sample_db))))
    assert first.startswith("No judge is good enough on correctness")
    with open_store(sample_db) as store:
        _, rubric = rubric_versions.named(store, "doc-qa-0-3")
        graders.ensure_annotator(store, "Ana")  # who is pending, and counts nowhere
        give(store, rubric, "Ana", {0: 3})
    app = shown(monkeypatch, sample_db)
    assert title(app) == first and not app.info and "Without Ana (pending" in said(app)
    with open_store(sample_db) as store:
        give(store, rubric, "author", {0: 0})
    app = shown(monkeypatch, sample_db)
    # The later grades gave no verdict, so the reason names the day of the look that did.
    assert title(app) == first and "The verdict is that of " in said(app)
    assert "Interim look 1 of 4." in said(app)
    assert "No further planned document has been graded since; later grades" in said(app)
    # Opening the screen stores no look; the button does, and then has nothing more to store.
    for _ in range(2):
        assert looks_taken(sample_db) == 1
        app = shown(monkeypatch, sample_db)
    # The verdict is final, so there is no interim look to take.
    assert not any("interim look" in one.label for one in app.button)
    app = press(app, "Update the figures")
    assert looks_taken(sample_db) == 2 and title(app) == first
    assert "Update the figures" not in [one.label for one in app.button]


def looks_taken(db):
    with open_store(db) as store:
        return store.value("select count(*) from looks")


def test_only_who_may_store_it_takes_a_look(monkeypatch, sample_db):
    fixing(filled(shown(monkeypatch, sample_db)), "Fix terms only")
    with monkeypatch.context() as viewing:
        sign_in_as(viewing, Who("Vi", VIEWER))
        app = shown(viewing, sample_db)
        assert app.button(key="choose.look").disabled
        assert "Your role does not allow that" in said(app)
    monkeypatch.setenv(READ_ONLY, "1")
    app = shown(monkeypatch, sample_db)
    assert "choose.look" not in [one.key for one in app.button]


def test_a_viewer_is_told_why_terms_are_reviewed_and_not_fixed(monkeypatch, sample_db):
    sign_in_as(monkeypatch, Who("Vi", VIEWER))
    app = press(filled(shown(monkeypatch, sample_db)), "Review terms")
    assert app.button(key="choose.fix").disabled and app.button(key="choose.fix_and_look").disabled
    assert "Your role does not allow that" in said(app) and not app.error


def test_a_read_only_app_shows_the_figures_of_today_as_of_no_earlier_day(monkeypatch, sample_db):
    first = title(fixing(missed(shown(monkeypatch, sample_db))))
    with open_store(sample_db) as store:
        give(store, rubric_versions.named(store, "doc-qa-0-3")[1], "author", {0: 0})
    monkeypatch.setenv(READ_ONLY, "1")
    app = shown(monkeypatch, sample_db)
    assert title(app) == first and "The verdict is that of " in said(app)
    assert "choose.look" not in [one.key for one in app.button]
    assert "The grades have changed since." not in said(app)


def test_other_terms_are_another_decision_and_the_first_stays(monkeypatch, sample_db):
    app = fixing(filled(shown(monkeypatch, sample_db)))
    app = press(app, "Fix new terms")
    assert "Decision 2 on this sheet." in said(app)
    app.number_input(key="choose.margin").set_value(30.0)
    app = fixing(filled(app, 0.0))
    assert title(app).endswith("is good enough on correctness")
    assert "Decision 2 on these" in said(app)
    first = shown(monkeypatch, sample_db, decision="1")
    assert title(first).startswith("Cannot tell if simulated-decision-judge")


def test_a_reference_judge_that_is_gone_leaves_a_way_out(monkeypatch, sample_db):
    fixing(filled(shown(monkeypatch, sample_db)))
    with open_store(sample_db) as store, store.write():
        store.execute("update decisions set against = 'gone'")
    app = shown(monkeypatch, sample_db)
    assert "no longer has grades on sheet" in app.error[0].value
    assert title(press(app, "Fix new terms")) == "Fix the terms of the decision"


def test_a_sheet_that_only_the_baseline_graded_says_what_to_run(monkeypatch, store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3})
    give(store, rubric[1], "baseline", {0: 3}, kind="judge")
    app = shown(monkeypatch, store.path)
    assert "There is no judge to choose" in [one.value for one in app.subheader]


def test_a_judge_with_continuous_numbers_is_no_reference_and_says_what_to_do(
    monkeypatch, store, sheet, rubric
):
    give(store, rubric[1], "Ana", {0: 3, 1: 2})
    judge(store, rubric[1], "smooth", {0: 1.25, 1: 2.5})
    app = shown(monkeypatch, store.path, against="smooth")
    assert "Import its verdicts, such as pass and fail, as scores" in app.error[0].value
    assert "--against" not in app.error[0].value
    assert "Review terms" not in [one.label for one in app.button]


def test_another_value_ends_the_review_of_the_old_one(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    assert forms(app) == {}
    app = press(filled(app), "Review terms")
    assert "These terms become final" in said(app)
    terms = dict(tables(app)[0].itertuples(index=False))
    assert terms["margin"] == "10 points" and terms["deciding figure"] == "exact agreement"
    assert terms["annotators"] == "all who are included"
    assert terms["number of planned documents"] == "30"  # of 64 questions
    assert "All planned documents are graded" in app.warning[0].value  # before it is final
    assert "To change a term, change it above and review the terms again." in said(app)
    app = app.number_input(key="choose.margin").set_value(12.0).run()
    assert "These terms become final" not in said(app)
    app = press(app, "Review terms")
    assert dict(tables(app)[0].itertuples(index=False))["margin"] == "12 points"
    app = labelled(app, "Criterion").select("readability").run()
    assert "These terms become final" not in said(app)
    with open_store(sample_db) as store:
        assert decisions.of_sheet(store, sheets.find(store, "sample").id) == []


def test_terms_that_are_not_fixed_yet_are_in_the_url(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app = labelled(app, "Criterion").select("readability").run()
    app = labelled(app, "Deciding figure").select("qwk").run()
    app = app.selectbox(key="choose.against").select("simulated-careful-judge").run()
    query = dict(app.query_params)
    asked = {name: query[name] for name in ("criterion", "figure", "against")}
    assert asked == {
        "criterion": "readability",
        "figure": "qwk",
        "against": "simulated-careful-judge",
    }
    again = shown(monkeypatch, sample_db, **query)
    assert labelled(again, "Criterion").value == "readability"
    assert labelled(again, "Deciding figure").value == "qwk"
    assert again.selectbox(key="choose.against").value == "simulated-careful-judge"


def test_another_figure_asks_for_its_margin_in_its_unit(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app = labelled(app, "Deciding figure").select("qwk").run()
    app.selectbox(key="choose.against").select("simulated-careful-judge")
    app.number_input(key="choose.minimum.qwk").set_value(0.4)
    app = press(app, "Review terms")
    assert app.warning[0].value == "Enter the margin of quadratic kappa."
    app.number_input(key="choose.margin.qwk").set_value(0.15)
    app = fixing(app, "Fix terms only")
    with open_store(sample_db) as store:
        (one,) = decisions.of_sheet(store, sheets.find(store, "sample").id)
    assert (one.figure, one.margin, one.minimum) == ("qwk", 0.15, 0.4)


def answers(store, doc_qa, number):
    """A sheet of questions with one answer each, which an annotator and a judge graded."""
    made = [made_item(n) for n in range(number)]
    additions.add(store, "small", made, "n.csv", "0" * 64, {})
    rubric_versions.register(store, doc_qa, "app")
    give(store, doc_qa, "Ana", {n: n % 4 for n in range(number)})
    judge(store, doc_qa, "dear", {n: n % 4 for n in range(number)})


def test_a_figure_that_takes_more_answers_is_not_offered_and_says_why(monkeypatch, store, doc_qa):
    answers(store, doc_qa, 40)
    app = shown(monkeypatch, store.path)
    assert labelled(app, "Deciding figure").options == [
        "Exact agreement",
        "Agreement within one point",
        "Balanced accuracy of pass and fail",
        "Mean distance (MAE)",
    ]
    assert "Quadratic kappa requires 60 answers for a verdict; this sheet has 40." in said(app)


def test_no_fewer_questions_can_be_planned_than_the_figure_takes(monkeypatch, store, doc_qa):
    answers(store, doc_qa, 80)
    app = shown(monkeypatch, store.path)
    assert app.number_input(key="choose.margin.qwk.0.5").value == 0.5  # half the judge's own QWK
    app = labelled(app, "Deciding figure").select("exact").run()
    app = app.number_input(key="choose.planned.80").set_value(59).run()
    assert app.number_input(key="choose.planned.80").value == 59
    app = labelled(app, "Deciding figure").select("qwk").run()
    assert app.number_input(key="choose.planned.80").value == 60
