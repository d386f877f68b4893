"""What is cut off nowhere in the grading pane: the ring around the focus, and lines of code."""

import pytest
from playwright.sync_api import expect

from concord.grading import grading_sets
from concord.store import additions, sheets
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import begin
from tests.support.made_items import made_item

# Of what has the focus, how much of its ring is cut off by what it is in: 3 pixels, 2 away from it.
RING_CUT = """() => {
  let one = document.activeElement;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  const pane = one.closest('.pane');
  if (!pane || one === pane) return null;
  const style = getComputedStyle(one), room = parseFloat(style.outlineOffset) + 3;
  const box = one.getBoundingClientRect();
  let cut = style.outlineStyle === 'none' ? 99 : 0;
  for (let part = one.parentElement; part && part !== pane; part = part.parentElement) {
    if (getComputedStyle(part).overflowX === 'visible') continue;
    const of = part.getBoundingClientRect();
    cut = Math.max(cut, of.left - box.left + room, box.right + room - of.right,
      of.top - box.top + room, box.bottom + room - of.bottom);
  }
  return [one.getAttribute('aria-label') ?? one.textContent.slice(0, 40), Math.round(cut)];
}"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_the_ring_around_what_has_the_focus_is_whole(
    page, server, store, three_criteria, ana, size
):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    begin(page, server, three_criteria)
    page.keyboard.press("f")
    expect(page.locator(".remark")).to_be_visible()
    stops = {}
    for _ in range(40):
        page.keyboard.press("Tab")
        stop = page.evaluate(RING_CUT)
        if stop:
            stops[stop[0]] = stop[1]
    assert {"flag", "Send"} <= {*stops} if size[0] == 390 else len(stops) > 20
    assert {name: cut for name, cut in stops.items() if cut > 0} == {}


# A list in Hebrew, and eight columns with a Chinese cell that is too wide for its own.
WIDE = """1. שלום עולם

| Account | Station | Distance | Duration | Minutes | Weekday | Weekend | Zone |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 北京市海淀区中关 | Station | 1 | 2 | 3 | 4 | 5 | 6 |
"""
LINES = """all => all.map((one) => {
    const style = getComputedStyle(one);
    const inner = one.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    return Math.round(inner / parseFloat(style.lineHeight));
})"""


def test_code_and_wide_tables_are_read_whole_in_a_narrow_window(page, server, store, ana):
    page.set_viewport_size({"width": 390, "height": 844})
    item = made_item(1)._replace(answer=f"{WIDE}\n```sh\ncurl {'https://host/path?a=b ' * 20}\n```")
    additions.add(store, "code", [item], "code.csv", "0" * 64, {})
    rubric_id, _ = rubric_versions.named(store, "holistic-1-10")
    code = sheets.find(store, "code")
    begin(page, server, grading_sets.create(store, code.id, rubric_id, "Code", None, seed=1))
    expect(page.locator(".answer pre")).to_contain_text("curl")
    assert page.locator(".answer pre").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert page.locator(".answer :is(th, td:first-child)").evaluate_all(LINES) == [1] * 8 + [2]
    assert page.locator(".answer table").evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.locator(".read").evaluate("one => one.scrollWidth <= one.clientWidth")
    item = page.locator(".answer li").bounding_box()
    column = page.locator(".answer ol").bounding_box()
    assert item["x"] + item["width"] < column["x"] + column["width"]  # its number is on the right
    expect(page.locator("textarea:not([dir=auto])")).to_have_count(0)
