"""The answers browser as a user meets it: state in the URL, an opened answer, and blinding."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.grading import assignments, comments, grading_sets
from concord.grading.comments import At
from concord.store import graders, grades, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.rubrics import rubric_versions
from concord.text.marked_passages import Passage, stored
from concord.ui.screens.data.browse import PAGE
from tests.support.browsed_items import EVIL, checked


def listed(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["item"])


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def words(app: AppTest) -> str:
    kinds = (app.header, app.subheader, app.markdown, app.caption, app.info)
    return " ".join(element.value for kind in kinds for element in kind)


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
    assert box(app, "Value").options == ["All values", "A (60)", "B (60)"]
    app = checked(box(app, "Value").set_value(".B").run())
    app = checked(box(app, "Sort by").set_value("-column:size").run())
    assert listed(app)[:2] == ["a119", "a117"]
    assert "**60** of 120 answers" in words(app)
    query = {key: said(app, key) for key in ("words", "column", "value", "order")}
    assert query == {"words": "黑洞", "column": ".team", "value": ".B", "order": "-column:size"}
    again = browse(**query, page="2")
    assert listed(again)[0] == "a19"
    again = checked(box(again, "Answering model").set_value("y").run())
    assert listed(again)[0] == "a119"  # the first page of what is listed now
    again = checked(again.button(key="browse.clear").click().run())
    assert listed(again)[0] == "a0" and "words" not in again.query_params
    assert again.text_input(key="browse.words.1").value == ""
    chosen = {box.label: box.value for box in again.selectbox}
    assert (chosen["Column of the file"], chosen["Sort by"]) == ("*", "file")


def test_a_page_that_is_no_longer_there_shows_the_last_one(browse):
    assert listed(browse(page="99"))[0] == "a100"
    assert listed(browse(page="x"))[0] == "a0"


def test_a_search_without_a_match_says_so(browse):
    app = browse(words="nowhere%")
    assert "No answer matches" in words(app)
    assert not any("item" in table.value for table in app.dataframe)


def test_texts_of_the_table_end_in_an_ellipsis_and_not_within_a_letter(browse, store):
    store.execute("update questions set text = ?", ("How far is the Moon? " * 900,))
    store.execute("update items set answer = ?", ("月" * 20_000,))
    row = browse().dataframe[0].value.iloc[0]
    assert row["question"] == "How far is the Moon? How far …"
    assert row["answer"] == f"{'月' * 14}…" and row["characters"] == 20_000


def test_the_column_that_is_asked_about_is_among_those_that_fit(browse):
    app = browse(column=".team", value=".B", order="-column:size")
    shown = list(app.dataframe[0].proto.column_order)
    assert {"question", "answer", "team", "size"} <= {*shown}


def test_an_opened_answer_shows_all_of_it_as_text(browse):
    app = browse(item="1")
    shown = html(app)
    for text in ("Question 0?", "user: Earlier?", "manual.pdf · c1", "The reference.", "Short."):
        assert text in shown
    assert "<details><summary" in shown and "big.jsonl" in shown and "abababab" in shown
    assert "1,920 characters" in shown and "&lt;script&gt;" in shown
    assert EVIL not in shown
    assert "This answer has no grades yet." in words(app)
    before = app.button(key="browse.arrow_upward")
    assert before.disabled and before.help == "This is the first answer on this page."
    app = checked(app.button(key="browse.arrow_downward").click().run())
    assert said(app, "item") == "2"
    assert not app.button(key="browse.arrow_upward").help
    app = checked(app.button(key="browse.close").click().run())
    assert "item" not in app.query_params


@pytest.mark.parametrize("asked", ["99999", "x", "-1", "9" * 40])
def test_a_link_to_no_answer_of_the_sheet_opens_none(browse, asked):
    assert "Question" not in html(browse(item=asked))


def test_another_search_closes_the_opened_answer(browse):
    app = browse(item="1")
    assert "Question 0?" in html(app)
    app = checked(app.text_input[0].set_value("Question 7").run())
    assert "Question 0?" not in html(app) and "item" not in app.query_params


def test_grades_are_shown_with_reasons_and_their_opening_is_recorded(browse, store):
    quote = f"decides {EVIL}"
    give(store, 1, "person", "Ana", 2, f"Almost {EVIL}", quote=quote, rubric_language="ko")
    assert "Almost" in html(browse(item="1"))
    assert "rubric in 한국어" in html(browse(item="1"))
    assert "正确性" in html(browse(item="1", lang="zh"))
    assert "<q>decides " in html(browse(item="1"))
    assert openings(store) == []  # annotators' grades alone, and nobody's name
    give(store, 1, "judge", "strict", 1, "Too short.")
    shown = html(browse(item="1"))
    assert "strict" in shown and "Too short." in shown and EVIL not in shown
    assert "Imported from" in shown and "; import 1, " in shown
    assert openings(store) == [(1, None)]


def test_the_passages_that_annotators_marked_are_highlighted_where_they_are(browse, store):
    marked = stored([Passage("context", 1, 2, "Long."), Passage("reference", 1, 1, "The")])
    give(store, 1, "person", "Ana", 2, "", quote="Long. […] The", marked_passages=marked)
    give(store, 1, "person", "Ben", 2, "", quote="Question")  # before places were kept
    give(store, 1, "judge", "strict", 2, "", quote="Short")
    shown = html(browse(item="1"))
    assert '<mark title="Ben · correctness">Question</mark> 0?' in shown
    assert ' <mark title="Ana · correctness">Long.</mark> ' in shown
    assert shown.partition('<mark title="Ana')[0].count("Long.") == 1
    assert '<mark title="Ana · correctness">The</mark> reference.' in shown
    assert "<p>Context 1: <q>Long.</q></p>" in shown and shown.count("<mark") == 3
    assert "<details open>" in shown


def test_a_metric_is_no_annotator(browse, store):
    give(store, 1, "metric", "rouge", 1, "")
    assert "<span>metric</span> · " in html(browse(item="1"))
    assert openings(store) == [(1, None)]


def test_how_a_metric_value_came_about_is_in_the_readers_language(browse, store):
    metric_values.register(store, "rouge", "v", '{"metric": "rouge", "switches": {}}')
    grader = graders.ensure(store, "metric", "overlap", "f")
    for item_id, reason in ((1, "All were found."), (2, "Two of Ada’s words.")):
        press = Press(item_id, "v", grader, score=1, reason=reason)
        metric_values.record(store, [NewMetricValue(press, {}, (), 1, ())])
    assert "All were found." in html(browse(item="1"))
    assert "すべて見つかりました。" in html(browse(item="1", lang="ja"))
    assert "Two of Ada’s words." in html(browse(item="2", lang="ja"))


def test_an_annotator_who_is_named_is_warned_first(browse, store):
    give(store, 1, "judge", "strict", 1, "Too short.")
    ben = graders.ensure(store, "person", "Ben")
    app = browse(item="1", grader="Ben")
    assert "Too short." not in html(app) and openings(store) == []
    app = checked(app.button(key="beside.show").click().run())
    assert "Too short." in html(app) and openings(store) == [(1, ben)]


def test_the_scores_of_an_annotator_are_listed_next_to_the_others(browse, store):
    for name, score in (("Ana", 3), ("Ben", 0), ("Cyd", 2)):
        give(store, 1, "person", name, score, "")
    give(store, 1, "judge", "strict", 1, "")
    give(store, 2, "person", "Ben", 1, "")
    app = browse(annotator=".Ben")
    assert "correctness" not in app.dataframe[0].value
    app = checked(app.toggle(key="browse.scores.Ben").set_value(True).run())
    assert list(app.dataframe[0].value["correctness"]) == ["0 (3, 2)", "1"]
    assert said(app, "scores") == "1" and openings(store) == []
    assert "First the score of Ben" in words(app)
    assert "Progress of each annotator" in [one.proto.label for one in app.get("page_link")]
    app = browse(annotator=".Ben", scores="1")
    assert list(app.dataframe[0].value)[:3] == ["item", "correctness", "question"]
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    version = rubric.versions()["readability"]
    grades.record(store, [Press(1, version, graders.ensure(store, "person", "Ben"), score=2)])
    app = browse(annotator=".Ben", scores="1", criteria='["readability"]')
    assert list(app.dataframe[0].value)[:3] == ["item", "readability", "correctness"]
    app = checked(app.button(key="browse.clear").click().run())
    assert "scores" not in app.query_params and "correctness" not in app.dataframe[0].value


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
    rubric_id, rubric = rubric_versions.named(store, "doc-qa-0-3")
    made = grading_sets.create(store, 1, rubric_id, "Set 1", None, seed=1)
    app = browse(item="1")
    assert "This answer is in a grading set and not graded yet." in words(app)
    assert "Too short." not in html(app) and openings(store) == []
    ana = graders.ensure(store, "person", "Ana")
    assignments.lay_out(store, made, ana)
    app = browse(item="1")
    assert "is still to be graded by Ana" in words(app)
    app = checked(app.button(key="browse.show.1").click().run())
    assert "Too short." in html(app) and openings(store) == [(1, None)]
    grades.record(
        store, [Press(1, version, ana, score=1) for version in rubric.versions().values()]
    )
    assert "Too short." in html(browse(item="1"))


def test_held_out_answers_are_shown_without_grades(browse, store):
    give(store, 1, "judge", "strict", 1, "Too short.")
    with store.write():
        question = store.value("select question_id from items where id = 1")
        store.insert(
            "question_roles", question_id=question, role="sealed", why="", created_at="2026-01-01"
        )
    app = browse(item="1")
    assert "held out or in the few-shot pool" in words(app)
    assert "Too short." not in html(app) and openings(store) == []


def test_graded_answers_that_enter_no_figure_are_counted(browse, store):
    give(store, 1, "person", "Ana", 1, "Too short.")
    assert "Not counted" not in words(browse(graded="annotated"))
    with store.write():
        question = store.value("select question_id from items where id = 1")
        store.insert(
            "question_roles", question_id=question, role="sealed", why="", created_at="2026-01-01"
        )
    apart = words(browse(graded="annotated"))
    assert "with the text or cluster of such a question, 1 of them graded." in apart
    assert "Not counted" not in words(browse(graded="judged"))


def test_corrected_answers_are_shown_with_the_grades(store, big_sheet, browse):
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    made = grading_sets.create(store, big_sheet.id, rubric_id, "Team", None, 1)
    ana = graders.ensure(store, "person", "Ana")
    item = store.value("select min(item_id) from grading_set_items where set_id = ?", (made.id,))
    comments.add(store, "correction", At(made.id, item, ana), "Ana", "<b>Black</b> tea.")
    page = browse(item=item)
    assert "Corrected answers" not in words(page)  # not before it is graded, or asked for
    page.button(key=f"browse.show.{item}").click().run()
    assert "Corrected answers" in words(page)
    assert "&lt;b&gt;Black&lt;/b&gt; tea." in html(page)
