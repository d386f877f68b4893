"""What screens compute is kept while nothing changes that it depends on."""

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st

from concord.messages import said
from concord.store import graders
from concord.ui import frame
from concord.ui.caching import Keyed, kept, once
from concord.ui.language import plain
from concord.ui.markup import answer_text, safe_html, table
from concord.ui.page_run import framed


class Panel(Keyed):
    def __init__(self, *key: object):
        self.key = key


def test_a_result_is_kept_until_the_store_changes(calls, store, sheet):
    @kept(said("Counting…"))
    def count(store, sheet, factor):
        calls.append(factor)
        return factor * sheet.items

    assert count(store, sheet, 2) == count(store, sheet, 2) == 2 * sheet.items
    assert count(store, sheet, 3) == 3 * sheet.items and calls == [2, 3]
    graders.ensure(store, "person", "new")
    assert count(store, sheet, 2) == 2 * sheet.items and calls == [2, 3, 2]


def test_each_of_several_sheets_is_compared_by_its_state(calls, store, sheet):
    @kept()
    def names(store, sheets):
        calls.append(len(sheets))
        return [one.name for one in sheets]

    assert names(store, (sheet,)) == names(store, (sheet,)) and calls == [1]
    graders.ensure(store, "person", "new")
    assert names(store, (sheet,)) == [sheet.name] and calls == [1, 1]


def test_what_is_keyed_is_compared_by_its_key_and_what_follows_from_it_not_at_all(calls):
    @kept()
    def compute(panel, _follows):
        calls.append((panel.key, _follows))
        return len(calls)

    assert compute(Panel("a"), 1) == compute(Panel("a"), 2) == 1
    assert compute(Panel("b"), 2) == 2 and calls == [(("a",), 1), (("b",), 2)]


def test_a_copy_is_given_unless_the_result_is_shared(calls):
    copied, shared = kept()(lambda panel: [1]), kept(shared=True)(lambda panel: [2])
    assert copied(Panel("a")) is not copied(Panel("a"))
    assert shared(Panel("a")) is shared(Panel("a"))


def test_a_session_computes_once_for_what_is_wanted(calls, monkeypatch):
    monkeypatch.setattr(st, "session_state", {})

    def compute():
        calls.append(1)
        return len(calls)

    assert once("place", ("a",), compute) == once("place", ("a",), compute) == 1
    assert once("place", ("b",), compute) == 2
    assert once("place", ("a",), compute) == 3  # only the last one is kept


def test_what_a_run_offered_that_ended_before_its_menu_is_not_offered_twice(monkeypatch):
    shown = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "html", lambda *_: None)
    monkeypatch.setattr(st, "logo", lambda *_, **__: None)
    frame.offer_download_choice(lambda: shown.append("before"))
    framed(SimpleNamespace(title="", _page=Path("pages/start.py"), run=lambda: None))
    assert shown == []


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src='https://a.example'></iframe>",
    "<style>@import 'https://a.example/x.css'</style>",
    "<a href='javascript:alert(1)'>x</a>",
    "<!-- --><script>alert(1)</script>",
    "para\n\n<div onclick=alert(1)>\n\nx",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "![a](https://a.example/x.png)",
    '![a](https://a.example/x.png "onload=alert(1)")',
    '![a"><script>alert(1)</script>](https://a.example/x.png)',
    "![a][i]\n\n[i]: https://a.example/x.png",
    "![a](data:image/png;base64,AAAA)",
    "[![a](https://a.example/x.png)](https://a.example)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java%0ascript:alert(1))",
    "[x]( javascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](vbscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](file:///etc/passwd)",
    "[x](//a.example/x)",
    "[x](/agreement?sheet=1)",
    "[x](?view=lead)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '[x](https://a.example "\\" onmouseover=alert(1) x=\\"")',
    '[x](https://a.example/"onmouseover=alert(1))',
    "[x](https://[::1)",
    '``` "onclick=alert(1)\nx\n```',
    "| a |\n|---|\n| <script>alert(1)</script> |",
    "**<b onclick=alert(1)>**",
    "\x00<script\x00>alert(1)</script>",
    "<scr\nipt>alert(1)</script>",
    "<math><mi xlink:href='javascript:alert(1)'>",
]
TAGS = {
    *("p", "br", "strong", "em", "s", "a", "code", "pre", "ul", "ol", "li", "blockquote", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "span", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"href", "target", "rel", "title", "class", "style", "start"}


class Seen(HTMLParser):
    """Every tag and attribute of some HTML, as a browser would read them."""

    def __init__(self, html: str):
        super().__init__()
        self.tags, self.attributes, self.links = set(), set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [dict(attrs)] if tag == "a" else []


@pytest.mark.parametrize("text", HOSTILE)
def test_a_stranger_s_text_neither_runs_nor_loads(text):
    seen = Seen(safe_html(text))
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    for link in seen.links:
        assert re.match(r"(https?|mailto):", link["href"])
        assert {"noopener", "noreferrer"} <= set(link["rel"].split())


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and `x < y`", "<p><strong>bold</strong> and <code>x &lt; y</code></p>\n"),
        ("one\ntwo", "<p>one<br />\ntwo</p>\n"),
        ("![a map](https://a.example/m.png)", "[image: a map https://a.example/m.png]"),
        ("[mail](mailto:a@b.example)", 'href="mailto:a@b.example"'),
        ("| a | b |\n|---|--:|\n| 1 | 2 |", '<td style="text-align:right">2</td>'),
        ("**太字**。次の行", "<p><strong>太字</strong>。次の行</p>\n"),
        ("1. 하나\n2. 둘", "<li>둘</li>"),
        ("<b>not bold</b>", "&lt;b&gt;not bold&lt;/b&gt;"),
        ("", ""),
    ],
)
def test_honest_markdown_looks_as_meant(text, html):
    assert html in safe_html(text)


def test_what_is_left_out_is_still_read():
    for text in ("<script>secret</script>", "[secret](javascript:x)", "![secret](x:y)"):
        assert "secret" in safe_html(text)


@pytest.mark.parametrize(
    "hostile",
    [
        "![x](http://evil.invalid/a.png)",
        "[a](http://b.invalid)",
        ":red[x] $x$",
        "# a",
        "<b>",
        "a|b",
        "&lt; AT&T; &#35;",
        "2026. 11. 26. 14:23",
        "1) a",
        "- a",
    ],
)
def test_plain_text_reaches_streamlit_without_a_meaning(hostile):
    shown = html.unescape(re.sub("<[^>]+>", "", safe_html(plain(hostile)))).strip()
    assert shown.replace(":small[]", "") == hostile  # a directive of Streamlit, which shows nothing
    assert "<li" not in safe_html(plain(hostile))
    assert "<img" not in safe_html(plain(hostile)) and "<a" not in safe_html(plain(hostile))


@pytest.mark.parametrize(
    ("address", "parted"),
    [
        ("ana.li_x@mail.example", r"ana.li\_x:small[]@mail.example"),
        ("http://127.0.0.1:8612/v_1", r"http:small[]\://127.0.0.1\:8612/v\_1"),
        ("HTTPS://a.example", r"HTTPS:small[]\://a.example"),
        ("www.a.example", "www:small[].a.example"),
        ("gpt@9df7 costs $1", r"gpt@9df7 costs \$1"),
    ],
)
def test_an_address_in_plain_text_is_parted_so_that_markdown_makes_no_link_of_it(address, parted):
    assert plain(address) == parted


def test_what_stands_between_backticks_is_shown_as_code():
    told = said("{model} refuses `{key}`: {why}.", model="a_b", key="top_p", why="use `x`")
    assert plain(told) == r"a\_b refuses `top_p`: use `x`."
    assert "<code>top_p</code>: use <code>x</code>." in safe_html(plain(told))


@pytest.mark.parametrize("hostile", ["`<b>", "`a` <b> ![x](http://e.invalid/a.png)", "``", "`"])
def test_backticks_in_the_values_of_a_message_give_nothing_a_meaning(hostile):
    shown = safe_html(plain(said("`{key}` of {what}", key=hostile, what=hostile)))
    assert "<b>" not in shown and "<img" not in shown and "<a" not in shown


@pytest.mark.parametrize(
    "shown",
    [
        table('Grades "1" & 2', ("Grader",), ("<tr><td>3</td></tr>",)),
        answer_text("Why?", 'Grades "1" & 2', "So."),
    ],
)
def test_what_may_scroll_can_be_focused_and_has_a_role_and_a_name(shown):
    """A keyboard scrolls only what has the focus; WCAG 4.1.2 asks what has it for its name."""
    (tag,) = re.findall(r"<div [^>]*tabindex[^>]*>", shown)
    assert 'tabindex="0"' in tag and 'role="group"' in tag
    assert 'class="answer"' not in tag or 'dir="auto"' in tag
    assert html.unescape(re.search('aria-label="(.*?)"', tag)[1]) == 'Grades "1" & 2'
