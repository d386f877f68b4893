"""The answers browser as a user meets it: state in the URL, an opened answer, and blinding."""

from streamlit.testing.v1 import AppTest

from concord.grading import assignments, grading_sets
from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.ui.screens.data.browse import PAGE
from tests.support.browsed_items import EVIL, checked


def listed(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["item"])


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def box(app: AppTest, label: str):
    return next(one for one in app.selectbox if one.label == label)


def said(app: AppTest, key: str) -> str:
    """What the URL says; a value that the page did not touch is a list."""
    value = app.query_params[key]
    return value if isinstance(value, str) else value[0]


def give(store, item_id: int, kind: str, name: str, score: int, reason: str, **more: str) -> None:
    version = next(iter(rubric_versions.named(store, "doc-qa-0-3")[1].versions().values()))
    grader = graders.ensure(store, kind, name, "" if kind == "person" else "f")
    grades.record(store, [Press(item_id, version, grader, score=score, reason=reason, **more)])


def openings(store) -> list[tuple]:
    return [tuple(row) for row in store.rows("select item_id, grader_id from openings")]


def test_search_filters_and_order_are_in_the_url_and_read_from_it(browse):
    app = browse()
    assert len(listed(app)) == PAGE and listed(app)[0] == "a0"
    app = checked(app.text_input(key="browse.words.1").set_value("黑洞").run())
    app = checked(box(app, "Column of the file").set_value(".team").run())
    assert len(box(app, "Value").options) == 3
    app = checked(box(app, "Value").set_value(".B").run())
    app = checked(box(app, "Sort by").set_value("-column:size").run())
    assert listed(app)[:2] == ["a119", "a117"]
    query = {key: said(app, key) for key in ("words", "column", "value", "order")}
    assert query == {"words": "黑洞", "column": ".team", "value": ".B", "order": "-column:size"}
    again = browse(**query, page="2")
    assert listed(again)[0] == "a19"
    again = checked(box(again, "Answering model").set_value("y").run())
    assert listed(again)[0] == "a119"  # the first page of what is listed now
    again = checked(again.button(key="browse.clear").click().run())
    assert listed(again)[0] == "a0" and "words" not in again.query_params


def test_an_opened_answer_shows_all_of_it_as_text(browse):
    app = browse(item="1")
    for text in ("Question 0?", "manual.pdf · c1", "The reference.", "&lt;script&gt;"):
        assert text in html(app)
    assert EVIL not in html(app)
    assert app.button(key="browse.arrow_upward").disabled
    app = checked(app.button(key="browse.arrow_downward").click().run())
    assert said(app, "item") == "2"
    app = checked(app.button(key="browse.close").click().run())
    assert "item" not in app.query_params


def test_grades_are_shown_with_reasons_and_their_opening_is_recorded(browse, store):
    give(store, 1, "person", "Ana", 2, f"Almost {EVIL}", quote=f"decides {EVIL}")
    assert "<q>decides " in html(browse(item="1"))
    assert openings(store) == []  # annotators' grades alone, and nobody's name
    give(store, 1, "judge", "strict", 1, "Too short.")
    shown = html(browse(item="1"))
    assert "Too short." in shown and EVIL not in shown
    assert openings(store) == [(1, None)]


def test_an_annotator_who_is_named_is_warned_first(browse, store):
    give(store, 1, "judge", "strict", 1, "Too short.")
    ben = graders.ensure(store, "person", "Ben")
    app = browse(item="1", grader="Ben")
    assert "Too short." not in html(app) and openings(store) == []
    app = checked(app.button(key="beside.show").click().run())
    assert "Too short." in html(app) and openings(store) == [(1, ben)]


def test_who_has_still_to_grade_an_answer_sees_no_score_of_it_in_the_list(browse, store):
    give(store, 1, "person", "Ben", 0, "")
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    made = grading_sets.create(store, 1, rubric_id, "Set 1", None, seed=1)
    assignments.lay_out(store, made, graders.ensure(store, "person", "Ana"))
    app = browse(annotator=".Ben", scores="1", grader="Ana")
    assert "correctness" not in app.dataframe[0].value
    app = browse(annotator=".Ben", scores="1", grader="Lea")
    assert list(app.dataframe[0].value["correctness"]) == ["0"]


def test_an_answer_that_waits_in_a_grading_set_has_its_grades_shown_when_asked(browse, store):
    give(store, 1, "judge", "strict", 1, "Too short.")
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    made = grading_sets.create(store, 1, rubric_id, "Set 1", None, seed=1)
    app = browse(item="1")
    assert "Too short." not in html(app) and openings(store) == []
    assignments.lay_out(store, made, graders.ensure(store, "person", "Ana"))
    app = browse(item="1")
    app = checked(app.button(key="browse.show.1").click().run())
    assert "Too short." in html(app) and openings(store) == [(1, None)]


def test_held_out_answers_are_shown_without_grades(browse, store):
    give(store, 1, "judge", "strict", 1, "Too short.")
    with store.write():
        question = store.value("select question_id from items where id = 1")
        store.insert(
            "question_roles", question_id=question, role="sealed", why="", created_at="2026-01-01"
        )
    app = browse(item="1")
    assert "Too short." not in html(app) and openings(store) == []
