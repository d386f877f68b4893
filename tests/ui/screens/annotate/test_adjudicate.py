"""An adjudicator settles what annotators differ on, answer by answer, without judge and name."""

from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge
from tests.support.screens import opened, said

PAGE = "pages/adjudicate.py"


def shown(app) -> str:
    """All that the page says, its own HTML too."""
    return said(app) + " ".join(part.proto.body for part in app.get("html"))


def test_an_adjudicator_settles_two_answers_and_then_nothing_is_left(store, monkeypatch):
    made = [made_item(n) for n in range(3)]
    additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3, 1: 0, 2: 2}, reason="said Ana")
    give(store, rubric, "Ben", {0: 2, 1: 3, 2: 2}, reason="<b>no</b>")
    judge(store, rubric, "gpt", {0: 0, 1: 1, 2: 0}, reason="a judge said so")
    first, second = (row["id"] for row in store.rows("select id from items where id <> 3"))
    lea = graders.ensure(store, "person", "Lea")
    app = opened(monkeypatch, store.path, PAGE, grader="Lea")
    assert not app.exception and not app.error
    assert app.header[0].value == "Annotators differ on 2 answers, 2 left to adjudicate"
    words = shown(app)
    assert "What is 1?" in words and "Correctness, 3 points apart" in words
    assert "&lt;b&gt;no" in words and "said Ana" in words
    for hidden in ("gpt", "judge said", "atlas</h3>", ">Ana<", ">Ben<"):
        assert hidden not in words
    assert app.button(key="answers.previous").disabled
    for step, shown_now in (("open", first), ("previous", second), ("next", first)):
        app.button(key=f"answers.{step}").click().run()
        assert app.query_params["at"] == [str(shown_now)] or app.query_params["at"] == str(
            shown_now
        )
    app.button(key="answers.previous").click().run()
    key = f"adjudicate.{second}.correctness"
    app.selectbox(key=f"{key}.score").set_value(1)
    app.selectbox(key=f"{key}.cause").set_value("overlooked")
    app.text_input(key=f"{key}.note").set_value("日期")
    app.button(key=f"FormSubmitter:adjudicate.{second}-Adjudicate and continue").click().run()
    assert app.header[0].value == "Annotators differ on 2 answers, 1 left to adjudicate"
    assert "What is 0?" in shown(app)
    app.selectbox(key=f"adjudicate.{first}.correctness.score").set_value(2)
    app.button(key=f"FormSubmitter:adjudicate.{first}-Adjudicate").click().run()
    assert app.header[0].value == "Annotators differ on 2 answers, 0 left to adjudicate"
    rows = store.rows(
        "select item_id, score, cause, note, triggered_by, blind, grader_id from adjudications"
    )
    assert [tuple(row) for row in rows] == [
        (second, 1, "overlooked", "日期", "people", 1, lea),
        (first, 2, "", "", "people", 1, lea),
    ]
    assert "Adjudicated as 1 by Lea on " in said(app)
    assert "an annotator overlooked something. 日期" in said(app)
    app.get("button_group")[0].set_value("draw").run()
    assert app.header[0].value == "A random sample of 3 answers, 1 left to adjudicate"
    assert not app.exception and not app.error
