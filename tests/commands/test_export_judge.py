"""`export-judge`: the file on standard output or where it is named, and what is said of it."""

import ast
import json

NAME = "gpt-6-luna-zero-shot"


def test_the_file_is_printed_and_what_differs_is_said_on_standard_error(run):
    done = run("export-judge", NAME, "--for", "python")
    assert "def grade(" in done.stdout and ast.parse(done.stdout)
    assert "There is no certificate of this judge." in done.stderr
    assert "Look-alikes of the delimiters" in done.stderr


def test_the_file_is_written_where_it_is_named(run, tmp_path):
    out = tmp_path / "judge.py"
    done = run("export-judge", NAME, "--for", "inspect", "--out", out)
    assert "as a scorer of Inspect." in done.stdout and "def grade(" not in done.stdout
    assert "from inspect_ai.scorer import" in out.read_text(encoding="utf-8")


def test_json_has_the_text_and_the_differences(run):
    found = json.loads(run("export-judge", "jev", "--for", "pytest", "--json").stdout)
    assert (found["judge"], found["tool"], found["file"]) == ("jev", "pytest", None)
    assert found["certificate"] is None and found["text"].startswith('"""')
    assert "Only the score is returned" in found["differences"][0]


def test_an_unknown_tool_is_answered_with_the_known_ones(run):
    done = run("export-judge", NAME, "--for", "nonsense", code=2)
    assert "Name one of: deepeval, inspect, mlflow, mlflow-make-judge, " in done.stderr


def test_a_combined_judge_is_refused_with_what_to_do_instead(run, tmp_path):
    file = tmp_path / "jury.toml"
    file.write_text(
        'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\n'
        'members = ["cheap", "careful"]\nrule = "majority"\n',
        encoding="utf-8",
    )
    done = run("export-judge", file, "--for", "python", code=2)
    assert (
        "jury cannot be exported for another tool: it combines the grades that cheap, careful"
        in done.stderr
    )
    assert "`judges jury --freeze FILE`; `judge FILE` on the command" in done.stderr
