"""The headless contract: verbs, exit codes, one JSON document, and every option in the docs."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from concord.cli import cli
from concord.store.database import open_store
from tests.golden.commands import GOLDEN
from tests.support.commandline import grades_file
from tests.support.source import ROOT

VERBS = {
    *("demo", "import", "grades", "judge", "check", "agreement", "ranking", "gate", "export"),
    *("backup", "sheets", "rubrics", "judges", "graders", "splits"),
}
STATISTICS = (
    *("exact", "within_one", "kappa", "qwk", "ac2", "alpha", "tau_b", "bias", "mae", "ccc"),
    "failure_recall",
)


def test_the_verbs_are_those_of_the_contract_and_all_but_servers_take_a_sheet():
    assert set(cli.commands) >= VERBS
    for name in cli.commands.keys() - {"app", "mcp"}:
        options = {word for parameter in cli.commands[name].params for word in parameter.opts}
        assert {"--sheet", "--json"} <= options, name


def test_help_starts_at_once_and_imports_nothing_heavy():
    script = (
        "import sys, runpy\nsys.argv = ['cli.py', 'agreement', '--help']\n"
        "try:\n    runpy.run_path('cli.py', run_name='__main__')\nexcept SystemExit:\n    pass\n"
        "ours = ('data', 'judges', 'reports', 'stats', 'rubrics')\n"
        "heavy = ('pandas', 'numpy', 'scipy', 'openai', 'pydantic', *ours)\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("-h",),
        *((verb, "--help") for verb in sorted(cli.commands)),
    ],
)
def test_every_verb_has_help(run, words, db):
    assert "Usage:" in run(*words).stdout
    assert not db.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("sheets", "--nonsense"),
        ("import",),
        ("gate", "--judge", "j", "--exact", "80"),
        ("gate", "--judge", "j", "--exact", "nan"),
        ("judge", "baseline", "--repeat", "0"),
        ("agreement", "--reference", "majority"),
        ("sheets", "--db", "x.db"),
    ],
)
def test_a_usage_error_is_2_and_says_nothing_on_standard_output(run, words, db):
    result = run(*words, code=2)
    assert (result.stdout, "Error" in result.stderr) == ("", True)
    assert not db.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("demo",),
        ("agreement",),
        ("ranking",),
        ("gate", "--judge", "simulated-careful-judge", "--exact", "0.1"),
        ("judge", "baseline"),
        ("check", "baseline"),
        ("sheets",),
        ("rubrics",),
        ("judges",),
        ("graders",),
        ("splits",),
    ],
)
def test_json_is_one_document_and_text_is_text(sampled, words):
    document = json.loads(sampled(*words, "--json").stdout)
    assert isinstance(document, dict)
    text = sampled(*words).stdout
    assert text.strip() and not text.lstrip().startswith("{")


def test_agreement_has_every_key_of_the_contract_on_every_row(sampled):
    rows = json.loads(sampled("agreement", "--json").stdout)["rows"]
    assert {row["criterion"] for row in rows} > {"correctness", "composite"}
    assert {row["judge"] for row in rows} > {"baseline", "simulated-careful-judge"}
    for row in rows:
        assert {
            "sheet",
            "rubric",
            "judge",
            "reference",
            "n",
            "annotators",
            "questions",
        } <= row.keys()
        assert {"clusters", "left_out", "alt_test", "fingerprint"} <= row.keys()
        assert "failing" in row["failure_recall"]
        ceiling = row["ceiling"]
        for where in (row, ceiling, ceiling["judge_on_same_items"]):
            for name in STATISTICS:
                assert {"value", "low", "high", "method", "why_none"} <= where[name].keys()
                assert (where[name]["value"] is None) <= bool(where[name]["why_none"])
        assert {"n", "annotators", "questions", "why_none"} <= ceiling.keys()
        assert {"score", "exact", "within_one", "best_within_one"} <= row[
            "majority_baseline"
        ].keys()


def test_text_is_a_table_and_the_finding_in_words(sampled):
    shown = sampled("agreement").stdout
    assert re.search(r"simulated-careful-judge +correctness +\d+% \[\d+, \d+\]", shown)


def test_who_counts_can_be_restricted_by_repeating_annotators(sampled):
    def annotators(*words):
        found = json.loads(sampled("agreement", *words, "--json").stdout)
        return {row["annotators"] for row in found["rows"]}

    both = ("--annotators", "author", "--annotators", "simulated-grader-a")
    assert (annotators(), annotators("--annotators", "author"), annotators(*both)) == (
        {3},
        {1},
        {2},
    )
    sampled("agreement", "--annotators", "Zoe", code=2)


def test_a_gate_that_does_not_hold_is_1_with_its_sentences(sampled):
    words = ("gate", "--judge", "simulated-careful-judge", "--within-one")
    assert "3 of 3" in sampled(*words, "0.9").stdout
    result = sampled(*words, "0.99", "--json", code=1)
    assert json.loads(result.stdout)["holds"] is False
    assert result.stderr.count("\n") == 1  # the rubric
    sampled("gate", "--judge", "baseline", code=2)
    assert "“x”" in sampled("gate", "--judge", "x", "--exact", "0.1", code=2).stderr


def documented() -> str:
    return (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


def test_the_docs_name_no_option_that_does_not_exist():
    there = {word for c in cli.commands.values() for p in c.params for word in p.opts}
    there |= {"--db", "--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", documented())) <= there


REPORTS = [
    ("agreement",),
    ("annotators",),
    ("ranking",),
    ("choose", "--against", "simulated-careful-judge"),
    ("disagreements", "--judge", "simulated-careful-judge"),
    ("gate", "--judge", "simulated-careful-judge", "--exact", "0.1"),
    ("compare",),
    ("plan",),
]


def graded_again(run, db, folder, grader, kind):
    """Grade every answer of the sample on the scale of 0 to 10 too."""
    with open_store(db) as store:
        items = store.column("select own_id from items")
    rows = [f"{item},correctness,{grader},{kind},{n % 11}" for n, item in enumerate(items)]
    run("grades", grades_file(folder, rows), "--rubric", "doc-qa-0-10")


@pytest.mark.parametrize("words", REPORTS, ids=lambda words: words[0])
def test_a_report_is_by_the_annotators_rubric_and_asks_which_where_they_have_two(
    sampled, db, tmp_path, words, few_sheets
):
    graded_again(sampled, db, tmp_path, "wide", "judge")
    told = sampled(*words, "--json")
    assert told.stderr.count("doc-qa-0-3") == 1 and "doc-qa-0-10" not in told.stderr
    json.loads(told.stdout)
    graded_again(sampled, db, tmp_path, "Bo", "annotator")
    told = sampled(*words, code=2).stderr
    assert "doc-qa-0-3, doc-qa-0-10" in told and "--rubric" in told
    sampled(*words, "--rubric", "doc-qa-0-3")


def test_an_export_has_the_figures_of_the_annotators_rubric_alone(sampled, db, tmp_path):
    graded_again(sampled, db, tmp_path, "wide", "judge")
    sampled("export", "--all", tmp_path / "again")
    for file in ("agreement.json", "ranking.json"):
        parts = json.loads((tmp_path / "again" / file).read_text(encoding="utf-8"))
        assert {row["rubric"] for rows in parts.values() for row in rows} == {"doc-qa-0-3"}


# Objects whose keys are names, scores, reasons or settings, and not ours.
DATA = {
    *(
        "adjudicated",
        "answer_models",
        "columns",
        "criteria",
        "flags",
        "labels",
        "low_by",
    ),
    *("parts", "points_apart", "scores", "statuses", "switches", "uncounted", "weights"),
}
# What is not looked into: counts by reason, and definition files, whose keys other pages list.
CLOSED = {"left_out", "metadata", "extra_body", "presets", "endpoint", "rubrics"}


def keys(found: object) -> Iterator[str]:
    """Yield the keys of a document."""
    if isinstance(found, list):
        for one in found:
            yield from keys(one)
    elif isinstance(found, dict):
        for key, value in found.items():
            yield key
            if isinstance(value, dict) and key in DATA:
                yield from keys([*value.values()])
            elif key not in CLOSED:
                yield from keys(value)


def documented_of_cli_json_keys() -> set[str]:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    return {word for code in re.findall(r"`([^`]+)`", page) for word in re.findall(r"\w+", code)}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_each_key_of_json_is_in_the_docs(path):
    found = {*keys([*json.loads(path.read_text(encoding="utf-8")).values()])} - {"exit", "json"}
    assert found - documented_of_cli_json_keys() == set()
