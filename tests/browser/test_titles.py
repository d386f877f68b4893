"""Titles in a real browser: at most two lines, however long the names in them are."""

import shutil
import sqlite3

import pytest

from concord.reports.decision import choose
from concord.reports.decision.results import Terms
from concord.reports.panel.named_judge import judge_of
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support import browser
from tests.support.panels import panel

LONG = {
    "simulated-careful-judge": "openai-gpt-5.6-terra-few-shot-reasons-v1",
    "simulated-lenient-judge": "openai-gpt-5.6-terra-few-shot-reasons-v2",
    "simulated-decision-judge": "openai-gpt-5.6-terra-few-shot-reasons-v3",
    "simulated-grader-a": "annotator_northern-region-team_reviewer1",
    "simulated-grader-b": "annotator_northern-region-team_reviewer2",
    "atlas": "meta-llama-4-instruct_rag-pipeline_k5-v1",
    "birch": "meta-llama-4-instruct_rag-pipeline_k5-v2",
    "cobalt": "meta-llama-4-instruct_rag-pipeline_k5-v3",
}
# The titles that name judges: those of the other screens are shorter.
USUAL = ("/compare?view=flips", "/decide")
NAMED = (*USUAL, "/agreement", "/ranking", "/compare?view=studies")
TALL = """() => {
  const lines = one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(box => Math.round(box.bottom))).size;
  };
  const titles = [...document.querySelectorAll('.stMain :is(h1, h2)')].filter(
    one => one.offsetParent);
  return titles.length ? titles.filter(one => lines(one) > 2).map(one => one.innerText)
    : ['no title'];
}"""


def decided(db, reference: str) -> None:
    """Take a look at a decision on the sample."""
    with open_store(db) as store:
        made = panel(store, rubric_versions.named(store, "doc-qa-0-3")[1])
        terms = Terms(0.1, 0.5, 0.5)
        choose.look(store, made, choose.fix(store, made, judge_of(store, made, reference), terms))


def renamed(db) -> None:
    """Give everyone in the sample a name of forty letters."""
    with sqlite3.connect(db) as raw:
        guards = raw.execute("select name, sql from sqlite_master where type = 'trigger'")
        for name, _ in (kept := guards.fetchall()):
            raw.execute(f"drop trigger {name}")
        for short, long in LONG.items():
            raw.execute("update graders set name = ? where name = ?", (long, short))
            raw.execute("update items set answer_model = ? where answer_model = ?", (long, short))
        for _, sql in kept:
            raw.execute(sql)


@pytest.mark.parametrize(("long", "paths"), [(False, USUAL), (True, NAMED)])
def test_no_title_takes_more_than_two_lines(page, serve, made_sample, tmp_path, long, paths):
    db = tmp_path / "concord.db"
    shutil.copy(made_sample, db)
    if long:
        renamed(db)
    decided(db, LONG["simulated-careful-judge"] if long else "simulated-careful-judge")
    server = serve(db)
    for path in paths:
        browser.visit(page, server, path)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate(TALL) == [], f"{path} at {width}"
