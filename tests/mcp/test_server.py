"""The tools of a coding agent, by the official client over a real process."""

import json
import os
import subprocess
import sys

import pytest

from tests.support.commandline import grades_file, invoke, judge_file
from tests.support.endpoint import KEY, Endpoint
from tests.support.patience import PATIENT_S, until

TOOLS = {"calibrate", "import", "sheets", "rubric", "sample", "estimate", "run", "agreement"}
TOOLS |= {"disagreements", "compare", "choose", "certificate", "verify"}
PRICE = "{ input = 100, output = 100 }"


def printed(db, *words):
    return json.loads(invoke(db, *words, "--json").stdout)


def graded(folder, judge="J"):
    """A file of two annotators' and a judge's grades on the twelve answers."""
    rows = [
        f"{n}-{model},correctness,{name},{kind},{(n + (model == 'birch') * (name == 'Bo')) % 4}"
        for n in range(6)
        for model in ("atlas", "birch")
        for name, kind in (("Ana", "human"), ("Bo", "human"), (judge, "judge"))
    ]
    return grades_file(folder, rows).name


def test_each_tool_takes_what_is_declared_and_nothing_else(agent):
    tools = {tool.name: tool for tool in agent.tools()}
    assert {*tools} == TOOLS and all(tool.description for tool in tools.values())
    given = {name: tool.input_schema["properties"].keys() for name, tool in tools.items()}
    assert not {"db", "base_url", "model", "scheduler", "open_held_out"} & {
        one for names in given.values() for one in names
    }
    assert {*tools["run"].input_schema["required"]} == {"judge", "budget"}
    assert "budget" in agent.call("run", judge="local")
    assert "base_url" in agent.call("estimate", judge="local", base_url="http://127.0.0.1:1")
    assert "option" not in agent.call("sheets", sheet="--batch")


def test_without_the_extra_it_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "concord.mcp.server", raising=False)
    assert "[mcp]" in run("mcp", code=2).stderr


def test_calibrate_returns_the_headline_and_caveats_first(agent, db, folder):
    rows = [f"{'fail' if n % 5 else 'pass'},{'fail' if n % 4 else 'pass'}" for n in range(60)]
    (folder / "results.csv").write_text("verdict,label\n" + "\n".join(rows))
    named = {"judge": ["verdict"], "human": ["label"]}
    found = agent.call("calibrate", file="results.csv", **named, exact=0.99, html="page.html")
    words = ("calibrate", folder / "results.csv", "--judge=verdict", "--human=label")
    shown = printed(db, *words)
    assert list(found)[:2] == ["headline", "caveats"] and found["headline"] == shown["headline"]
    assert found["caveats"][: len(shown["caveats"])] == shown["caveats"] != []
    assert (found["rows"][0]["n"], found["holds"], len(found["disagreements"])) == (60, False, 10)
    assert (folder / "page.html").stat().st_size > 1_000
    assert found["headline"] not in str(found["caveats"])
    assert {*agent.call("sheets")} == {"headline", "caveats", "not_shown"}
    assert printed(db, "sheets")["sheets"] == []


def test_figures_are_those_of_the_command_line(agent, db, folder, meetings):
    done = agent.call("import", files=[meetings], sheet="pilot")
    assert (done["sheets"][0]["sheet"], done["sheets"][0]["items"]) == ("pilot", 12)
    wanted = {"what": "grades", "rubric": "doc-qa-0-3"}
    assert agent.call("import", files=[graded(folder)], **wanted)["grades"] == 36
    found, shown = agent.call("agreement"), printed(db, "agreement")
    assert [one["n"] for one in found["rows"]] == [one["n"] for one in shown["rows"]]
    for figure in ("exact", "kappa", "failure_recall"):
        ours, theirs = found["rows"][0][figure], shown["rows"][0][figure]
        known = {k: theirs[k] for k in ("value", "low", "high") if theirs[k] is not None}
        assert {k: ours[k] for k in known} == pytest.approx(known, rel=1e-3)
    assert found["headline"] == shown["summary"][0]
    listed = agent.call("disagreements", limit=1)
    assert (listed["total"], len(listed["disagreements"])) == (6, 1)
    fixed = agent.call("choose", against="J", margin=0.2, fix=True)["decision"]
    assert (fixed["margin"], fixed["figure"]) == (0.2, "exact")
    (only,) = agent.call("rubric", sheet="pilot")["rubrics"]
    assert only["name"] == "doc-qa-0-3" and len(only["criteria"]) == 3


def test_no_path_leads_out_of_the_folder(agent, tmp_path, folder, meetings):
    outside = tmp_path / "outside.csv"
    outside.write_text("verdict,label\npass,pass\n")
    (folder / "link.csv").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    (folder / "judge.toml").write_text('name = "x"\nkind = "metric"\nmetrics = ["m\\u002epy"]\n')
    for file in ("../outside.csv", str(outside), "link.csv", "up/outside.csv"):
        assert "outside the folder" in agent.call("calibrate", file=file)
        assert "outside the folder" in agent.call("import", files=[file])
    for file in ("-", "--help"):
        assert "cannot be read" in agent.call("calibrate", file=file)
    for page in ("../page.html", "up/page.html"):
        assert "outside the folder" in agent.call("calibrate", file=meetings, html=page)
    assert "exists" in agent.call("certificate", judge="J", file=meetings)
    for export in ("..", "."):  # which holds links
        assert "outside the folder" in agent.call("verify", file=meetings, export=export)
    assert "outside the folder" in agent.call("estimate", judge="../judge.toml")
    assert "another file" in agent.call("run", judge="judge.toml", budget=1)
    assert {path.name for path in tmp_path.iterdir()} <= {"agent", "outside.csv", "concord.db"}


def test_held_out_questions_stay_closed(agent, db, folder, meetings):
    invoke(db, "import", folder / meetings)
    invoke(db, "grades", folder / graded(folder), "--rubric", "doc-qa-0-3")
    assert invoke(db, "splits", "--hold-out", "1", "--yes").exit_code == 0
    found, shown = agent.call("agreement"), printed(db, "agreement")
    assert found["headline"] == shown["summary"][0] and {one["n"] for one in found["rows"]} == {0}
    assert agent.call("disagreements")["total"] == 0
    opened = {"judge": "J", "file": "c.json", "open_held_out": "to see"}
    assert "open_held_out" in agent.call("certificate", **opened)
    assert printed(db, "splits")["openings"] == []
    refused = invoke(db, "choose", "--against", "nobody")
    assert refused.exit_code == 2 and refused.stderr.strip() in agent.call(
        "choose", against="nobody"
    )


def test_a_run_keeps_to_the_budget_and_sends_no_key(agent, db, folder, meetings):
    agent.call("import", files=[meetings])
    with Endpoint() as server:
        judge_file(folder, server.url, price=PRICE)
        cost = agent.call("estimate", judge="mine.toml")["runs"][0]["estimate"]["cost_usd"]
        assert "above the budget" in agent.call("run", judge="mine.toml", budget=cost[1] / 2)
        assert len(server.seen) == 0
        (done,) = agent.call("run", judge="mine.toml", budget=cost[1] * 1.01)["runs"]
        assert (done["status"], done["counts"]["done"], len(server.seen)) == ("done", 12, 12)
        assert KEY not in str([one.headers for one in server.seen])
    assert printed(db, "judges")["used"][0]["grades"] == 36


def test_a_cancelled_run_ends_and_goes_on_without_paying_twice(agent, folder, meetings):
    agent.call("import", files=[meetings])
    with Endpoint(holds_from=4) as server:
        judge_file(folder, server.url)
        first = agent.start("run", judge="mine.toml", budget=0)
        until(lambda: len(server.seen) == 12 and sum(server.delivered.values()) == 3)
        landed = {*server.delivered}
        assert processes(folder)
        first.cancel()
        until(lambda: not processes(folder))
        server.release()
        (done,) = agent.call("run", judge="mine.toml", budget=0)["runs"]
        assert (done["status"], done["counts"]["before"], len(server.seen)) == ("done", 3, 21)
        assert all(sum(one.digest == digest for one in server.seen) == 1 for digest in landed)


def processes(folder):
    """The commands that run a judge of the folder."""
    shown = subprocess.run(
        ["ps", "-A", "-ww", "-o", "args"], capture_output=True, text=True, check=True
    )
    return [line for line in shown.stdout.splitlines() if f"--judge={folder}" in line]


def test_a_sample_comes_with_the_link_for_annotators(agent, db, meetings):
    agent.call("import", files=[meetings])
    found = agent.call("sample", draw=2, rubric="doc-qa-0-3", name="First")
    assert (found["set"], found["questions"], found["answers"]) == ("First", 2, 4)
    assert found["link"].endswith("/grade?view=grader&set=1")


def test_standard_output_holds_the_protocol_alone(started, folder):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    asked = [("initialize", hello), ("tools/call", {"name": "sheets", "arguments": {}})]
    process = subprocess.Popen(
        [started.command, *started.args],
        cwd=folder,
        env=os.environ | started.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for number, (method, parameters) in enumerate(asked, 1):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        reply = json.loads(process.stdout.readline())
        assert (reply["jsonrpc"], reply["id"], "result" in reply) == ("2.0", number, True)
        if number == 1:
            process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    left, _ = process.communicate(timeout=PATIENT_S)
    assert (left, process.returncode) == ("", 0)


def test_a_certificate_is_written_and_recomputed(agent, db, folder, judged_by_mine):
    written = agent.call("certificate", judge="mine", file="mine.json")
    kept = json.loads((folder / "mine.json").read_text(encoding="utf-8"))
    assert (written["certified"], written["digest"]) == (kept["certified"], kept["digest"])
    assert invoke(db, "export", "--all", folder / "out").exit_code == 0
    assert agent.call("verify", file="mine.json", export="out")["holds"]
    (folder / "mine.json").write_text(json.dumps(kept | {"digest": "0" * 64}), encoding="utf-8")
    assert not agent.call("verify", file="mine.json", export="out")["holds"]
