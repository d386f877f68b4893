"""The screen of disagreements without a browser: filters, links, and what is noted and offered."""

import json
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from concord.grading.adjudication.disagreement_causes import Tag, tag
from concord.reports.disagreements.disagreements import EVERYTHING, Filtered, every
from concord.rubrics import fit
from concord.sampling import split_assignment, splits
from concord.store import additions, graders
from concord.store.rubrics import rubric_edits, rubric_versions
from concord.ui.components import review_pane
from concord.ui.components.review_list import ReviewList
from concord.ui.screens.review.disagreements import Disagreements
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.screens import opened, said

PAGE = "pages/review.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def test_criteria_and_meanings_are_in_the_language_of_the_reader(monkeypatch, sample_db, told):
    app = shown(monkeypatch, sample_db, lang="zh")
    assert "正确性" in app.header[0].value and "correctness" not in app.header[0].value
    first = told["data"]["criteria"]["correctness"]
    assert first["title"] == "正确性" and first["levels"][3]["meaning"].startswith("正确：")
    assert told["data"]["entries"][0]["scores"]["criterion"] == "correctness"


def test_the_title_counts_and_the_worst_stands_first(monkeypatch, sample_db, told):
    app = shown(monkeypatch, sample_db)
    assert app.header[0].value.replace("\\", "") == (
        "78 disagreements with annotators on correctness"
    )
    assert "On 73 answers · Judge: simulated-careful-judge" in said(app)
    data = told["data"]
    assert (data["total"], data["pages"], len(data["entries"])) == (78, 4, 20)
    assert [mark["text"] for mark in data["entries"][0]["marks"]] == ["0", "3"]
    assert data["at"] == data["entries"][0]["id"]
    assert "78 disagreements, none tagged yet." in said(app)


def test_a_viewer_is_asked_for_no_name_and_told_why_nothing_is_saved(
    monkeypatch, sample_db, told, viewer
):
    app = shown(monkeypatch, sample_db)
    assert not [box for box in app.selectbox if box.key == "you"]
    assert told["data"]["locked"].startswith("Your role does not allow that")
    assert told["data"]["who"] == "" and told["data"]["entries"]


def test_filters_are_those_of_the_link_and_go_into_it(monkeypatch, sample_db, told):
    query = {"judge": "simulated-lenient-judge", "criterion": "*", "cell": "1:3", "size": "2"}
    app = shown(monkeypatch, sample_db, **query)
    entries = told["data"]["entries"]
    assert {(entry["scores"]["person"], entry["scores"]["said"]) for entry in entries} == {(1, 3)}
    about = {entry["about"] for entry in entries}  # the criterion, where the list has several
    assert any(one.startswith("Readability") for one in about)
    (criterion,) = [box for box in app.selectbox if box.label == "Criterion"]
    criterion.select("readability").run()
    assert app.query_params["criterion"] == "readability"
    assert {entry["scores"]["criterion"] for entry in told["data"]["entries"]} == {"readability"}


def test_a_link_to_one_disagreement_opens_its_page(monkeypatch, sample_db, told):
    shown(monkeypatch, sample_db)
    first = told["data"]["entries"][0]["id"]
    shown(monkeypatch, sample_db, size="2")
    last = told["data"]["entries"][-1]["id"]
    shown(monkeypatch, sample_db, entry=last)
    assert told["data"]["at"] == last != first
    shown(monkeypatch, sample_db, entry="gone")
    assert told["data"]["at"] == first


def test_a_cell_of_the_confusion_table_leads_to_its_disagreements(monkeypatch, sample_db):
    query = {"judge": "simulated-lenient-judge", "criterion": "readability", "cell": "1:3"}
    app = opened(monkeypatch, sample_db, "pages/agreement.py", **query, grader="author")
    (link,) = [
        link.proto for link in app.get("page_link") if link.proto.label.startswith("Review them")
    ]
    assert link.page == "review"
    rest = {"sheet": "sample", "rubric": "doc-qa-0-3", "grader": "author"}
    assert dict(parse_qsl(link.query_string)) == query | rest
    app = opened(monkeypatch, sample_db, "pages/agreement.py", **query | {"cell": "3:3"})
    assert not [link for link in app.get("page_link") if link.proto.label.startswith("Review them")]


def test_who_looks_is_told_first_and_every_answer_of_the_page_is_noted(
    monkeypatch, store, db, three_graded, told
):
    ben = graders.ensure(store, "person", "Ben")
    app = shown(monkeypatch, db, grader="Ben")
    assert "You are viewing as Ben, and your tags are stored under this name" in app.info[0].value
    assert app.button(key="beside.show").label == "Continue as Ben"
    assert not told
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert [entry["question"] for entry in told["data"]["entries"]] == [
        "What is 0?",
        "What is 1?",
    ]
    assert store.value("select count(*) from openings where grader_id = ?", (ben,)) == 2
    reloaded = shown(monkeypatch, db, grader="Ben")
    assert not reloaded.info and told["data"]["who"] == "Ben"


def test_texts_are_text_and_the_answer_is_safe(monkeypatch, store, db, told):
    made = made_item(1, answer="<script>alert(1)</script>", question="<b>?</b>")
    additions.add(store, "hostile", [made], "h.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3})
    judge(store, rubric, "gpt", {0: 0})
    shown(monkeypatch, db)
    assert "<script" not in told["data"]["entries"][0]["answer"]
    assert told["data"]["entries"][0]["question"] == "<b>?</b>"


def test_tags_are_kept_with_the_name_of_a_person_who_is_not_simulated(monkeypatch, sample_db, told):
    app = shown(monkeypatch, sample_db)
    assert told["data"]["grader_id"] is None
    you = app.selectbox(key="you")
    assert you.options == ["author"]
    you.select("author").run()
    app.button(key="beside.show").click().run()
    assert app.query_params["grader"] == "author"
    assert told["data"]["who"] == "author"
    assert told["data"]["grader_id"] is not None


def unclear(store, rubric, note="what is right?"):
    ana = graders.named(store, "person", "Ana").id
    ids = [row["id"] for row in store.rows("select id from grades where item_id = 1")]
    version = rubric.versions()["correctness"]
    tag(store, Tag(1, version, tuple(ids), "rubric_unclear", ana, note))


def test_rubric_unclear_leads_to_the_editor_and_says_what_it_costs(
    monkeypatch, store, db, three_graded, told
):
    unclear(store, three_graded)
    app = shown(monkeypatch, db, next="reword")
    assert "1 of 2 tagged: 1 rubric unclear." in said(app)
    assert "what is right? (Ana)" in said(app).replace("\\", "")
    assert app.expander[0].label == "A new version would make 6 grades outdated"
    query = {"edit": "1", "criterion": "readability", "rubric": "doc-qa-0-3", "sheet": "numbers"}
    editor = opened(monkeypatch, db, "pages/rubrics.py", **query)
    assert editor.text_input(key="rubric.readability.question")
    assert not editor.info
    editor = opened(monkeypatch, db, "pages/rubrics.py", **query | {"criterion": "correctness"})
    assert "marked unclear in 1 disagreement on numbers" in editor.info[0].value
    assert "what is right? (Ana)" in editor.info[0].value.replace("\\", "")


def test_where_nobody_found_the_rubric_unclear_a_reword_counts_no_such_disagreement(
    monkeypatch, db, three_graded, told
):
    words = said(shown(monkeypatch, db, next="reword"))
    assert "A new wording makes a new version" in words and "marked unclear" not in words


def test_after_a_new_version_the_rubric_says_what_is_left(monkeypatch, store, db, three_graded):
    unclear(store, three_graded)
    first, *others = three_graded.criteria
    first = first.model_copy(update={"question": "Is it right?"})
    new = three_graded.model_copy(update={"name": "mine", "criteria": (first, *others)})
    rubric_edits.save(store, three_graded, new, {})
    app = opened(monkeypatch, db, "pages/rubrics.py", rubric="mine", sheet="numbers")
    assert not app.exception
    assert "reworded: 6 grades to regrade (3 by annotators, 3 by judges)" in app.warning[0].value
    give(store, three_graded, "Ana", {0: 3}, criterion="readability")
    judge(store, three_graded, "gpt", {0: 3}, criterion="readability")
    app = shown(monkeypatch, db, rubric="mine", next="reword")
    assert "Nothing was compared" in said(app)
    assert "reworded: 6 grades to regrade (3 by annotators, 3 by judges)" in app.warning[0].value


def test_examples_come_from_kept_questions_or_say_how(monkeypatch, store, db, three_graded, told):
    app = shown(monkeypatch, db, next="examples")
    assert "The few-shot pool of this sheet is empty." in said(app)
    assert "may not become an example" in said(app)
    third = splits.of_sheet(store, 1)[2]["id"]
    split_assignment.assign(store, [third], "few-shot", "for prompts")
    app = shown(monkeypatch, db, next="examples")
    assert "Ana gave 3, another score" in said(app)
    assert 'question = "What is 2?"' in app.code[0].value


def test_the_list_downloads_with_both_reasons(monkeypatch, store, db, three_graded, told):
    unclear(store, three_graded)
    app = shown(monkeypatch, db)
    offered = [one.proto.label for one in app.get("download_button")]
    assert [one for one in offered if one.endswith("-disagreements.csv")] == offered != []
    assert "anyone who reads it is no longer blind" in said(app)


def test_a_press_is_kept_once_and_what_was_changed_meanwhile_is_told(
    monkeypatch, store, db, three_graded
):
    monkeypatch.setenv("CONCORD_DB", str(db))
    ana = graders.named(store, "person", "Ana").id
    gpt = graders.named(store, "judge", "gpt").id
    graded = panel(store, three_graded)
    found = Filtered(graded, EVERYTHING, every(graded), "", 0)
    session = {}
    monkeypatch.setattr(review_pane.st, "session_state", session)

    def press(n, item, cause):
        said = {1: 0, 2: 1}[item]
        key = f"{item}.{gpt}.{said}.3.correctness"
        return {"n": n, "id": key, "decision": cause, "note": "", "grader": ana}

    def save(seq, *presses):
        session["review"] = {"batch": {"seq": seq, "presses": list(presses)}}
        current = found._replace(panel=panel(store, three_graded))
        review_pane._save(ReviewList([Disagreements(None, current, store)]))
        return session["review.reply"]

    both = press(1, 1, "judge_wrong"), press(2, 2, "person_wrong")
    assert save(1, *both) == review_pane.ReviewReply(heard=1, done=2)
    assert save(2, *both, press(3, 1, "")).done == 3
    rows = store.rows("select item_id, cause, grade_ids from adjudications order by id")
    assert [(r["item_id"], r["cause"]) for r in rows] == [
        (1, "judge_wrong"),
        (2, "person_wrong"),
        (1, ""),
    ]
    assert len(json.loads(rows[0]["grade_ids"])) == 2
    give(store, three_graded, "Ana", {0: 2})
    assert "changed or withdrawn in the meantime" in save(3, press(4, 1, "judge_wrong")).problem


def test_nothing_to_work_on_says_what_to_do(monkeypatch, db):
    assert "There is no sheet yet" in said(shown(monkeypatch, db))


def test_an_empty_list_says_so(monkeypatch, sample_db, told):
    app = shown(monkeypatch, sample_db, cause="judge_wrong")
    assert not told
    assert "This list is empty" in said(app)
    assert "78 disagreements, none tagged yet." in said(app)


def test_where_no_answer_has_both_scores_the_list_says_so(
    monkeypatch, store, db, three_graded, told
):
    judge(store, three_graded, "late", {2: None})
    app = shown(monkeypatch, db, judge="late")
    assert not told
    assert "Nothing was compared" in said(app)
    assert "disagreement" not in said(app).casefold()
    assert "This list is empty" not in said(app)


def test_continuous_numbers_are_no_list_without_disagreements(
    monkeypatch, store, db, three_graded, told
):
    judge(store, three_graded, "smooth", dict.fromkeys(range(3), 1.25))
    app = shown(monkeypatch, db, judge="smooth")
    assert app.header[0].value == "Nothing was compared"
    assert "The judge's grades are continuous numbers" in said(app)
    assert "No answer has both" not in said(app)
    assert "choose another judge" in said(app)  # the other one has scores
    assert not app.segmented_control


def test_where_no_choice_of_judge_compares_anything_none_is_offered(monkeypatch, store, db, told):
    additions.add(store, "numbers", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = fit.new_rubric(["correctness"], (0, 3))
    rubric_versions.register(store, rubric, "own")
    give(store, rubric, "Ana", {0: 0, 1: 1, 2: 1})
    judge(store, rubric, "smooth", dict.fromkeys(range(3), 1.25))
    app = shown(monkeypatch, db)
    assert app.header[0].value == "Nothing was compared"
    assert "choose another judge" not in said(app)


def test_a_rubric_without_meanings_shows_every_score_of_the_scale(monkeypatch, store, db, told):
    """One that an import made; the pane ended in an error instead of the list."""
    additions.add(store, "numbers", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = fit.new_rubric(["correctness"], (0, 1))
    rubric_versions.register(store, rubric, "own")
    give(store, rubric, "Ana", {0: 0, 1: 1, 2: 1})
    judge(store, rubric, "gpt", {0: 1, 1: 1, 2: 1})
    shown(monkeypatch, db)
    levels = told["data"]["criteria"]["correctness"]["levels"]
    assert [(one["score"], one["meaning"]) for one in levels] == [(0, ""), (1, "")]
    assert told["data"]["entries"][0]["scores"]["person"] == 0
