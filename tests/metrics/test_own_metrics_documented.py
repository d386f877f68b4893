"""docs/own-metric.md: both files as they stand there are found, run, kept and told apart."""

import json
import re

import pytest

from concord import metrics
from concord.messages import Problem
from tests.support.metric_runs import MetricEndpoint
from tests.support.own_metrics import PAGE, TOML


def judge(tmp_path, server, name="mine"):
    path = tmp_path / f"{name}.toml"
    path.write_text(
        f'name = "{name}"\nkind = "metric"\nmodel = "m"\nprice = 0\n[endpoint]\n'
        f'base_url = "{server.url}"\n'
    )
    return path


def test_what_lies_in_the_folder_is_listed_and_found(own_metrics, run, sheet_of_two, tmp_path):
    assert {"tone", "names_the_source"} <= metrics.available().keys()
    assert "names_the_source" in run("metrics").output
    with MetricEndpoint() as server:
        mine = judge(tmp_path, server)
        done = json.loads(run("judge", mine, "--metrics", "tone", "--json").output)["runs"][0]
        assert (done["counts"]["calls"], done["counts"]["statuses"]) == (6, {"scored": 2})
        assert "An earlier word." in server.seen[0].body["messages"][-1]["content"]
        again = json.loads(run("judge", mine, "--metrics", "tone", "--json").output)["runs"][0]
        assert again["counts"]["calls"] == 0
    run("judge", "computed", "--metrics", "names_the_source")
    rows = json.loads(run("metrics", "--sheet", "two", "--json").output)["rows"]
    by_name = {row["metric"]: row for row in rows}
    assert by_name["names_the_source"]["mean"]["value"] == 0.5
    assert by_name["tone"]["n"] == 2


def test_the_commands_of_the_page_work_as_they_stand_there(
    own_metrics, run, sheet_of_two, tmp_path
):
    commands = re.findall(r"^    python cli.py (judge .*)$", PAGE, re.MULTILINE)
    found = []
    with MetricEndpoint() as server:
        places = {"my_judge.toml": judge(tmp_path, server), "pilot": "two"}
        for command in commands:
            words = [places.get(word, word) for word in command.split()]
            found += json.loads(run(*words, "--json").output)["runs"]
    assert [one["counts"]["statuses"].get("scored", 0) for one in found] == [0, 2, 2]


def test_a_file_is_found_by_its_path_too(own_metrics, run, sheet_of_two, tmp_path, monkeypatch):
    monkeypatch.delenv(metrics.OWN_FOLDER)
    assert "tone" not in metrics.available()
    with MetricEndpoint() as server:
        path = own_metrics / "tone.toml"
        said = run("judge", judge(tmp_path, server), "--metrics", path, "--json").output
        first = json.loads(run("metrics", "--sheet", "two", "--json").output)["rows"][0]
        path.write_text(TOML.replace("only the tone", "the tone alone"), encoding="utf-8")
        run("judge", judge(tmp_path, server), "--metrics", path)
    assert json.loads(said)["runs"][0]["counts"]["statuses"] == {"scored": 2}
    rows = json.loads(run("metrics", "--sheet", "two", "--json").output)["rows"]
    assert first["metric"] == rows[0]["metric"] == "tone"
    assert first["version"] != rows[0]["version"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("twice.toml", TOML.replace('"tone"', '"mrr"', 1), "Two metrics are called mrr"),
        ("none.py", "x = 1\n", "declares no METRIC"),
        ("bad.py", "METRIC = Metric()\n", "bad.py: NameError"),
        ("gone.toml", None, "gone.toml"),
    ],
)
def test_a_file_that_is_no_metric_is_named(tmp_path, name, text, words):
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(Problem, match=words):
        metrics.named(str(path))


def test_a_path_that_is_not_a_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(metrics.OWN_FOLDER, str(tmp_path / "nowhere"))
    with pytest.raises(Problem):
        metrics.available()


def test_the_canary_of_the_page_is_one_of_the_metric_it_is_written_under(tmp_path):
    block = re.search(r"```toml\n(\[\[canary\]\]\n.*?)```", PAGE, re.DOTALL)[1]
    path = tmp_path / "tone.toml"
    path.write_text(f"{TOML}\n{block}", encoding="utf-8")
    (insult,) = metrics.named(str(path)).canaries
    assert insult.expected() == "0" and insult.items()[0].answer.endswith("fool.")
