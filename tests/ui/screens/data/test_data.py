"""A colleague's file of grades as it comes: nothing in it needs renaming."""

import json
import os
import signal

import pytest
from streamlit.testing.v1 import AppTest

from concord.building import drafts
from concord.grading import assignments, grading_sets
from concord.importing import answer_file, sheet_import
from concord.importing import spec as specs
from concord.judges.running import launch
from concord.judges.running.run_lock import of_asker
from concord.model import HELD_OUT, Cell
from concord.sampling import split_assignment, splits
from concord.store import grade_table, graders, grades, items, runs, sheets
from concord.store.grades import Press
from concord.store.permissions import LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.ui.screens import sheet_list
from concord.ui.screens.browse import PAGE as browse_PAGE
from concord.ui.sign_in import VISITOR
from tests.support.browsed_items import EVIL, checked
from tests.support.commandline import invoke
from tests.support.endpoint import Endpoint
from tests.support.exports import CASES, FOLDER
from tests.support.files import give, press, tasks, without
from tests.support.files import give as uploads_give
from tests.support.judges.building import HARBOUR, MINISTRY, filled, local, writer
from tests.support.patience import until
from tests.support.screens import opened, said, sign_in_as

PAGE = "pages/data.py"
FILE = "ticket,reviewer,verdict\n000-atlas,Ana,pass\n001-atlas,Ana,fail\n"


def picker(app, field):
    [found] = [one for one in app.selectbox if str(one.key).endswith(f".{field}")]
    return found


def choose(app, **fields):
    """Choose columns, or values of every row, in the pickers."""
    for field, value in fields.items():
        app = picker(app, field).set_value(value).run()
    return app


def test_a_file_of_pass_and_fail_is_stored_with_no_header_renamed(screen, store, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    given = [picker(app, field).value for field in ("item_id", "grader", "score")]
    assert given == ["ticket", "reviewer", "verdict"]
    assert picker(app, "grader_kind").value == ":=annotator"  # no name in the column is a judge's
    app = choose(app, criterion=":=correctness")
    [scale] = [one.value for one in app.dataframe if "word" in one.value]
    assert dict(zip(scale["word"], scale["score"], strict=True)) == {"fail": 0, "pass": 1}
    app = choose(app, grader="reviewer")
    press(app, "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == [0, 1]


def test_a_choice_takes_its_column_from_a_proposal_and_proposals_are_cleared(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = choose(app, reason="verdict")
    assert picker(app, "score").value is None
    app = choose(app, score="verdict")  # it gives way once
    assert (picker(app, "score").value, picker(app, "reason").value) == ("verdict", "verdict")
    app = choose(app, reason=None, score=None)
    assert not [button for button in app.button if button.key == "grades.go"]


def test_another_rubric_keeps_the_mapping(screen, sheet, rubric):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = choose(app, criterion=":=correctness", grader_kind=":=annotator")
    app = app.selectbox(key="pick.rubric").set_value("doc-qa-0-3").run()
    assert picker(app, "criterion").value == ":=correctness"
    assert picker(app, "grader_kind").value == ":=annotator"
    # Pass says little on a scale from 0 to 3: the user maps it.
    [scale] = [one for one in app.dataframe if "word" in one.value]
    assert scale.value["score"].isna().all()


def test_results_of_promptfoo_are_grades_of_the_stored_answers(screen, store, sheet):
    stored = items.items(store, items.item_ids(store, sheet.id)[:2])
    judged = {"assertion": {"type": "llm-rubric", "metric": "correctness"}, "score": 1}
    results = [
        {
            "id": f"uuid-{one.id}",
            "testIdx": one.id,
            "promptIdx": 0,
            "vars": {"question": one.item.question},
            "provider": {"label": one.item.answer_model},
            "response": {"output": one.item.answer},
            "gradingResult": {"componentResults": [judged]},
        }
        for one in stored
    ]
    file = json.dumps({"evalId": "e", "results": {"results": results}})
    app = give(screen(do="grades", rubric="doc-qa-0-1"), file, "results.json")
    press(app, "grades.go")
    graded = [row["item_id"] for row in store.rows("select item_id from grades order by item_id")]
    assert graded == [one.id for one in stored]


def test_grades_that_are_stored_without_probabilities_are_replaced_by_those_with(
    screen, store, sheet
):
    rows = [("item_id,grader,grader_kind,criterion,score", ",p:0,p:1")]
    rows += [(f"00{n}-atlas,gpt,judge,correctness,1", ",0.2,0.8") for n in range(2)]
    for file in ("\n".join(row for row, _ in rows), "\n".join(map("".join, rows))):
        app = give(screen(do="grades", rubric="doc-qa-0-1"), file)
        press(app, "grades.go")
    assert store.value("select count(*) from distributions") == 2


PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv"]


def pick(app: AppTest, label: str):
    """The picker of a field."""
    return next(box for box in (*app.selectbox, *app.multiselect) if box.label == label)


def nested() -> str:
    """Answers of two systems to five questions, under the name of each system, with a grade."""
    rows = [
        {
            "query": f"Where is the town of {place}?",
            "meta": {"topic": "towns"},
            "gt_answer": f"It lies in the country of {place}.",
            "answers": {
                system: {
                    "answer_string": f"{place} lies where {system} says it is.",
                    "contexts": [f"{place} is a town.", "A town is a place."],
                    "human_grade": 1 + (n + len(system)) % 5,
                }
                for system in ("rag", "plain")
            },
        }
        for n, place in enumerate(PLACES)
    ]
    return json.dumps({"version": 1, "rows": rows})


def long(score: str = "{n}") -> str:
    """One grade per row: five answers, each graded by two annotators."""
    rows = [
        f"Where is the town of {place}?,It is where they say it is: {place}.,{who},"
        f"{score.format(n=1 + (n + len(who)) % 3)}\n"
        for n, place in enumerate(PLACES)
        for who in ("ana", "chen")
    ]
    return "prompt,response,annotator_id,rating\n" + "".join(rows)


def test_answers_under_the_names_of_models_are_proposed_with_the_reason(screen, store):
    app = give(screen(), nested(), "rag.json")
    assert pick(app, "Answer").value == "answers.{answer_model}.answer_string"
    press(app, "import.go")
    sheet = sheets.find(store, "rag")
    assert (sheet.items, sheet.questions, sheet.answer_models) == (10, 5, ["plain", "rag"])
    first = items.item(store, 1).item
    assert (first.reference, len(first.contexts)) == (("It lies in the country of Paris.",), 2)


def test_one_grade_per_row_keeps_the_probabilities_of_a_judge(screen, store):
    head, *rows = long().splitlines()
    given = [f"{row},judge,0.25,0.75,0,native" for row in rows]
    head += ",grader_kind,p:1,p:2,p:3,probabilities_source"
    app = give(screen(), "\n".join((head, *given)))
    assert pick(app, "Probabilities of the scores").value == ["p:1", "p:2", "p:3"]
    press(app, "import.go")
    assert store.value("select count(*) from distributions where source = 'native'") == 10


def test_grades_in_lists_are_mapped_with_their_reasons(screen, store):
    of_no_tool = json.dumps(tasks()).replace("completed_by", "annotator")
    app = give(screen(), of_no_tool, "tasks.json")
    assert pick(app, "Grader").value == "annotations.{n}.annotator"
    assert pick(app, "Criteria left out").value == ["topic", "comment"]
    press(app, "import.go")
    assert store.value("select count(*) from grades where reason <> ''") == 12


@pytest.mark.parametrize(
    ("name", "more"),
    [("metric_columns.csv", ""), ("answers.csv", "How?,So.,1\nWho?,She did.,0\nWhy?,For it.,1\n")],
)
def test_no_grades_are_taken_before_it_is_said_who_graded(screen, store, name, more):
    text = f"question,answer,correctness\n{more}" if more else (CASES / name).read_text()
    app = give(screen(), text, name)
    press(app, "import.go")
    assert store.value("select count(*) from grades") == 0


def worded() -> str:
    """Ten answers with grades in words, by an annotator and a judge."""
    given = ["Useful", "Not useful", "Partially useful", "Useful", "Not useful"]
    rows = [
        f"Where {verb} {place}?,It is where they say.,{word},Useful\n"
        for verb in ("is", "was")
        for place, word in zip(PLACES, given, strict=True)
    ]
    return "question,answer,human_usefulness,judge_usefulness\n" + "".join(rows)


def test_a_saved_mapping_brings_its_words_and_its_rubric(screen, store):
    app = give(screen(), worded(), "words.csv")
    spec = specs.Spec(
        map=("question=question", "answer=answer", "score:annotator:Ana:use=human_usefulness"),
        rubric="three",
        scores={"Useful": 3, "Partially useful": 2, "Not useful": ""},
        new_rubric=specs.NewRubric(
            name="three",
            title="Three",
            scale=(1, 2, 3),
            criteria=(specs.NewCriterion(name="use", title="Use for the reader"),),
        ),
    )
    uploader = next(one for one in app.file_uploader if ".toml" in one.label)
    app = uploader.set_value([("m.toml", specs.as_toml(spec).encode(), "application/toml")]).run()
    press(app, "import.go")
    rubric_versions.named(store, "three")[1]
    assert sorted(r[0] for r in store.rows("select score from grades")) == [2, 2, 3, 3, 3, 3]


def test_an_export_of_a_tool_is_recognised_shown_and_imported(screen, store):
    app = give(screen(), (FOLDER / "mlflow.json").read_bytes(), "mlflow.json")
    assert not app.exception
    assert pick(app, "Score").value == "grades.{n}.score"
    press(app, "import.go")
    assert sheets.find(store, "mlflow").items == 3
    blind = "select blind, count(*) from grades where blind is not null group by blind"
    assert [tuple(row) for row in store.rows(blind)] == [(0, 6)]


def test_criteria_of_an_export_are_left_out_or_read_as_another(screen, store):
    app = give(screen(), (FOLDER / "promptfoo.json").read_bytes(), "promptfoo.json")
    assert pick(app, "Criteria left out").options == ["overall", "correctness", "tone"]
    same = pick(app, "Same criteria")
    assert same.options == ["correctness → overall", "tone → overall"]
    app = same.set_value(["criterion:correctness=overall"]).run()
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


def test_a_tool_that_takes_one_grader_has_one_chosen(store, traces, monkeypatch):
    app = opened(monkeypatch, store.path, PAGE_OF_GRADE_EXPORT, {KEY: "inspect"})
    assert "Choose one." in said(app) and "--grader" not in said(app)
    assert app.selectbox(key=f"{KEY}.{traces.id}").options == ["Ana", "Ben", "careful"]
    app = opened(
        monkeypatch, store.path, PAGE_OF_GRADE_EXPORT, {KEY: "inspect", f"{KEY}.{traces.id}": "Ana"}
    )
    assert "3 grades" in said(app)


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
    question = splits.of_sheet(store, sheet.id)[0]["id"]
    grades.open_item(store, items.item_ids(store, sheet.id)[0], None)
    app = shown(monkeypatch, store)
    app.multiselect[0].select(question).run()
    app.radio(key="splits.split").set_value("few-shot").run()
    assert "favour judges" in app.error[0].value
    assert not [button for button in app.button if button.key == "splits.give"]


def test_a_split_given_by_hand_is_kept_with_its_reason(monkeypatch, store, sheet):
    question = splits.of_sheet(store, sheet.id)[0]["id"]
    app = shown(monkeypatch, store)
    app.multiselect[0].select(question).run()
    app.text_input(key="splits.why").input("for the prompt").run()
    assert any("effect" in one.value for one in app.table)  # no column scrolls out of sight
    app.button(key="splits.give").click().run()
    assert not app.exception
    assert app.multiselect[0].value == [] and app.text_input(key="splits.why").value == ""
    row = store.row("select question_id, role, why from question_roles")
    assert tuple(row) == (question, "examples", "for the prompt")


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


def test_a_draft_is_read_changed_and_approved_and_the_next_one_comes(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE_OF_BUILD)
    assert "1 faulty" in said(app)
    app.text_area(key="build.1.question").input("At what time does the harbour open?")
    app.text_input(key="build.1.who").input("Ana")
    app.button(key="build.1.approved").click().run()
    assert not app.exception
    assert app.selectbox(key="build.open.port").placeholder == "Choose"
    first = drafts.get(store, 1)
    assert (first.state, first.who, first.edited) == ("approved", "Ana", True)
    assert app.text_input(key="build.2.who").value == "Ana"
    app.text_input(key="build.2.why").input("trivial")
    app.button(key="build.2.rejected").click().run()
    assert drafts.get(store, 2).why == "trivial"


def test_a_quote_that_is_not_there_and_a_missing_name_are_refused(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE_OF_BUILD, draft="3")
    app.button(key="build.3.approved").click().run()
    app.text_area(key="build.3.quote").input("opens at six in the morning")
    app.button(key="build.3.approved").click().run()
    assert drafts.counts(store, "port")["approved"] == 0


def latest(store, purpose="drafts"):
    found = runs.newest_of_sheet(store, "port", purpose)
    return found[-1] if found else None


def over(store, purpose="drafts"):
    """Whether every process that asks for the sheet port has ended."""
    found = runs.newest_of_sheet(store, "port", purpose)
    places = [of_asker(row["asker"], "port") for row in found]
    return bool(found) and not any(launch.is_alive(store, place) for place in places)


def test_drafting_is_priced_started_watched_stopped_and_resumed(monkeypatch, store):
    filled(store, *[f"{HARBOUR} Berth {n}." for n in range(9)])
    with Endpoint(write=writer, holds_from=4) as server:
        app = opened(monkeypatch, store.path, PAGE_OF_BUILD, **local(server))
        place = "build.concurrency.drafts.port"
        app.number_input(key=place).set_value(2).run()
        app.button(key="build.run.drafts").click().run()
        assert not app.exception and not app.error
        until(lambda: drafts.counts(store, "port")["waiting"] == 3)
        until(lambda: json.loads(latest(store)["counts"]).get("done") == 3)
        app = opened(monkeypatch, store.path, PAGE_OF_BUILD, **local(server))
        stop = next(b.key for b in app.button if b.key.endswith(".stop"))
        app.button(key=stop).click().run()
        until(lambda: over(store))
        server.release()
        app = opened(monkeypatch, store.path, PAGE_OF_BUILD, **local(server))
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
        assert len(server.delivered) == 9 and max(server.delivered.values()) <= 2
    assert drafts.counts(store, "port")["waiting"] == 9


def test_a_run_that_was_killed_says_so_and_goes_on_as_it_was_begun(monkeypatch, store):
    """The screen opens again without a word in its address: all it needs is in the store."""
    filled(store, HARBOUR, MINISTRY)
    with Endpoint(write=writer, holds_from=2) as server:
        app = opened(monkeypatch, store.path, PAGE_OF_BUILD, **local(server))
        app.number_input(key="build.count.port").set_value(3).run()
        app.button(key="build.run.drafts").click().run()
        until(lambda: drafts.counts(store, "port")["waiting"] == 1)
        os.kill(latest(store)["pid"], signal.SIGKILL)
        until(lambda: over(store))
        server.release()
        app = opened(monkeypatch, store.path, PAGE_OF_BUILD)
        assert app.number_input(key="build.count.port").value == 3
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
    assert drafts.counts(store, "port")["waiting"] == 2


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


PAGE_OF_DATA = "pages/data.py"

GOOD = "item_id,question,answer,answer_model\n007,Why?,Because.,atlas\n008,Who?,NA,atlas\n"


def test_bad_rows_are_listed_and_left_out_only_on_the_users_word(screen, store):
    app = uploads_give(screen(), GOOD + "009,,Lost.,atlas\n")
    bad = next(t.value for t in app.table if "rows" in t.value)
    assert bad[["rows", "column"]].values.tolist() == [[1, "question"]]
    assert app.button(key="import.go").disabled
    app = without(app).check().run()
    assert sheets.find(press(app, "import.go") and store, "answers").items == 2


def test_another_answer_to_a_stored_item_is_a_conflict(screen, store):
    press(uploads_give(screen(), GOOD), "import.go")
    changed = GOOD.replace("Because.", "No reason.") + "009,When?,Now.,atlas\n"
    app = uploads_give(screen(do="import"), changed)
    assert app.button(key="import.go").disabled
    press(without(app).check().run(), "import.go")
    answers = [s.item.answer for s in items.items(store, [1, 2, 3])]
    assert answers == ["Because.", "NA", "Now."]


def test_unknown_columns_are_mapped_by_hand(screen, store):
    app = uploads_give(screen(), "ask,reply\nWhy not,Because.\n")
    for label, column in (("Question", "ask"), ("Answer", "reply")):
        box = next(box for box in app.selectbox if box.label == label)
        app = box.set_value(column).run()
    press(app, "import.go")
    assert items.item(store, 1).item.answer == "Because."


LONG = "item_id,criterion,grader,grader_kind,score\n000-atlas,correctness,Ana,annotator,{}\n"


@pytest.mark.parametrize("choice, stored", [(0, [0, 3]), (1, [0, 1])])
def test_numbers_of_zero_to_one_are_read_as_the_user_chooses(
    screen, store, sheet, rubric, choice, stored
):
    app = uploads_give(
        screen(do="grades"), LONG.format(1) + "001-atlas,correctness,Ana,annotator,0\n"
    )
    assert not [button for button in app.button if button.key == "grades.go"]
    [asked] = app.radio
    assert asked.value is None
    press(asked.set_value(asked.options[choice]).run(), "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == stored


@pytest.mark.parametrize(("told", "blind"), [("", 0), ("no", None)])
def test_grades_are_blind_or_not_on_the_users_word(screen, store, sheet, rubric, told, blind):
    head, row = LONG.format(2).splitlines()
    column = (",blind", f",{told}") if told else ("", "")
    app = uploads_give(screen(do="grades"), f"{head}{column[0]}\n{row}{column[1]}\n")
    [saw] = [one for one in app.checkbox if one.label.startswith("The annotators saw")]
    press(saw.check().run(), "grades.go")
    assert store.value("select blind from grades") == blind


def test_verdicts_on_claims_come_in_under_a_rubric_of_units_that_the_sheet_has(
    screen, store, sheet
):
    item_id = items.item_ids(store, sheet.id)[0]
    units.keep(store, item_id, "claim", [Cell("A.", 0), Cell("B.", 1)], None)
    app = screen(do="grades", rubric="claims-in-contexts")
    rows = (
        "item_id,claim,grader,grader_kind,verdict\n" + "000-atlas,{},Ana,annotator,supported\n" * 2
    )
    app = uploads_give(app, rows.format("A.", "C."))
    press(without(app).check().run(), "grades.go")
    [given] = store.rows("select label, score, item_id from grades where unit_id is not null")
    assert tuple(given) == ("supported", 3, item_id)


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
