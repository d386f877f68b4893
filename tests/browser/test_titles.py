"""Long names in a real browser: a title takes two lines; tables and charts have all in sight."""

import shutil
import sqlite3
import time

from concord.reports.decision import choose
from concord.reports.decision.results import Terms
from concord.reports.panel.named_judge import judge_of
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support import browser
from tests.support.panels import panel
from tests.support.patience import PATIENT_S

LONG = {
    "simulated-careful-judge": "openai-gpt-5.6-terra-few-shot-reasons-v1",
    "simulated-lenient-judge": "openai-gpt-5.6-terra-few-shot-reasons-v2",
    "simulated-decision-judge": "openai-gpt-5.6-terra-few-shot-reasons-v3",
    "simulated-grader-a": "annotator_northern_region_team_reviewer1",
    "simulated-grader-b": "annotatornorthernregionteamreviewertwo22",
    "atlas": "meta_llama_4_instruct_rag_pipeline_k5_v1",
    "birch": "meta_llama_4_instruct_rag_pipeline_k5_v2",
    "cobalt": "meta_llama_4_instruct_rag_pipeline_k5_v3",
}
# The titles that name judges: those of the other screens are shorter.
NAMED = ("/compare?view=flips", "/decide", "/agreement", "/ranking", "/compare?study=agreement")
TALL = """() => {
  const lines = one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(box => Math.round(box.bottom))).size;
  };
  const titles = [...document.querySelectorAll('.stMain :is(h1, h2, h3)')].filter(
    one => one.offsetParent);
  const charts = [...document.querySelectorAll('svg.main-svg .gtitle')].filter(
    one => one.querySelectorAll('tspan.line').length > 2);
  return titles.length
    ? [...titles.filter(one => lines(one) > 2).map(one => one.innerText),
       ...charts.map(one => one.textContent)]
    : ['no title'];
}"""
# Where the line of filters stands, with its tallest and lowest picker.
BAR = """() => {
  const bar = document.querySelector('.st-key-filters');
  if (!bar) return null;
  const lows = [...bar.children].map(one => Math.round(one.getBoundingClientRect().bottom));
  return [Math.round(bar.getBoundingClientRect().top), Math.max(...lows) - Math.min(...lows)];
}"""
# A folded table has the width it had when it was last laid out, if at all.
UNFOLD = "() => document.querySelectorAll('details').forEach(one => { one.open = true })"
# The beginnings of tables of which some is scrolled out of sight.
WIDE = """() => [...document.querySelectorAll('[data-testid="stTable"] table')].filter(one => {
  const [inside, outside] = [one, one.parentElement].map(box => box.getBoundingClientRect());
  return one.offsetParent && inside.width > outside.width + 1;
}).map(one => one.innerText.slice(0, 80))"""

# Tables of which some is scrolled out of sight, and the texts of charts that an edge cuts.
CUT = """() => [
  ...[...document.querySelectorAll('.dvn-scroller, .concord-comparison .scroll')].filter(
    one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText.slice(0, 80)),
  ...[...document.querySelectorAll('svg.main-svg text')].filter(one => {
    const [text, svg] = [one, one.ownerSVGElement].map(box => box.getBoundingClientRect());
    return text.width && (text.left < svg.left - 1 || text.right > svg.right + 1);
  }).map(one => one.textContent),
]"""
# Names on cards that stand in more than one line.
BROKEN = """names => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const [text, range] = [texts.currentNode, document.createRange()];
    if (!text.parentElement.closest('h3, button, td')) continue;
    for (const name of names.filter(one => text.data.includes(one))) {
      range.setStart(text, text.data.indexOf(name));
      range.setEnd(text, text.data.indexOf(name) + name.length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.bottom))).size > 1)
        found.push(name);
    }
  }
  return found;
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


def test_long_names_take_two_lines_of_a_title_and_scroll_no_table(
    page, serve, made_sample, tmp_path
):
    db = tmp_path / "concord.db"
    shutil.copy(made_sample, db)
    renamed(db)
    decided(db, LONG["simulated-careful-judge"])
    server, bars = serve(db), {1280: [], 390: []}
    for path in (*NAMED, "/data?item=1", "/judges", "/splits", "/adjudicate"):
        browser.visit(page, server, path)
        page.evaluate(UNFOLD)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate(TALL) == [], f"{path} at {width}"
            assert page.evaluate(WIDE) == [], f"{path} at {width}"
            _fits(page, f"{path} at {width}")
            if path != "/adjudicate" and (bar := page.evaluate(BAR)):  # its pane fills the window
                bars[width].append(bar)
    assert len({top for top, _ in bars[1280]}) == 1
    assert all(apart < 6 for _, apart in bars[1280] + bars[390])
    assert page.evaluate(BROKEN, [*LONG.values()]) == []


def _fits(page, what: str) -> None:
    """Wait until nothing is cut: a window that became narrow gets other columns when it likes."""
    deadline = time.monotonic() + PATIENT_S
    while cut := page.evaluate(CUT):
        assert time.monotonic() < deadline, f"{what}: {cut}"
        page.wait_for_timeout(20)
