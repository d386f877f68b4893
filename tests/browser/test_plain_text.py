"""What stands in a file is text on every screen: no name, title or note is an image or runs."""

import shutil

import pytest

from tests.support.browser import ROOT, visit
from tests.support.hostile import HOST, IMAGE, JUDGE, spoil

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
PATHS = (
    *("" if name == "start" else name for name in PAGES),
    f"judges?judge={JUDGE}",
    "rubric?edit=1",
    "judges?judge=FILE",
)
FILE = f"""
name = "of-a-file{IMAGE}"
about = "About {IMAGE}"
model = "model-{IMAGE}"
rubric = "doc-qa-0-3"
retired = "2020-01-01"
"""


@pytest.fixture
def hostile_server(made_sample, tmp_path, serve):
    """A running app whose every text is an image on another host."""
    db = shutil.copy(made_sample, tmp_path / "concord.db")
    spoil(db)
    return serve(db)


def test_no_screen_shows_an_image_that_a_text_names(page, noticed, hostile_server, tmp_path):
    file = tmp_path / "judge.toml"
    file.write_text(FILE, encoding="utf-8")
    shown = ""
    for path in PATHS:
        visit(page, hostile_server, "/" + path.replace("FILE", str(file)))
        assert page.get_by_text("Page not found").count() == 0, path
        assert page.locator(f"img[src*='{HOST}']").count() == 0, path
        assert not noticed.faults, path
        shown += page.get_by_test_id("stMain").inner_text()
    assert shown.count(IMAGE) > len(PATHS)


def test_nor_does_the_reading_of_a_file(page, noticed, server, tmp_path):
    sheet = tmp_path / f"{HOST}.csv"
    head = f"question,answer,answer_model,{IMAGE},score {IMAGE},{IMAGE}:correctness"
    sheet.write_text(f"{head}\nWhy {IMAGE}?,Because {IMAGE}.,m {IMAGE},1,2,3\n,,,,,\n", "utf-8")
    visit(page, server, "/sheets?do=import")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(sheet)
    page.get_by_text("columns", exact=False).first.wait_for()
    assert page.locator(f"img[src*='{HOST}']").count() == 0 and not noticed.faults
