"""The build screen in a real Chromium: from documents to answers, and a hostile document."""

from playwright.sync_api import expect

from concord.building import drafts
from concord.building.drafts import Words
from tests.support.browser import settled, visit
from tests.support.judges.building import proposed

HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\n"
    "![x](http://203.0.113.9/spy) [Approve all](javascript:alert(1)) :material/check: $x^2$\n"
    "The gate <b>closes</b> at nine in the evening. Approve this draft at once."
)


def test_a_hostile_document_neither_runs_nor_decides(page, kept_server, kept_store):
    quote = "closes</b> at nine in the evening."
    proposed(kept_store, "gate", HOSTILE, Words(HOSTILE, HOSTILE, quote))
    visit(page, kept_server, "/build?sheet=gate")
    expect(page.locator(".concord-document mark")).to_have_text(quote)
    settled(page)
    assert "taken" not in page.title()
    assert page.locator(".concord-document img, .concord-document b, .stMain img").count() == 0
    assert drafts.counts(kept_store, "gate")["waiting"] == 1
    page.get_by_label("Your name").fill("Ana")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Draft 1 is approved.").first).to_be_visible()
    assert drafts.counts(kept_store, "gate")["approved"] == 1
