"""The fixture `certified_judge`, in pytest runs of their own."""

from pathlib import Path

import pytest

from concord.exporting import exported_tables

# Imported here already: an inner run forgets what it was the first to load, and NumPy can be loaded
# only once.
from concord.reports import gate
from tests.support.reports.choices import certificate_file
from tests.support.source import ROOT

pytest_plugins = ("pytester",)

JUDGE = 'name = "mine"\nmodel = "m"\nrubric = "doc-qa-0-3"\nprice = 0\n'


def run(pytester, store, more: str = "", **edits: object) -> pytest.RunResult:
    """A test that calls the fixture with more arguments, on a certificate with edits."""
    judge = pytester.path / "mine.toml"
    judge.write_text(JUDGE, encoding="utf-8")
    certificate_file(store, judge, pytester.path / "c.json", **edits)
    return call(pytester, more)


def call(pytester, more: str = "") -> pytest.RunResult:
    pytester.makepyfile(
        f"def test_it(certified_judge):\n    certified_judge('c.json', 'mine.toml'{more})"
    )
    return pytester.runpytest_inprocess("-p", "concord.pytest_plugin", "-p", "no:cacheprovider")


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def failed(result: pytest.RunResult, sentence: str) -> bool:
    """Whether the one test failed with one line and no traceback."""
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    return sentence in shown and "Traceback" not in shown and "def check" not in shown


@pytest.mark.usefixtures("written")
def test_a_certified_judge_passes(pytester, store):
    run(pytester, store).assert_outcomes(passed=1)
    call(pytester, ", exact=0.7, failure_recall=0.5").assert_outcomes(passed=1)
    call(pytester, ", criterion='correctness', false_alarm_rate=0.5").assert_outcomes(passed=1)
    assert gate.__name__  # what the runs above have used


@pytest.mark.usefixtures("written")
def test_it_fails_with_a_sentence_where_the_certificate_does_not_hold(pytester, store):
    begun = "c.json does not certify cheap: "
    found = run(pytester, store, expires_at="2020-01-01")
    assert failed(found, f"{begun}It expired on 2020-01-01. Calibrate again.")
    found = run(pytester, store, certified=False, why_not="too few labels")
    assert failed(found, f"{begun}Nothing is certified: too few labels.")
    run(pytester, store).assert_outcomes(passed=1)
    change(pytester.path / "mine.toml", 'model = "m"', 'model = "n"')
    assert failed(call(pytester), f"{begun}The judge's file is not the certified one: model.")
    run(pytester, store).assert_outcomes(passed=1)
    change(pytester.path / "c.json", '"exact": {"value": 0.', '"exact": {"value": 0.9')
    assert failed(call(pytester), "changed after it was written")


@pytest.mark.usefixtures("written")
def test_it_fails_with_a_sentence_where_a_minimum_is_not_reached(pytester, store):
    found = run(pytester, store, ", exact=0.99")
    assert failed(found, "correctness, exact agreement: 0.")
    assert failed(call(pytester, ", false_alarm_rate=0.0"), "correctness, ")
    assert failed(call(pytester, ", exact=70"), "Not understood: exact")
    assert failed(call(pytester, ", exact='70%'"), "shares from 0 to 1")
    assert failed(call(pytester, ", kappa=0.7"), "Not understood: kappa")
    assert failed(call(pytester, ", criterion='style'"), "no criterion “style”")


@pytest.mark.usefixtures("written")
def test_it_fails_with_a_sentence_where_a_file_cannot_be_read(pytester, store):
    run(pytester, store).assert_outcomes(passed=1)
    (pytester.path / "mine.toml").unlink()
    assert failed(call(pytester), "mine.toml")
    (pytester.path / "c.json").write_text("{}", encoding="utf-8")
    assert failed(call(pytester), "c.json is not a certificate.")


def test_with_an_export_every_figure_is_recomputed(pytester, store, written):
    exported_tables.export(store, pytester.path / "out", every=True)
    run(pytester, store, ", export='out'").assert_outcomes(passed=1)
    store.execute("update grades set score = 3 - score where id <= 3")
    exported_tables.export(store, pytester.path / "edited", every=True)
    found = run(pytester, store, ", export='edited'")
    assert failed(found, "Values that differ in the certificate")


def test_a_run_that_does_not_use_it_loads_nothing_of_concord(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(
        "import sys\n\ndef test_it():\n"
        "    ours = {name for name in sys.modules if name.startswith('concord')}\n"
        "    assert ours == {'concord', 'concord.pytest_plugin'}\n"
        "    assert 'pandas' not in sys.modules and 'sqlite3' not in sys.modules"
    )
    found = pytester.runpytest_subprocess("-p", "concord.pytest_plugin", "--strict-markers")
    found.assert_outcomes(passed=1)
    assert (
        "certified_judge"
        in pytester.runpytest_subprocess("-p", "concord.pytest_plugin", "--fixtures").stdout.str()
    )
