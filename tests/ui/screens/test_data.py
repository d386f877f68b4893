"""A colleague's file of grades as it comes: nothing in it needs renaming."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from concord.building import drafts
from concord.grading import assignments, grading_sets
from concord.importing import answer_file, sheet_import
from concord.model import HELD_OUT
from concord.sampling import split_assignment, splits
from concord.store import grade_table, graders, grades, items, sheets
from concord.store.grades import Press
from concord.store.permissions import LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.ui.screens import sheet_list
from concord.ui.screens.browse import PAGE as browse_PAGE
from concord.ui.sign_in import VISITOR
from tests.support.browsed_items import EVIL, checked
from tests.support.commandline import invoke
from tests.support.exports import FOLDER
from tests.support.files import give, press, without
from tests.support.files import give as uploads_give
from tests.support.screens import opened, sign_in_as

PAGE = "pages/data.py"
FILE = "ticket,reviewer,verdict\n000-atlas,Ana,pass\n001-atlas,Ana,fail\n"


def more(app: AppTest, *words: str) -> AppTest:
    """Say words of the map beside what the table of columns has."""
    [area] = [one for one in app.text_area if str(one.key).endswith(".more")]
    return area.set_value("\n".join((area.value, *words))).run()


def test_a_file_of_pass_and_fail_is_stored_with_no_header_renamed(screen, store, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = more(app, "item_id=ticket", "criterion:=correctness", "grader_kind:=annotator")
    [scale] = [one.value for one in app.dataframe if "word" in one.value]
    assert dict(zip(scale["word"], scale["score"], strict=True)) == {"fail": 0, "pass": 1}
    press(app, "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == [0, 1]


def test_no_grades_are_taken_before_it_is_said_who_graded(screen, store):
    rows = "How?,So.,1\nWho?,She did.,0\nWhy?,For it.,1\n"
    app = give(screen(), f"question,answer,correctness\n{rows}", "answers.csv")
    press(app, "import.go")
    assert store.value("select count(*) from grades") == 0


def test_an_export_of_a_tool_is_recognised_shown_and_imported(screen, store):
    app = give(screen(), (FOLDER / "mlflow.json").read_bytes(), "mlflow.json")
    assert not app.exception
    press(app, "import.go")
    assert sheets.find(store, "mlflow").items == 3
    blind = "select blind, count(*) from grades where blind is not null group by blind"
    assert [tuple(row) for row in store.rows(blind)] == [(0, 6)]


def test_criteria_of_an_export_are_left_out_or_read_as_another(screen, store):
    app = give(screen(), (FOLDER / "promptfoo.json").read_bytes(), "promptfoo.json")
    app = more(app, "criterion:correctness=overall")
    press(app, "import.go")
    both = "select count(distinct kind) from grades join graders on graders.id = grader_id where"
    version = "version = (select version from grades where blind = 0 limit 1)"
    assert store.value(f"{both} {version}") == 2


PAGE_OF_GRADE_EXPORT, KEY, FILE_OF_GRADE_EXPORT = (
    "pages/data.py",
    "grades.export",
    "traces-grades.csv",
)


def offered(app):
    return [one.label for one in app.get("download_button")]


def test_the_file_of_the_screen_is_that_of_the_command(store, traces, tmp_path, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", str(store.path))
    monkeypatch.setattr(sheet_list, "own_store", lambda: _Open(store))
    invoke(store.path, "export-grades", tmp_path / FILE_OF_GRADE_EXPORT, "--for", "csv")
    assert sheet_list._csv(traces) == (tmp_path / FILE_OF_GRADE_EXPORT).read_bytes()


def test_grades_of_the_held_out_test_stay_closed(store, traces, monkeypatch):
    monkeypatch.setattr(sheet_list, "own_store", lambda: _Open(store))
    one = items.items(store, items.item_ids(store, traces.id))[0]
    split_assignment.assign(store, [one.question_id], "held-out", "")
    assert splits.held_out(store, traces.id) == {one.question_id}
    assert one.item.own_id.encode() not in sheet_list._csv(traces)


@pytest.mark.parametrize(
    ("who", "offers"),
    [(Who("Lea", LEAD), True), (Who("Vi", VIEWER), False), (VISITOR, True), (None, True)],
)
def test_only_leads_and_visitors_of_a_demo_are_offered_grades(
    store, traces, monkeypatch, who, offers
):
    sign_in_as(monkeypatch, who)
    app = opened(monkeypatch, store.path, PAGE_OF_GRADE_EXPORT)
    assert not app.exception and (FILE_OF_GRADE_EXPORT in offered(app)) is offers
    assert (KEY in [one.key for one in app.selectbox]) is offers


class _Open:
    """The test's own store, which stays open."""

    def __init__(self, store):
        self._store = store

    def __enter__(self):
        return self._store

    def __exit__(self, *_):
        return None


PAGE_OF_SPLITS = "pages/splits.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE_OF_SPLITS, **query)
    assert not app.exception
    return app


def test_what_would_leak_is_refused_on_the_screen_with_its_reason(monkeypatch, store, sheet):
    grades.open_item(store, items.item_ids(store, sheet.id)[0], None)
    app = shown(monkeypatch, store)
    [grid] = [one for one in app.dataframe if "text" in one.value]
    app.session_state[grid.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()
    app.radio(key="splits.split").set_value("few-shot").run()
    assert "with judges' grades" in app.error[0].value
    assert not [button for button in app.button if button.key == "splits.give"]


def test_a_sealed_answer_is_closed_on_the_screen_of_judges(monkeypatch, sample_store):
    first = items.item(sample_store, items.item_ids(sample_store, 1)[0]).question_id
    family = [row["id"] for row in splits.of_sheet(sample_store, 1) if row["cluster"] == "fares"]
    split_assignment.assign(sample_store, family, HELD_OUT, "kept")
    assert first in family
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    query = {"judge": "gpt-6-luna-zero-shot", "show": "Replies"}
    app = opened(monkeypatch, sample_store.path, "pages/judges.py", **query)
    assert not any("not replied" in info.value for info in app.info)


PAGE_OF_BUILD = "pages/build.py"


def test_a_quote_that_is_not_there_and_a_missing_name_are_refused(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE_OF_BUILD, draft="3")
    app.button(key="build.3.approved").click().run()
    app.text_area(key="build.3.quote").input("opens at six in the morning")
    app.button(key="build.3.approved").click().run()
    assert drafts.counts(store, "port")["approved"] == 0


def listed(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["item"])


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def box(app: AppTest, label: str):
    return next(one for one in app.selectbox if one.label == label)


def said_of_browse(app: AppTest, key: str) -> str:
    """What the URL says; a value that the page did not touch is a list."""
    value = app.query_params[key]
    return value if isinstance(value, str) else value[0]


def give_of_browse(
    store, item_id: int, kind: str, name: str, score: int, reason: str, **more: str
) -> None:
    version = next(iter(rubric_versions.named(store, "doc-qa-0-3")[1].versions().values()))
    grader = graders.ensure(store, kind, name, "" if kind == "person" else "f")
    grades.record(store, [Press(item_id, version, grader, score=score, reason=reason, **more)])


def openings(store) -> list[tuple]:
    return [tuple(row) for row in store.rows("select item_id, grader_id from openings")]


def test_search_filters_and_order_are_in_the_url_and_read_from_it(browse):
    app = browse()
    assert len(listed(app)) == browse_PAGE and listed(app)[0] == "a0"
    app = checked(app.text_input(key="browse.words.1").set_value("黑洞").run())
    app = checked(box(app, "Column of the file").set_value(".team").run())
    assert len(box(app, "Value").options) == 3
    app = checked(box(app, "Value").set_value(".B").run())
    app = checked(box(app, "Sort by").set_value("-column:size").run())
    assert listed(app)[:2] == ["a119", "a117"]
    query = {key: said_of_browse(app, key) for key in ("words", "column", "value", "order")}
    assert query == {"words": "黑洞", "column": ".team", "value": ".B", "order": "-column:size"}
    again = browse(**query, page="2")
    assert listed(again)[0] == "a19"
    again = checked(box(again, "Answering model").set_value(".y").run())
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
    assert said_of_browse(app, "item") == "2"
    app = checked(app.button(key="browse.close").click().run())
    assert "item" not in app.query_params


def test_grades_are_shown_with_reasons_and_their_opening_is_recorded(browse, store):
    give_of_browse(store, 1, "person", "Ana", 2, f"Almost {EVIL}", quote=f"decides {EVIL}")
    assert "<q>decides " in html(browse(item="1"))
    assert openings(store) == []  # annotators' grades alone, and nobody's name
    give_of_browse(store, 1, "judge", "strict", 1, "Too short.")
    shown = html(browse(item="1"))
    assert "Too short." in shown and EVIL not in shown
    assert openings(store) == [(1, None)]


def test_an_annotator_who_is_named_is_warned_first(browse, store):
    give_of_browse(store, 1, "judge", "strict", 1, "Too short.")
    ben = graders.ensure(store, "person", "Ben")
    app = browse(item="1", grader="Ben")
    assert "Too short." not in html(app) and openings(store) == []
    app = checked(app.button(key="beside.show").click().run())
    assert "Too short." in html(app) and openings(store) == [(1, ben)]


def test_who_has_still_to_grade_an_answer_sees_no_score_of_it_in_the_list(browse, store):
    give_of_browse(store, 1, "person", "Ben", 0, "")
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    made = grading_sets.create(store, 1, rubric_id, "Set 1", None, seed=1)
    assignments.lay_out(store, made, graders.ensure(store, "person", "Ana"))
    app = browse(annotator=".Ben", scores="1", grader="Ana")
    assert "correctness" not in app.dataframe[0].value
    graders.ensure(store, "person", "Lea")
    app = browse(annotator=".Ben", scores="1", grader="Lea")
    assert list(app.dataframe[0].value["correctness"]) == ["0"]


def test_an_answer_that_waits_in_a_grading_set_has_its_grades_shown_when_asked(browse, store):
    give_of_browse(store, 1, "judge", "strict", 1, "Too short.")
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    made = grading_sets.create(store, 1, rubric_id, "Set 1", None, seed=1)
    app = browse(item="1")
    assert "Too short." not in html(app) and openings(store) == []
    assignments.lay_out(store, made, graders.ensure(store, "person", "Ana"))
    app = browse(item="1")
    app = checked(app.button(key="browse.show.1").click().run())
    assert "Too short." in html(app) and openings(store) == [(1, None)]


def test_held_out_answers_are_shown_without_grades(browse, store):
    give_of_browse(store, 1, "judge", "strict", 1, "Too short.")
    with store.write():
        question = store.value("select question_id from items where id = 1")
        store.insert(
            "question_roles", question_id=question, role="sealed", why="", created_at="2026-01-01"
        )
    app = browse(item="1")
    assert "Too short." not in html(app) and openings(store) == []


GOOD = "item_id,question,answer,answer_model\n007,Why?,Because.,atlas\n008,Who?,NA,atlas\n"


def test_bad_rows_are_listed_and_left_out_only_on_the_users_word(screen, store):
    app = uploads_give(screen(), GOOD + "009,,Lost.,atlas\n")
    bad = next(t.value for t in app.dataframe if "problem" in t.value)
    assert bad[["row", "column"]].values.tolist() == [["3", "question"]]
    assert app.button(key="import.go").disabled
    app = without(app).check().run()
    assert sheets.find(press(app, "import.go") and store, "answers").items == 2


def test_answers_that_collide_and_differ_are_numbered_unless_it_is_unticked(screen, store):
    app = uploads_give(screen(), "question,answer\nWhy?,So.\nWhy?,Thus.\n")
    [number] = [one for one in app.checkbox if ".number." in str(one.key)]
    assert number.value and not app.button(key="import.go").disabled
    app = number.uncheck().run()
    assert not [one for one in app.button if one.key == "import.go"]
    [number] = [one for one in app.checkbox if ".number." in str(one.key)]
    press(number.check().run(), "import.go")
    assert [items.item(store, n).item.own_id for n in (1, 2)] == ["Why?/a1", "Why?/a2"]


def test_a_second_list_is_joined_on_the_screen(screen, store):
    lists = {"asked": [{"id": "q1", "question": "Why?"}], "given": [{"q": "q1", "answer": "So."}]}
    app = uploads_give(screen(), json.dumps(lists), "two.json")
    app = app.multiselect(key="import.join.lists").set_value(["given"]).run()
    app = app.text_input(key="import.join.given").set_value("id=q").run()
    press(app, "import.go")
    item = items.item(store, 1).item
    assert (item.question, item.answer) == ("Why?", "So.")


def test_unknown_columns_are_mapped_by_hand(screen, store):
    app = uploads_give(screen(), "ask,reply\nWhy not,Because.\n")
    app = more(app, "question=ask", "answer=reply")
    press(app, "import.go")
    assert items.item(store, 1).item.answer == "Because."


LONG = "item_id,criterion,grader,grader_kind,score\n000-atlas,correctness,Ana,annotator,{}\n"


def test_grades_are_not_blind_on_the_users_word(screen, store, sheet, rubric):
    app = more(uploads_give(screen(do="grades"), LONG.format(2)), "blind:=false")
    press(app, "grades.go")
    assert store.value("select blind from grades") == 0


@pytest.mark.parametrize(("choice", "score"), [("keep", 2), ("replace", 1)])
def test_a_grade_that_differs_is_kept_or_replaced_on_the_users_word(
    screen, store, sheet, rubric, choice, score
):
    press(uploads_give(screen(do="grades"), LONG.format(2)), "grades.go")
    more = LONG.format(1) + "001-atlas,correctness,Ana,annotator,3\n"
    app = uploads_give(screen(do="grades"), more)
    assert app.button(key="grades.go").disabled
    app = app.radio[0].set_value(choice).run()
    press(app, "grades.go")
    versions = {v: n for n, v in rubric[1].versions().items()}
    assert sorted(grade_table.table(store, sheet.id, versions)["score"]) == sorted([score, 3])


def test_a_sheet_goes_only_when_its_name_is_typed(screen, store, sheet):
    app = screen()
    app.session_state["sheets.removing"] = True
    app = app.run()
    assert app.button(key="sheets.delete").disabled
    app = app.text_input(key=f"sheets.confirm.{sheet.id}").set_value("numbers").run()
    app = press(app, "sheets.delete")
    assert sheets.all_sheets(store) == []


def test_an_import_is_undone_after_its_counts_were_read(screen, store, sheet):
    more = answer_file.load(GOOD.encode(), "more.csv")
    sheet_import.take_sheet(store, more, "numbers")
    app = screen(sheet="numbers")
    (box,) = [one for one in app.selectbox if one.label == "Undo an import"]
    assert box.options == ["2: more.csv", "1: numbers.csv"]
    app = box.select(2).run()
    app = press(app, "sheets.undo")
    assert not app.exception
    assert sheets.find(store, "numbers").items == 36
