"""How much a screen shows before anything is opened: its visible words, and its height.

    python -m tests.support.screen_budget [ADDRESS ...]

Measured in Chromium at 1440 pixels on the sample, with the computed metrics and a decision that was
looked at. Words are counted in the main area without the sidebar: also those of charts, of chosen
values, and of the head and first ten rows of a grid, which is a canvas. The texts of answers,
questions, rubrics and judges do not count, nor do names of icons. Beside each figure stands what
is enough (`BUDGETS`), marked where the screen has more.
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from tests.support import browser, commandline

WIDTH = 1440


class Budget(NamedTuple):
    """Visible words, and pixels from the top of the main area to its end."""

    words: int
    height: int


SHORT, FIGURES, DECISION = Budget(130, 1200), Budget(220, 1600), Budget(250, 1800)
FORM = Budget(120, 1200)
# A screen is measured at its address; Grade has no budget.
BUDGETS = {
    "/": SHORT,
    "/data": SHORT,
    "/judges": SHORT,
    "/review": SHORT,
    "/metrics": SHORT,
    "/agreement": FIGURES,
    "/ranking": FIGURES,
    "/compare": FIGURES,
    "/annotators": FIGURES,
    "/progress": FIGURES,
    "/decide": DECISION,
    "/plan": DECISION,
    "/certificate": DECISION,
    "/annotate": FORM,
    "/splits": FORM,
    "/build": FORM,
    "/rubrics": FIGURES,
    "/adjudicate": FIGURES,
    "/settings": FIGURES,
}
# What a screen shows that is not its own: texts of answers, questions, rubrics and judges; icons.
_ASIDE = (
    *("[data-testid=stIconMaterial]", "[data-testid=stCode]", "textarea"),
    *(".concord-item dd", ".concord-comparison td", ".concord-diff", ".concord-document"),
    *(".concord-criterion .asks", ".concord-criterion .meaning", ".concord-criterion dl"),
    *(".plain", ".answer", ".asked", ".asks", ".meaning", ".levels", ".markdown"),
)
# Heads of the columns of a grid whose cells are such texts.
_TEXTS = ("question", "answer", "text", "reason", "note")
_SHOWN = """([aside, texts]) => {
  const main = document.querySelector('[data-testid="stMain"]');
  const found = [];
  const parent = one => one.parentElement ?? one.getRootNode().host;
  const hidden = one => {
    const boxed = getComputedStyle(one).display === 'contents' ? parent(one) : one;
    if (!boxed.checkVisibility({visibilityProperty: true, opacityProperty: true})) return true;
    for (let at = one; at && at !== main; at = parent(at)) {
      const {clipPath, overflow, display} = getComputedStyle(at);
      const clipped = overflow === 'hidden' && display !== 'contents' && at.clientWidth <= 1;
      if (at.matches(aside) || clipPath.startsWith('inset') || clipped) return true;
    }
    return false;
  };
  const grid = ([head, ...rows]) => {
    const heads = [...head.cells].map(cell => cell.textContent);
    const own = row => [...row.cells].filter((_, at) => !texts.includes(heads[at]));
    return [...heads, ...rows.flatMap(own).map(cell => cell.textContent)];
  };
  const walk = root => {
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (one.matches('input:not([type=checkbox], [type=radio])') && !hidden(one))
        found.push(one.value);
      if (one.matches('style, script, canvas *')) continue;
      const own = [...one.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
      const text = own.map(node => node.data).join(' ').trim();
      if (text && !hidden(one)) found.push(text);
      if (one.tagName === 'CANVAS' && one.querySelector('[role=grid]') && !hidden(one))
        found.push(...grid([...one.querySelectorAll('tr')].slice(0, 11)));
    }
  };
  walk(main);
  const block = document.querySelector('[data-testid="stMainBlockContainer"]');
  return [found.join('\\n'), Math.round(block.getBoundingClientRect().height)];
}"""


def measure(page: Page, server: browser.Server, address: str) -> Budget:
    """How much an address of a running app shows once it stands still."""
    text, height = shown(page, server, address)
    words = [word for word in text.split() if any(letter.isalnum() for letter in word)]
    return Budget(len(words), height)


def shown(page: Page, server: browser.Server, address: str) -> tuple[str, int]:
    """The words that count, and the height."""
    page.set_viewport_size({"width": WIDTH, "height": 900})
    browser.visit(page, server, address)
    seen = []
    while len(seen) < 5 or any(one != seen[-1] for one in seen[-5:]):  # charts and grids come late
        page.wait_for_timeout(400)
        seen.append(page.evaluate(_SHOWN, [", ".join(_ASIDE), _TEXTS]))
    return tuple(seen[-1])


def prepare(db: Path) -> None:
    """Make the database that screens are measured on."""
    decision = ("--against", "simulated-careful-judge", "--margin", "0.1", "--minimum", "0.5")
    for words in (("demo",), ("judge", "computed"), ("choose", *decision)):
        done = commandline.invoke(db, *words)
        assert done.exit_code == 0, done.output


def main() -> None:
    """Print a table of the addresses that are named, or of all."""
    with tempfile.TemporaryDirectory() as folder:
        db, log = Path(folder) / "concord.db", Path(folder) / "server.log"
        prepare(db)
        server = browser.Server(db, log).start()
        with browser.launched() as chromium:
            page = browser.Profile(chromium).context.new_page()
            print(f"{'':14}{'words':>8}{'enough':>8}{'height':>10}{'enough':>8}")
            for address in sys.argv[1:] or BUDGETS:
                _tell(address, measure(page, server, address), BUDGETS[address])
        server.end()


def _tell(address: str, found: Budget, enough: Budget) -> None:
    words, height = ("<" * (have > most) for have, most in zip(found, enough, strict=True))
    print(
        f"{address:14}{found.words:>8,}{enough.words:>8,} {words:1}"
        f"{found.height:>8,}{enough.height:>8,} {height}"
    )


if __name__ == "__main__":
    main()
