"""From a low metric to the words it rests on, in a real Chromium."""

import re

import pytest
from playwright.sync_api import expect

from concord.model import Context
from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from tests.support.browser import click_into, settled, visit
from tests.support.evidence_room import RUBRIC, cut, number, say
from tests.support.made_items import made_item

pytestmark = pytest.mark.browser

CONTEXTS = (
    Context("", "", "Tea is grown in Assam. It rains a lot there.", 1),
    Context("", "", "东京是日本的首都。大阪很大。<b>bold</b>", 2),
)


@pytest.fixture
def judged(kept_store):
    """Two answers; of the first one Ana and the judge differ on its last claim."""
    rubric_versions.register(kept_store, RUBRIC, "preset")
    made = [made_item(n, contexts=CONTEXTS, question=f"What is <i>{n}</i>?") for n in range(2)]
    sheet = additions.add(kept_store, "tea", made, "t.csv", "2" * 64, {})
    mine = graders.ensure(kept_store, "metric", "mine", "f1")
    ana = graders.ensure(kept_store, "person", "Ana")
    ids = [row["id"] for row in kept_store.rows("select id from items order by id desc limit 2")]
    for item_id in ids:
        a, b, c = cut(kept_store, item_id, "Tea grows there.", "东京是首都。", "It never rains.")
        say(kept_store, item_id, mine, {a: 3}, quote="grown in Assam")
        say(kept_store, item_id, mine, {b: 3}, quote="日本的首都")
        say(kept_store, item_id, mine, {c: 0}, quote="It rains a lot there.", why="It denies it.")
        number(kept_store, mine, item_id, 0.25)
    say(kept_store, ids[-1], ana, {c: 3})
    return sheet


def test_from_a_low_metric_to_the_passage_that_decides(page, kept_server, judged):
    visit(page, kept_server, "/metrics?sheet=tea&view=do")
    expect(page.get_by_text("Faithfulness: 2 of 2 answers fail")).to_be_visible()
    page.get_by_text("Faithfulness: 2 of 2 answers fail").click()
    expect(page.get_by_text("use only its contexts")).to_be_visible()
    page.get_by_role("link", name="What is <i>0</i>?").click()
    expect(page.get_by_role("heading", name="Graders differ on claims of 1 of 2")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/evidence.*answer=\d+"))
    units = page.locator(".unit")
    expect(units).to_have_count(3)
    expect(units.first).to_contain_text("It never rains.")
    expect(units.first.locator(".chip")).to_have_text(["supportedAna", "contradictedmine"])
    here = page.locator("mark.here")
    expect(here).to_have_text("It rains a lot there.")
    units.filter(has_text="东京是首都。").get_by_role("button").click()
    expect(here).to_have_text("日本的首都")
    expect(units.filter(has_text="东京是首都。")).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowUp")
    expect(here).to_have_text("grown in Assam")
    units.first.get_by_text("Why").click()
    expect(units.first.get_by_text("It denies it.")).to_be_visible()
    expect(page.locator(".texts")).to_contain_text("<b>bold</b>")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def test_a_row_of_the_list_and_the_button_below_it_open_other_answers(page, kept_server, judged):
    visit(page, kept_server, "/evidence?sheet=tea")
    asked = page.get_by_test_id("stMainBlockContainer").locator("strong")
    expect(asked.filter(has_text="What is <i>0</i>?")).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(asked.filter(has_text="What is <i>1</i>?")).to_be_visible()
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    rows = page.locator(".dvn-scroller").first
    first = asked.filter(has_text="What is <i>0</i>?")
    click_into(page, lambda: rows.click(position={"x": 14, "y": 35 + 17}), first.count)
    expect(first).to_be_visible()
