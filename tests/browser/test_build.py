"""The build screen in a real Chromium: from documents to answers, and a hostile document."""

from playwright.sync_api import expect

from concord.building import drafts
from concord.building.drafts import Words
from concord.model import Document
from concord.store.sheets import find
from tests.support.browser import settled, visit
from tests.support.endpoint import Endpoint
from tests.support.judges.building import HARBOUR, KOREAN, MINISTRY, local, proposed, writer

SLOW = {"timeout": 60_000}
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


def test_documents_become_an_answer_sheet_in_the_browser(page, serve, store, tmp_path):
    files = {"港口.md": MINISTRY * 4, "harbour.txt": HARBOUR * 4, "항구.md": KOREAN}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with Endpoint(write=writer, holds_from=3) as server:
        concord = serve(store.path, OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-x")
        query = "&".join(f"{key}={value}" for key, value in local(server).items())
        visit(page, concord, f"/build?{query}")
        page.locator("input[type=file]").set_input_files([tmp_path / name for name in files])
        expect(page.get_by_text("harbour.txt")).to_be_visible(**SLOW)
        settled(page)
        page.get_by_role("textbox", name="Name of the sheet").fill("port")
        page.get_by_role("textbox", name="Name of the sheet").press("Enter")
        settled(page)
        page.get_by_role("button", name="Import documents").click()
        expect(page.get_by_text("3 documents imported.").first).to_be_visible(**SLOW)
        settled(page)
        page.get_by_role("button", name="Draft questions: 3 requests, price unknown").click()
        expect(page.get_by_text("of 3 done")).to_be_visible(**SLOW)
        page.reload()
        settled(page)
        expect(page.get_by_role("button", name="Stop")).to_be_visible(**SLOW)
        server.release()
        expect(page.get_by_text("The last run is done")).to_be_attached(**SLOW)
        settled(page)
        page.get_by_label("Your name").fill("Ana")
        page.get_by_label("Your name").press("Tab")
        settled(page)
        page.get_by_role("button", name="Approve").click()
        expect(page.get_by_text("is approved.").first).to_be_visible(**SLOW)
        settled(page)
        page.get_by_text("Have models answer 1 question", exact=True).click()
        answer = page.get_by_role("button", name="Generate answers: 1 request, price unknown")
        expect(answer).to_be_visible(**SLOW)
        settled(page)
        answer.click()
        expect(page.get_by_text("“port” has 1 answer by llama3.1.")).to_be_visible(**SLOW)
    sheet = find(store, "port")
    assert (sheet.items, sheet.synthetic) == (1, 1)
    assert [Document(*row).name for row in store.rows("select name, text from documents")]
