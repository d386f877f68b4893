"""A folder of documents: what is read from it, and why a file gives nothing."""

import unicodedata

import pytest

from concord.importing.readers import documents
from concord.messages import Problem
from concord.reports.workflow.building import intake_summary
from concord.text.quotations import find, occurs
from tests.support.files import pdf_file

LONG = "The harbour opens at six in the morning and closes at nine in the evening. " * 4
CHINESE = "会议决定，新的港口将于六月一日开放，预算共计四千欧元，由王小明负责。" * 3


def test_every_kind_of_file_gives_its_text_in_the_order_of_the_names(tmp_path):
    (tmp_path / "a.md").write_text(f"# Harbour\r\n\r\n{LONG}")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.TXT").write_bytes(CHINESE.encode("gb18030"))
    (tmp_path / "c.html").write_text(f"<p>{LONG} &amp; so on<script>steal()</script>")
    (tmp_path / "d.pdf").write_bytes(pdf_file(LONG))
    read = documents.read(tmp_path)
    assert [d.name for d in read.documents] == ["a.md", "c.html", "d.pdf", "deep/b.TXT"]
    texts = {d.name: d.text for d in read.documents}
    assert texts["a.md"].startswith("# Harbour\n\nThe harbour")
    assert texts["c.html"].endswith("& so on")
    assert occurs(LONG, texts["d.pdf"]) and texts["deep/b.TXT"] == CHINESE
    assert read.excluded == []


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("short.txt", b"Six o'clock.", "It has 9 letters"),
        ("empty.md", b"", "It has 0 letters"),
        ("picture.png", b"\x89PNG", "not a Markdown, text, HTML or PDF"),
        ("broken.pdf", b"%PDF-1.4 and then nothing", "The PDF cannot be read"),
        ("scan.pdf", pdf_file(""), "pictures without text"),
        ("zz_copy.md", LONG.encode(), "the same text as a.md"),
    ],
)
def test_a_file_that_gives_no_document_says_why(tmp_path, name, content, why):
    (tmp_path / "a.md").write_text(LONG)
    (tmp_path / name).write_bytes(content)
    read = documents.read(tmp_path)
    assert [d.name for d in read.documents] == ["a.md"]
    assert [p.name for p in read.excluded] == [name] and why in read.excluded[0].why
    ((_, told),) = intake_summary(read, 1).tables[0].rows
    assert told == read.excluded[0].why


def test_one_file_is_a_folder_of_one_and_none_is_a_problem(tmp_path):
    (tmp_path / "a.md").write_text(LONG)
    assert [d.name for d in documents.read(tmp_path / "a.md").documents] == ["a.md"]
    with pytest.raises(Problem, match="nowhere"):
        documents.read(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("opens at six", "It opens\n   at six.", True),
        ("opens at seven", "It opens at six.", False),
        ("Opens at six", "It opens at six.", False),
        ("新的港口将于六月开放", "新的港口将于\n六月 开放。", True),
        ("港口 opens", "港口\topens", True),
        ("atsix", "at six", False),
        ("２０２４年に創立", "港は2024年に\n創立された。", True),
        ("ガス", "都市ｶﾞｽ会社", True),
        ("한국어", unicodedata.normalize("NFD", "한국어를"), True),
        ("港口A，B", "港口 A，B", True),
        ("  ", "at six", False),
        ("", "at six", False),
    ],
)
def test_a_quote_stands_word_for_word_but_for_white_space(quote, text, found):
    assert occurs(quote, text) is found


def test_the_place_of_a_quote_is_that_in_the_text_as_it_is():
    text = "Es\n  öffnet um\nsechs (6) Uhr."
    begin, end = find("öffnet um sechs (6)", text)
    assert text[begin:end] == "öffnet um\nsechs (6)"
    assert find("um sieben", text) is None


@pytest.mark.parametrize(
    ("quote", "text", "there"),
    [
        ("2024年創立", "港は２０２４年　創立。", "２０２４年　創立"),
        ("ガス", "都市ｶﾞｽ会社", "ｶﾞｽ"),
        ("(株)", "港湾㈱の本社", "㈱"),
        ("café", "a cafe\u0301, open", "cafe\u0301"),
        ("六月开放", "新的港口六月\n开放。", "六月\n开放"),
    ],
)
def test_the_place_of_a_quote_is_found_whatever_the_width_of_its_letters(quote, text, there):
    begin, end = find(quote, text)
    assert text[begin:end] == there


def test_a_page_gives_what_a_reader_sees():
    page = (
        "<head><title>T &lt;1&gt;</title><style>p{}</style></head><p>one <b>two</b>\nthree</p>"
        "<script>if (a < b) alert('<p>')</script><ul><li>a<li>b</ul><noscript>no</noscript>end"
    )
    assert documents.text_of(page) == "T <1>\none two three\na\nb\nend"
