"""The build screen from documents to an answer sheet: every run a process of its own."""

import json
import os
import signal

from concord.building import drafts, open_questions
from concord.judges.running import launch
from concord.judges.running.run_lock import of_asker
from concord.store import runs, sheets
from tests.support.endpoint import Endpoint
from tests.support.judges.building import HARBOUR, MINISTRY, filled, local, writer
from tests.support.patience import until
from tests.support.screens import opened, said

PAGE = "pages/build.py"
JAPANESE = "港は午前六時に開きます。預算に当たる予算は四千ユーロです。" * 3


def latest(store, purpose="drafts"):
    found = runs.newest_of_sheet(store, "port", purpose)
    return found[-1] if found else None


def over(store, purpose="drafts"):
    """Whether every process that asks for the sheet port has ended."""
    found = runs.newest_of_sheet(store, "port", purpose)
    places = [of_asker(row["asker"], "port") for row in found]
    return bool(found) and not any(launch.is_alive(store, place) for place in places)


def test_a_folder_is_taken_in_from_the_screen_and_what_gives_nothing_is_named(
    monkeypatch, store, tmp_path
):
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "港口.md").write_text(MINISTRY * 4, encoding="gb18030")
    (folder / "日本.txt").write_text(JAPANESE)
    (folder / "short.txt").write_text("Too short.")
    app = opened(monkeypatch, store.path, PAGE)
    assert "Build a sheet from documents or questions" in said(app)
    assert app.button(key="build.take.").disabled
    app.segmented_control(key="build.kind.").set_value("folder").run()
    app.text_input(key="build.folder.").input(str(folder)).run()
    app.button(key="build.take.").click().run()
    assert not app.exception
    assert "2 documents imported." in app.info[0].value
    left_out = next(one.value for one in app.dataframe if "file" in one.value)
    assert left_out["file"].tolist() == ["short.txt"]
    assert left_out["left out because"][0].startswith("It has 8")
    assert "manuals: 2 documents to draft questions from" in said(app)
    assert len(drafts.document_ids(store, "manuals")) == 2


def test_a_folder_that_is_not_there_is_one_sentence(monkeypatch, store):
    app = opened(monkeypatch, store.path, PAGE)
    app.segmented_control(key="build.kind.").set_value("folder").run()
    app.text_input(key="build.folder.").input("nowhere").run()
    app.button(key="build.take.").click().run()
    assert app.error[0].value == "There is no folder nowhere. Correct the path."


def test_drafting_is_priced_started_watched_stopped_and_resumed(monkeypatch, store):
    filled(store, *[f"{HARBOUR} Berth {n}." for n in range(9)])
    with Endpoint(write=writer, holds_from=4) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        assert "9 requests, cost unknown" in said(app)
        place = "build.concurrency.drafts.port"
        app.number_input(key=place).set_value(2).run()
        app.button(key="build.run.drafts").click().run()
        assert not app.exception and not app.error
        until(lambda: drafts.counts(store, "port")["waiting"] == 3)
        until(lambda: json.loads(latest(store)["counts"]).get("done") == 3)
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        assert "tokens in" in said(app) and "left" in said(app)
        assert "build.run.drafts" not in [button.key for button in app.button]
        stop = next(b.key for b in app.button if b.key.endswith(".stop"))
        app.button(key=stop).click().run()
        until(lambda: over(store))
        server.release()
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        assert "Stopped on request." in said(app)
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        assert len(server.delivered) == 9 and max(server.delivered.values()) <= 2
    assert "port: 9 drafts to review" in said(app)
    assert [9] in [list(one.value.get("usable replies stored", ())) for one in app.table]
    assert [box.proto.expanded for box in app.expander if box.label.startswith("Draft")] == [False]
    assert "The last run is done." in app.success[0].value
    assert app.button(key="build.run.drafts").label == "Nothing left to run"


def test_a_run_that_was_killed_says_so_and_goes_on_as_it_was_begun(monkeypatch, store):
    """The screen opens again without a word in its address: all it needs is in the store."""
    filled(store, HARBOUR, MINISTRY)
    with Endpoint(write=writer, holds_from=2) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        app.number_input(key="build.count.port").set_value(3).run()
        app.button(key="build.run.drafts").click().run()
        until(lambda: drafts.counts(store, "port")["waiting"] == 1)
        os.kill(latest(store)["pid"], signal.SIGKILL)
        until(lambda: over(store))
        server.release()
        app = opened(monkeypatch, store.path, PAGE)
        assert "The process ended before the run did." in said(app)
        assert app.number_input(key="build.count.port").value == 3
        assert app.button(key="build.run.drafts").label == "Resume: 1 request, price unknown"
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
    assert drafts.counts(store, "port")["waiting"] == 2


def test_whoever_drafted_at_a_server_is_asked_there_to_answer(monkeypatch, store):
    filled(store, HARBOUR)
    with Endpoint(write=writer) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        app.multiselect(key="build.models.drafts.port.local").set_value(["qwen3"]).run()
        app.button(key="build.run.drafts").click().run()
        until(lambda: over(store) and latest(store)["status"] == "done")
        (draft,) = drafts.of_sheet(store, "port")
        drafts.approve(store, draft.id, "Ana")
        app = opened(monkeypatch, store.path, PAGE, sheet="port")
        assert app.selectbox(key="build.judge.answers.port").value == "local"
        assert app.multiselect(key="build.models.answers.port.local").value == ["qwen3"]
        assert app.text_input(key="build.url.answers.port.local").value == server.url
    assert app.button(key="build.run.answers").label == "Generate answers: 1 request, price unknown"


def test_a_retired_model_is_marked_so_and_never_proposed(monkeypatch, store):
    filled(store, HARBOUR)
    app = opened(monkeypatch, store.path, PAGE, sheet="port")
    picked = app.selectbox(key="build.judge.drafts.port")
    assert picked.value == "gpt-6.1-sol-few-shot"
    retired = [option for option in picked.options if option.endswith(" · retired")]
    assert retired == picked.options[-4:] and "gpt-4-zero-shot · retired" in retired


def test_another_budget_is_given_on_the_screen_to_a_run_that_goes_on(monkeypatch, store):
    filled(store, HARBOUR, MINISTRY)
    with Endpoint(write=writer, holds_from=1) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        app.button(key="build.run.drafts").click().run()
        until(lambda: server.seen)
        run = latest(store)["id"]
        runs.set_budget(store, run, 1.0)
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        field = next(n.key for n in app.number_input if n.key.endswith(f"budget.run.{run}"))
        app.number_input(key=field).set_value(7.5).run()
        assert runs.budget(store, run) == 7.5
        server.release()
        until(lambda: over(store))


def test_several_models_answer_each_in_a_run_of_its_own(monkeypatch, store, tmp_path):
    from concord.building.question_source import of_file

    path = tmp_path / "q.csv"
    path.write_text("question,context\nWhen?,At six.\n谁负责？,王小明负责。\n언제?,여섯 시.\n")
    open_questions.add(store, "port", of_file(path), "q.csv")
    with Endpoint(write=writer) as server:
        app = opened(monkeypatch, store.path, PAGE, **local(server))
        assert "port: 3 questions ready to be answered" in said(app)
        models = app.multiselect(key="build.models.answers.port.local")
        models.set_value(["llama3.1", "qwen3"]).run()
        label = app.button(key="build.run.answers").label
        assert label == "Generate answers: 6 requests of 2 models, price unknown"
        app.button(key="build.run.answers").click().run()
        until(
            lambda: (
                len(runs.newest_of_sheet(store, "port", "answers")) == 2 and over(store, "answers")
            )
        )
    sheet = sheets.find(store, "port")
    assert (sheet.items, sorted(sheet.answer_models)) == (6, ["llama3.1", "qwen3"])
    assert sheet.synthetic == 0
    app = opened(monkeypatch, store.path, PAGE, sheet="port")
    assert "has 6 answers by" in said(app)
    models = app.multiselect(key="build.models.answers.port.local")
    models.set_value(["llama3.1", "qwen3", "gemma"]).run()
    assert (
        app.button(key="build.run.answers").label == "Generate answers: 3 requests, price unknown"
    )


def test_an_imported_sheet_is_answered_by_another_model(monkeypatch, store, sheet):
    app = opened(monkeypatch, store.path, PAGE)
    assert "Build a sheet from documents or questions" in said(app)
    app = opened(monkeypatch, store.path, PAGE, imported=sheet.name)
    assert "numbers: further models can answer its questions" in said(app)
    assert "Have models answer 12 questions" in [box.label for box in app.expander]


def test_a_model_without_a_key_is_not_started(monkeypatch, store):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    filled(store, HARBOUR)
    app = opened(monkeypatch, store.path, PAGE, drafts_by="gpt-6-luna-zero-shot", sheet="port")
    assert app.button(key="build.run.drafts").disabled
    assert any("key is missing: enter it above" in one.value for one in app.caption)
    assert any("OPENAI_API_KEY is not set" in warning.value for warning in app.warning)
