"""How much each screen shows of itself on the sample, to a person in a hurry."""

import re
import sys

import pytest

from concord.ui.navigation import SCREENS
from tests.support.browser import finished, settled, visit
from tests.support.patience import until
from tests.support.source import ROOT

# Words in sight and pixels of height, at 1440 px: of a grid its head and ten rows count.
BUDGETS = {
    **dict.fromkeys(("overview", "data", "judges", "review", "metrics"), (130, 1_200)),
    **dict.fromkeys(("build", "splits", "annotate"), (120, 1_200)),
    **dict.fromkeys(("agreement", "annotators", "ranking", "compare", "progress"), (220, 1_600)),
    **dict.fromkeys(("plan", "decide", "certificate"), (250, 1_800)),
    **dict.fromkeys(("rubrics", "adjudicate"), (220, 1_600)),
}
WITHOUT = {"grade", "team"}  # a pane, and a tab of those who sign in
# The texts in sight, apart from icons and texts of answers and rubrics, and what grids hold, which
# they draw on a canvas.
SHOWN = """() => {
  const aside = 'style, script, canvas, [data-testid="stIconMaterial"], .concord-criterion, '
    + '.concord-title';
  const main = document.querySelector('[data-testid="stMain"]');
  const folded = (one) => one.closest('details:not([open]) > :not(summary)');
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, at = node.parentElement, range = document.createRange();
    if (at.closest(aside) || folded(at)) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width > 1 && box.height > 1) texts.push(node.data);
  }
  for (const table of main.querySelectorAll('canvas table'))
    if (!folded(table)) {
      const cells = (row) => [...row.cells].map((cell) => cell.textContent);
      const rows = [...table.rows].slice(0, 11).map(cells);
      const counts = rows[0].map((head) => !['question', 'answer', 'text'].includes(head));
      texts.push(...rows.flatMap((row) => row.filter((_, at) => counts[at])));
    }
  return [texts.join(' '), main.scrollHeight];
}"""


def test_every_screen_has_a_budget():
    assert {name for screen in SCREENS for name in screen.tabs} == {*BUDGETS} | WITHOUT


@pytest.mark.parametrize("screen", BUDGETS)
def test_a_screen_shows_no_more_than_its_budget(page, sampled_server, tmp_path, screen):
    if screen == "decide":  # as it is after a verdict
        choose = ["choose", "--against", "simulated-careful-judge"]
        command = [sys.executable, ROOT / "cli.py", "--db", sampled_server.db, *choose]
        assert "inconclusive" in finished(command, tmp_path)
    page.set_viewport_size({"width": 1440, "height": 900})
    visit(page, sampled_server, "/" if screen == "overview" else f"/{screen}")
    settled(page)
    words, height = BUDGETS[screen]
    until(lambda: page.evaluate(SHOWN)[1] <= height)  # a grid or chart that is drawn last shrinks
    text, _ = page.evaluate(SHOWN)
    assert 10 < len(re.findall(r"[^\W_][\w'’.,%-]*", text)) <= words, text
