"""The ranking screen: the finding on top, weights to explore, and what to do where it is empty."""

import pytest

from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.screens import tables

CRITERIA = ("correctness", "comprehensiveness", "readability")
PAGE = "pages/ranking.py"


def grade(store, rubric, who, by_model, kind="person"):
    """A score per answering model and criterion, on all twelve questions of the sheet `numbers`."""
    for place, criterion in enumerate(CRITERIA):
        scores = {3 * q + m: s[place] for q in range(12) for m, s in enumerate(by_model)}
        give(store, rubric[1], who, scores, criterion, kind)


def shown(app) -> str:
    assert not app.exception and not app.error
    kinds = (app.header, app.caption, app.subheader, app.markdown, app.warning)
    return " ".join(e.value for kind in kinds for e in kind).replace("\\", "")


def title(app) -> str:
    return app.header[0].value.replace("\\", "")


def composites(app):
    """The mean composites by grader and answering model."""
    frame = next(f for f in tables(app) if "graded by" in f.columns)
    return frame.set_index(["graded by", "answering model"])["mean composite"]


def test_the_sample_says_that_a_judge_keeps_the_order_and_who_is_simulated(sample_ranking):
    app = sample_ranking()
    assert title(app) == ("simulated-careful-judge ranks the models as annotators do")
    assert "Both rank atlas > birch > cobalt." in shown(app).replace("\\", "")
    assert "Compared on 192 answers to 64 questions." in shown(app)
    assert "2 of the 3 annotators are simulated." in shown(app)
    assert shown(app).count("**tau-b**") == shown(app).count("**PPI**") == 1
    assert [one.proto.popover.label for one in app.get("popover")].count("Glossary") == 1
    assert app.query_params["judge"] == "simulated-careful-judge"
    assert len(composites(app)) == 15
    assert composites(app)["baseline", "atlas"] == "2.78 [2.69, 2.88]"


def test_the_judge_is_chosen_by_the_url_and_by_the_picker(sample_ranking):
    app = sample_ranking(judge="simulated-lenient-judge")
    assert "simulated-lenient-judge may rank" in title(app)
    picker = next(box for box in app.selectbox if box.label == "Judge")
    app = picker.set_value("baseline").run()
    assert "baseline ranks" in title(app)
    assert app.query_params["judge"] == "baseline"


def test_moving_a_weight_explores_and_reset_goes_back(sample_ranking):
    app = sample_ranking()
    before = composites(app)["annotators", "cobalt"]
    assert [slider.value for slider in app.slider] == [60, 20, 20]
    app = app.slider[0].set_value(100).run()
    assert [slider.value for slider in app.slider] == [100, 0, 0]
    assert app.query_params["weights"] == "100,0,0"
    assert "Exploring with the weights correctness 100%" in shown(app)
    assert composites(app)["annotators", "cobalt"] != before
    app = app.button(key="weights.reset").click().run()
    assert "weights" not in app.query_params
    assert "Exploring" not in shown(app)
    assert composites(app)["annotators", "cobalt"] == before
    assert [slider.value for slider in app.slider] == [60, 20, 20]


@pytest.mark.parametrize(
    "weights", ["60,20,20", "50,50", "99,99,99", "a,b,c", "-20,60,60", "٦٠,20,20"]
)
def test_weights_in_a_link_that_do_not_fit_are_the_rubrics(sample_ranking, weights):
    app = sample_ranking(weights=weights)
    assert [slider.value for slider in app.slider] == [60, 20, 20]
    assert "Exploring" not in shown(app)


def test_weights_decide_who_is_above(store, sheet, rubric, screen):
    """By hand: atlas has 3, 0, 0 and birch 1, 3, 3; at 60/20/20 that is 1.8 each, then 1.5 to 2."""
    grade(store, rubric, "Ana", [(3, 0, 0), (1, 3, 3), (0, 0, 0)])
    app = screen()
    assert title(app).startswith("Not certain: the annotators rank atlas = birch > cobalt")
    app = screen(weights="50,25,25")
    assert title(app).startswith("Not certain: the annotators rank birch > atlas > cobalt")
    assert composites(app)["annotators", "birch"].startswith("2.00")
    assert composites(app)["annotators", "atlas"].startswith("1.50")


def test_a_swap_is_the_title_and_under_twenty_questions_it_cannot_be_told(
    store, sheet, rubric, screen
):
    grade(store, rubric, "Ana", [(3, 3, 3), (2, 2, 2), (0, 0, 0)])
    grade(store, rubric, "gpt", [(1, 1, 1), (2, 2, 2), (0, 0, 0)], "judge")
    app = screen()
    assert title(app) == "Inconclusive: gpt reverses 1 of 3 pairs of models"
    assert "None of the reversals is certain." in shown(app)
    assert "fewer than 20 questions" in shown(app)
    assert "they are dashed where the swap may be chance" in shown(app)


def test_without_a_judge_annotators_are_ranked_and_the_judges_are_linked(
    store, sheet, rubric, screen
):
    grade(store, rubric, "Ana", [(3, 3, 3), (2, 2, 2), (0, 0, 0)])
    app = screen()
    assert title(app).startswith("Not certain: the annotators rank atlas > birch > cobalt")
    assert "No judge has graded yet" in shown(app)


def test_without_a_whole_composite_of_annotators_grading_is_next(store, sheet, rubric, screen):
    grade(store, rubric, "gpt", [(1, 1, 1), (2, 2, 2), (0, 0, 0)], "judge")
    app = screen()
    assert "Annotators have not graded two answering models yet" in shown(app)
    assert composites(app)["gpt", "birch"].startswith("2.00")


def test_several_judges_and_nobodys_grades_leave_the_order_undefined(store, sheet, rubric, screen):
    for judge in ("gpt", "glm"):
        grade(store, rubric, judge, [(1, 1, 1), (2, 2, 2), (0, 0, 0)], "judge")
    app = screen()
    assert "Annotators have not graded two answering models yet" in shown(app)
    frame = next(f for f in tables(app) if "judge" in f.columns)
    assert [*frame["judge's order"], *frame["reversed pairs"]] == ["—"] * 4


def test_a_judge_that_graded_other_answers_says_so(store, sheet, rubric, screen):
    for criterion in CRITERIA:
        give(store, rubric[1], "Ana", {0: 3, 1: 2}, criterion)
        give(store, rubric[1], "gpt", {3: 3, 4: 2}, criterion, "judge")
    app = screen()
    assert title(app).startswith("Not certain: the annotators rank atlas > birch")
    assert "gpt and annotators have no composite of the same answer" in shown(app)


def test_one_answering_model_cannot_be_ranked(store, rubric, screen):
    additions.add(store, "one", [made_item(n) for n in range(3)], "one.csv", "0" * 64, {})
    for criterion in CRITERIA:
        give(store, rubric[1], "Ana", {0: 3, 1: 2, 2: 1}, criterion)
    assert "Fewer than two answering models" in shown(screen())


def test_nothing_graded_and_no_sheet_say_what_to_do(store, screen):
    assert "There is no sheet yet" in shown(screen())
    additions.add(store, "one", [made_item(n) for n in range(3)], "one.csv", "0" * 64, {})
    assert "grade" in shown(screen())


def test_names_with_markup_are_shown_as_they_are(store, rubric, screen):
    models = ("a*b*", "<b>c</b>", "$d$")
    made = [made_item(n, m) for n in range(3) for m in models]
    additions.add(store, "odd", made, "odd.csv", "0" * 64, {})
    for criterion in CRITERIA:
        scores = {3 * n + m: 3 - m for n in range(3) for m in range(3)}
        give(store, rubric[1], "Ana", scores, criterion)
    app = screen()
    assert app.header[0].value.startswith(
        r"Not certain: the annotators rank a\*b\* \> \<b\>c\</b\> \> \$d\$"
    )
