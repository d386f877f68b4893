"""Fields in a real Chromium: what a field shows when it is left is what is stored."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

from concord.grading import campaigns
from tests.support.browser import click_into, settled, visit

BELOW = "-5"  # below the lower end of every number that is asked for
SCREENS = ("/annotate", "/plan", "/splits")


def form(page: Page, server):
    """The form that shares a set out, with two annotators named."""
    visit(page, server, "/annotate")
    page.get_by_text("Assign blocks to annotators").click()
    names = page.get_by_role("combobox", name="Annotators").first
    for name in ("Cy", "Bo"):
        option = page.get_by_role("option").filter(has_text=name)
        chosen = page.get_by_test_id("stMultiSelect").filter(has_text=name)

        # While the fold still unfolds, the field may lose what is typed into it, or the key.
        def enter(name=name, option=option):
            click_into(page, partial(names.fill, name), option.is_visible)
            names.press("Enter")

        click_into(page, enter, chosen.is_visible)


def typed(page: Page, label: str, text: str, leave: str | None = None):
    field = page.get_by_label(label, exact=True).last
    field.click()
    field.fill("")
    field.press_sequentially(text)
    if leave:
        field.press(leave)
        settled(page)
    return field


@pytest.mark.parametrize("leave", [("Tab", "Enter"), (None, None)])
def test_what_is_typed_is_stored_however_the_field_is_left(page, server, store, team_set, leave):
    form(page, server)
    typed(page, "Annotators per shared answer", "2", leave[0])
    typed(page, "Due date", "2031-12-24", leave[1])
    page.get_by_role("button", name="Assign blocks").click()
    expect(page.get_by_text("Due 2031-12-24.")).to_be_visible()
    found = campaigns.find(store, team_set.id)
    assert (found.annotators_per_answer, found.deadline) == (2, "2031-12-24")


def test_no_number_field_keeps_showing_what_does_not_count(page, server, store, team_set):
    seen = 0
    for screen in SCREENS:
        visit(page, server, screen)
        settled(page)
        page.evaluate(
            "document.querySelectorAll('details:not([open]) > summary').forEach(f => f.click())"
        )
        settled(page)
        fields = page.locator('[data-testid="stNumberInput"] input:enabled')
        for n in range(fields.count()):
            field = fields.nth(n)
            if field.locator("xpath=ancestor::form").count() or not field.is_visible():
                continue
            field.fill(BELOW)
            field.press("Tab")
            expect(field).not_to_have_value(BELOW)
            seen += 1
    assert seen >= 6
