"""One judge from its name to the end of its run, as the verb `judge` tells it."""

import json

import pytest

from concord.judges.definition import model
from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.messages import Problem
from concord.store import additions, graders, grades, sheets
from concord.store.rubrics import rubric_versions
from tests.support.endpoint import Endpoint
from tests.support.forked import Verb
from tests.support.judges.sessions import never
from tests.support.made_items import made_item
from tests.support.panels import give


def judge_file(folder, url, more=""):
    path = folder / "mine.toml"
    free = "price = 0\n" if "127.0.0.1" in url else ""
    path.write_text(
        f'name = "mine"\nmodel = "gpt-4o-mini"\nrubric = "doc-qa-0-3"\n{free}{more}\n'
        f'[endpoint]\nbase_url = "{url}"\n'
    )
    return str(path)


def test_a_free_run_never_asks_about_money(store, sheet, tmp_path):
    with Endpoint() as server:
        outcome = session.judge(store, judge_file(tmp_path, server.url), Options(), never)
    assert (outcome.status, outcome.failed) == ("done", False)
    assert outcome.sentence().startswith("mine: 36 of 36 done, $0.00")
    assert json.loads(json.dumps(outcome.as_json()))["counts"]["statuses"] == {"scored": 108}


def test_a_run_that_costs_asks_first_and_no_is_no(store, sheet, tmp_path):
    asked = []
    path = judge_file(tmp_path, "https://api.openai.com/v1")
    session.judge(store, path, Options(), lambda said: bool(asked.append(said)))
    assert "36 requests" in asked[0] and "$" in asked[0]


def test_an_estimate_asks_nobody(store, sheet, tmp_path):
    path = judge_file(tmp_path, "https://api.openai.com/v1")
    outcome = session.judge(store, path, Options(only_estimate=True), never)
    assert outcome.status == "estimated" and outcome.estimate.calls == 36
    assert graders.of_kind(store, "judge") == []


def test_an_estimate_of_the_baseline_grades_nothing(store, sheet):
    outcome = session.judge(store, "baseline", Options(only_estimate=True), never)
    assert (outcome.status, outcome.as_json()["estimate"]) == ("estimated", {"calls": 0})
    assert graders.of_kind(store, "judge") == []


def test_a_budget_without_a_price_is_refused(store, sheet, tmp_path):
    path = judge_file(tmp_path, "https://models.example/v1")
    options = Options(model="unheard-of", budget=1.0, yes=True)
    with pytest.raises(Problem):
        session.judge(store, path, options, never)


def test_a_judge_that_ran_from_a_file_is_known_by_its_name_without_the_file(store, sheet, tmp_path):
    with Endpoint() as server:
        path = judge_file(tmp_path, server.url)
        session.judge(store, path, Options(limit=2), never)
        (tmp_path / "mine.toml").unlink()
        outcome = session.judge(store, "mine", Options(), never)
        assert outcome.counts.calls == 34
        label = graders.find(store, "judge", "mine").label()
        assert session.judge(store, label, Options(), never).counts.calls == 0


def test_a_stored_judge_stays_the_same_when_the_address_in_the_environment_changes(
    store, sheet, tmp_path, monkeypatch
):
    path = tmp_path / "roaming.toml"
    path.write_text('name = "roaming"\nmodel = "m"\nrubric = "doc-qa-0-3"\nprice = 0\n')
    with Endpoint() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        session.judge(store, str(path), Options(limit=2), never)
        label = graders.find(store, "judge", "roaming").label()
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        assert session.prepare(store, label, Options()).settled == 2
        assert session.judge(store, label, Options(limit=3), never).counts.calls == 1
    assert session.prepare(store, str(path), Options()).settled == 0


def test_another_model_under_the_same_name_is_another_judge(store, sheet, tmp_path):
    with Endpoint() as server:
        path = judge_file(tmp_path, server.url)
        session.judge(store, path, Options(limit=2), never)
        outcome = session.judge(store, path, Options(limit=2, model="other"), never)
    assert outcome.counts.calls == 2
    assert len(graders.of_kind(store, "judge")) == 2


def test_an_unknown_judge_lists_those_there_are(store, sheet):
    with pytest.raises(Problem):
        session.judge(store, "nobody", Options(), never)


def test_a_preset_that_has_run_is_listed_once(store, sheet):
    shipped = model.presets()["computed"]
    graders.ensure(store, "metric", "computed", definition={"judge": json.loads(shipped.body())})
    with pytest.raises(Problem) as refused:
        session.judge(store, "nobody", Options(), never)
    assert str(refused.value).count("computed") == 1


def test_several_sheets_ask_for_one(store, sheet):
    additions.add(store, "more", [made_item(1)], "m.csv", "9" * 64, {})
    with pytest.raises(Problem):
        session.judge(store, "local", Options(), never)


def judged(db, *arguments) -> tuple[int, str, str]:
    """Exit code, output and errors of the verb, without a terminal."""
    verb = Verb(db, "judge", *arguments)
    out, errors = verb.communicate()
    return verb.returncode, out, errors


def test_the_verb_prints_one_json_document_and_says_by_its_exit_code_that_some_failed(
    store, sheet, tmp_path
):
    with Endpoint(faults={"429": 1.0}, retry_after_s=0.01) as server:
        path = judge_file(tmp_path, server.url)
        code, out, errors = judged(store.path, path, "--limit=1", "--json")
    assert code == 1, errors
    run = json.loads(out)["runs"][0]
    assert (run["judge"], run["counts"]["statuses"]) == ("mine", {"failed": 3})


def test_a_paid_run_without_a_terminal_wants_a_word(store, sheet, tmp_path):
    code, out, _errors = judged(store.path, judge_file(tmp_path, "https://api.openai.com/v1"))
    assert (code, out) == (2, "")


def test_no_key_is_one_sentence_and_no_grade(store, sheet, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    mine = judge_file(tmp_path, "https://api.openai.com/v1")
    code, _, errors = judged(store.path, mine, "--yes")
    assert (code, errors.count("\n")) == (2, 1)
    mine = graders.find(store, "judge", "mine")
    assert grades.statuses(store, sheet.id, mine.id) == []


def test_no_judge_is_asked_by_scores_without_meanings(store, sheet, tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text(
        'name = "bare"\ntitle = "Bare"\nscale = [1, 2]\n[[criteria]]\nname = "quality"\n'
        'weight = 1\nquestion = "Quality"\n'
    )
    path = judge_file(tmp_path, "http://127.0.0.1:9/v1")
    with pytest.raises(Problem, match=r"does not describe its scores \(Quality\)"):
        session.judge(store, path, Options(rubric=str(bare)), never)


def test_the_baseline_takes_the_rubric_of_annotators_and_names_it_where_grades_are_few(
    store, sheet
):
    here = Options(sheet_name=sheet.name)
    zero_one = rubric_versions.named(store, "doc-qa-0-1")[1]
    with pytest.raises(Problem):
        session.judge(store, "baseline", here, never)
    give(store, zero_one, "Ana", {0: 1})
    with pytest.raises(Problem):
        session.judge(store, "baseline", here, never)
    give(store, zero_one, "Ana", {place: place % 2 for place in range(1, 36)})
    assert session.judge(store, "baseline", here, never).stored == 36
    with pytest.raises(Problem):
        options = Options(sheet_name=sheet.name, rubric="doc-qa-0-3")
        session.judge(store, "baseline", options, never)


def test_where_every_answer_is_graded_the_baseline_asks_for_more_questions(store, sheet):
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    here = Options(sheet_name=sheet.name)
    answers = sheets.find(store, sheet.name).items
    give(store, rubric, "Ana", dict.fromkeys(range(answers - 1), 1))
    with pytest.raises(Problem):
        session.judge(store, "baseline", here, never)
    give(store, rubric, "Ana", {answers - 1: 1})
    with pytest.raises(Problem):
        session.judge(store, "baseline", here, never)
